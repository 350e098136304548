package interp_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/interp"
)

func TestDefaultsOfMembersThatAreLeftOut(t *testing.T) {
	const schema = `package d; struct At { x: u8, y: u8 } union U { A { n: u8 } = 1 } message M { a: u8, at: At, name: str, list: []u16, u: ?U } message N { u: U, a: u8 }`
	read := func(name, text string) (string, error) {
		codec := codecOf(t, compile(t, schema), name)
		reader := interp.NewJSONReader(strings.NewReader(text))
		reader.Defaults = true
		var spool interp.Spool
		defer spool.Close()
		if err := codec.ReadJSON(reader, &spool, interp.ByteMode); err != nil {
			return "", err
		}
		var encoded, out bytes.Buffer
		if _, err := encoded.ReadFrom(spool.Reader()); err != nil {
			return "", err
		}
		err := codec.WriteJSON(&out, interp.FromBytes(encoded.Bytes()), interp.Options{})
		return out.String(), err
	}
	for text, want := range map[string]string{
		`{}`:                    `{"a":0,"at":{"x":0,"y":0},"name":"","list":[],"u":null}`,
		`{"a":3,"at":{"y":1}}`:  `{"a":3,"at":{"x":0,"y":1},"name":"","list":[],"u":null}`,
		`{"u":{"A":{}},"a":1}`:  `{"a":1,"at":{"x":0,"y":0},"name":"","list":[],"u":{"A":{"n":0}}}`,
		`{"name":"","at":{}}`:   `{"a":0,"at":{"x":0,"y":0},"name":"","list":[],"u":null}`,
		`{"list":[1],"more":1}`: `{"a":0,"at":{"x":0,"y":0},"name":"","list":[1],"u":null}`,
	} {
		if got, err := read("M", text); err != nil || got != want {
			t.Errorf("%s is %s (%v), and not %s", text, got, err, want)
		}
	}
	if got, err := read("N", `{"a":1}`); err == nil || !strings.Contains(err.Error(), "the member is missing") {
		t.Errorf("a union without a default is %s (%v)", got, err)
	}
}
