package interp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/interp/random"
)

// seedValues adds encodings of random values of each type, and the type's place
// among the types.
func seedValues(f *testing.F, add func(c *interp.Codec, place uint8, encoded []byte)) []*interp.Codec {
	program := compile(f, everything)
	var codecs []*interp.Codec
	for i, d := range tops(program) {
		c, g := codecOf(f, program, d.DeclName()), random.New(program, uint64(i))
		codecs = append(codecs, c)
		for range 3 {
			encoded, err := c.Append(nil, g.Value(d), interp.ByteMode)
			if err != nil {
				f.Fatal(err)
			}
			add(c, uint8(i), encoded)
		}
	}
	return codecs
}

func FuzzDecode(f *testing.F) {
	codecs := seedValues(f, func(_ *interp.Codec, place uint8, encoded []byte) { f.Add(place, encoded) })
	f.Fuzz(func(t *testing.T, place uint8, b []byte) {
		c := codecs[int(place)%len(codecs)]
		checkAccepted(t, c, b)
		if got, want := trace(c, interp.FromReader(&slowReader{b, 5}, int64(len(b)))), trace(c, interp.FromBytes(b)); got != want {
			t.Fatalf("from a reader:\n%s\nfrom a slice:\n%s", got, want)
		}
	})
}

// FuzzParseJSON checks that a text is refused, or is JSON and comes back as one
// canonical text.
func FuzzParseJSON(f *testing.F) {
	codecs := seedValues(f, func(c *interp.Codec, place uint8, encoded []byte) { f.Add(place, jsonOf(f, c, encoded)) })
	f.Fuzz(func(t *testing.T, place uint8, text []byte) {
		c := codecs[int(place)%len(codecs)]
		encoded, err := c.ParseJSON(text, interp.ByteMode)
		if err != nil {
			var refusal *interp.Refusal
			if !errors.As(err, &refusal) {
				t.Fatal(err)
			}
			return
		}
		if !json.Valid(text) {
			t.Fatalf("%q is accepted", text)
		}
		canonical := jsonOf(t, c, encoded)
		again, err := c.ParseJSON(canonical, interp.ByteMode)
		if err != nil || !bytes.Equal(again, encoded) {
			t.Fatalf("%s\nis %x, and comes back by %s\nas %x, %v", text, encoded, canonical, again, err)
		}
	})
}
