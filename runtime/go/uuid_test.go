package sdp

import (
	"errors"
	"testing"
)

func TestUUIDTextIsReadInEitherCaseAndNoOtherForm(t *testing.T) {
	want := UUID{0xf8, 0x1d, 0x4f, 0xae, 0x7d, 0xec, 0x11, 0xd0, 0xa7, 0x65, 0x00, 0xa0, 0xc9, 0x1e, 0x6b, 0xf6}
	for _, text := range []string{"f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"} {
		if got, err := ParseUUID(text); got != want || err != nil {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", "f81d4fae7dec11d0a76500a0c91e6bf6", "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}", "f81d4fae-7dec-11d0-a765-00a0c91e6bf",
		"f81d4fae-7dec-11d0-a765-00a0c91e6bg6", "f81d4fae-7dec-11d0-a765+00a0c91e6bf6", "f81d4faex7dec-11d0-a765-00a0c91e6bf6",
		"f81d4fae-7dec-11d0-a76500-a0c91e6bf6", "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
	} {
		u := want
		if _, err := ParseUUID(text); !errors.Is(err, ErrValueInvalid) {
			t.Errorf("%q: %v", text, err)
		}
		if err := u.UnmarshalText([]byte(text)); !errors.Is(err, ErrValueInvalid) || u != want {
			t.Errorf("%q: %v, %v", text, u, err)
		}
	}
	text, err := want.MarshalText()
	if err != nil || string(text) != want.String() || want.String() != "f81d4fae-7dec-11d0-a765-00a0c91e6bf6" {
		t.Errorf("%s, %s, %v", text, want, err)
	}
	var back UUID
	if err := back.UnmarshalText(text); err != nil || back != want {
		t.Errorf("%v, %v", back, err)
	}
}
