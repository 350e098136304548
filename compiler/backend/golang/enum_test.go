package golang_test

import (
	"encoding"
	"errors"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden/shapes"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

func TestEnumsPrintTheirNamesOrNumbers(t *testing.T) {
	for want, enum := range map[string]interface {
		String() string
		encoding.TextMarshaler
	}{
		"Effect": shapes.KindEffect, "Instrument": shapes.KindInstrument, "255": shapes.Kind(255),
		"Off": shapes.ModeOff, "On": shapes.ModeOn, "0": shapes.Mode(0), "-32768": shapes.Mode(-32768),
	} {
		text, err := enum.MarshalText()
		if enum.String() != want || string(text) != want || err != nil {
			t.Errorf("got %s and %s, want %s", enum, text, want)
		}
	}
}

func TestEnumsReadNamesAndNumbers(t *testing.T) {
	kinds := map[string]shapes.Kind{"Effect": 0, "Instrument": 1, "0": 0, "1": 1, "255": 255}
	for text, want := range kinds {
		got := shapes.Kind(7)
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	modes := map[string]shapes.Mode{"Off": -1, "On": 1, "-1": -1}
	for text, want := range modes {
		var got shapes.Mode
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

func TestEnumsRefuseOtherTexts(t *testing.T) {
	for _, text := range []string{"", "effect", "256", "-1", "1.0", "Effect "} {
		kind := shapes.KindInstrument
		if err := kind.UnmarshalText([]byte(text)); !errors.Is(err, sdp.ErrEnumUnknown) || kind != shapes.KindInstrument {
			t.Errorf("%q: %v, %v", text, kind, err)
		}
	}
	for _, text := range []string{"7", "0", "32768", "on"} {
		mode := shapes.ModeOn
		if err := mode.UnmarshalText([]byte(text)); !errors.Is(err, sdp.ErrEnumUnknown) || mode != shapes.ModeOn {
			t.Errorf("a closed enum takes %q: %v, %v", text, mode, err)
		}
	}
}

func TestFieldsNamedLikeMethodsKeepTheirMeaning(t *testing.T) {
	v := everything()
	got := decode[shapes.Everything](t, encode(t, v))
	if got.Err != 1 || got.Len != 2 || got.R != 3 || got.Equal_ != 4 || got.String_ != 5 || got.Type != 6 || got.B != 7 || got.EncodedSize_ != 8 {
		t.Errorf("got %d %d %d %d %d %d %d %d", got.Err, got.Len, got.R, got.Equal_, got.String_, got.Type, got.B, got.EncodedSize_)
	}
	data := encode(t, v)
	if tail := data[len(data)-8:]; string(tail) != "\x01\x02\x03\x04\x05\x06\x07\x08" {
		t.Errorf("the bytes are % x", tail)
	}
	_, err := got.DecodePrefix(data[:len(data)-3], sdp.DecodeOptions{})
	mustRefuse(t, err, sdp.ErrTruncated, len(data)-3, "type")
}
