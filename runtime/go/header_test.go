package sdp

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"
)

// headerCases are headers with the verdict of a decoder of type 7 that takes 20 bytes at most, and
// the verdict of a dispatcher that asks for the type id alone.
var headerCases = []struct {
	name, bytes string
	kind        Kind
	offset      int
	dispatcher  Kind
}{
	{"fine", "53445032 0700 02000000 aabb", 0, 0, 0},
	{"an empty payload", "53445032 0700 00000000", 0, 0, 0},
	{"bytes behind the payload", "53445032 0700 01000000 aabb", 0, 0, 0},
	{"nothing", "", ErrTruncated, 0, ErrTruncated},
	{"a cut magic", "5344", ErrTruncated, 0, ErrTruncated},
	{"a magic without version", "534450", ErrTruncated, 0, ErrTruncated},
	{"no type id", "53445032", ErrTruncated, 4, ErrTruncated},
	{"a cut type id", "53445032 07", ErrTruncated, 4, ErrTruncated},
	{"no length", "53445032 0700", ErrTruncated, 6, ErrTruncated},
	{"a cut length", "53445032 0700 020000", ErrTruncated, 6, ErrTruncated},
	{"another magic", "53445132 0700 00000000", ErrMagicInvalid, 0, ErrMagicInvalid},
	{"another version", "53445031 0700 00000000", ErrVersionUnsupported, 3, ErrVersionUnsupported},
	{"another type", "53445032 0800 00000000", ErrTypeIDMismatch, 4, 0},
	{"the high byte of another type", "53445032 0701 00000000", ErrTypeIDMismatch, 4, 0},
	{"a long payload", "53445032 0700 15000000" + strings.Repeat("00", 21), ErrLimitMessageBytes, 6, 0},
	{"as long as allowed", "53445032 0700 14000000" + strings.Repeat("00", 20), 0, 0, 0},
	{"a payload beyond the slice", "53445032 0700 03000000 aabb", ErrPayloadLength, 6, 0},
	{"12.29 magic", "5345", ErrMagicInvalid, 0, ErrMagicInvalid},
	{"12.29 version", "53445033 07", ErrVersionUnsupported, 3, ErrVersionUnsupported},
	{"12.30", "53455033 0700 00000000", ErrMagicInvalid, 0, ErrMagicInvalid},
	{"12.31", "53445032 0800 000000", ErrTruncated, 6, ErrTruncated},
	{"12.32 limit", "53445032 0800 ff000000", ErrTypeIDMismatch, 4, 0},
	{"12.32 payload", "53445032 0800 01000000", ErrTypeIDMismatch, 4, 0},
	{"12.33", "53445032 0700 ffffffff", ErrLimitMessageBytes, 6, 0},
}

func TestPayloadNamesTheFirstRefusalOfAHeader(t *testing.T) {
	for _, c := range headerCases {
		t.Run(c.name, func(t *testing.T) {
			input, err := hex.DecodeString(strings.ReplaceAll(c.bytes, " ", ""))
			if err != nil {
				t.Fatal(err)
			}
			payload, err := Payload(input, 7, 20)
			if c.kind == 0 {
				if err != nil || string(payload) != string(input[10:10+int(input[6])]) {
					t.Errorf("got %x, %v", payload, err)
				}
				return
			}
			var refusal *Error
			if !errors.As(err, &refusal) || *refusal != (Error{Kind: c.kind, Offset: c.offset}) {
				t.Errorf("got %v, want %v at byte %d", err, c.kind, c.offset)
			}
		})
	}
}

func TestReadTypeIDRefusesOnlyWhatComesBeforeIt(t *testing.T) {
	for _, c := range headerCases {
		input, _ := hex.DecodeString(strings.ReplaceAll(c.bytes, " ", ""))
		id, err := ReadTypeID(input)
		if c.dispatcher == 0 {
			if err != nil || id != uint16(input[4])|uint16(input[5])<<8 {
				t.Errorf("%s: got %d, %v", c.name, id, err)
			}
		} else if err == nil || *err != (Error{Kind: c.dispatcher, Offset: c.offset}) {
			t.Errorf("%s: got %v, want %v at byte %d", c.name, err, c.dispatcher, c.offset)
		}
	}
}

func TestUnknownTypeIDPointsAtTheID(t *testing.T) {
	if got := UnknownTypeID(); *got != (Error{Kind: ErrTypeIDUnknown, Offset: 4}) {
		t.Error(got)
	}
}

func TestPayloadDoesNotAllocate(t *testing.T) {
	input := []byte("SDP2\x07\x00\x01\x00\x00\x00x")
	if n := testing.AllocsPerRun(100, func() {
		if _, err := Payload(input, 7, 20); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkPayload(b *testing.B) {
	input := []byte("SDP2\x07\x00\x01\x00\x00\x00x")
	for range b.N {
		if _, err := Payload(input, 7, LimitMessageBytes); err != nil {
			b.Fatal(err)
		}
	}
}
