package interp_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/interp"
)

func TestObjectsAreReadInAnyOrder(t *testing.T) {
	cases := []struct{ about, decl, text, bytes string }{
		{"members of a struct", "Plugin", `{"note":null,"on":true,"gain":1.5,"name":"EQ"}`, plugin},
		{"absent optional", "Plugin", `{"on":true,"gain":1.5,"name":"EQ"}`, plugin},
		{"members of a message", "Registry", `{"kind":null,"host":"x","total":7,"plugins":[{"on":true,"name":"EQ","gain":1.5}]}`, registry + "00"},
		{"missing segments", "New", `{"a":5}`, "05 f4 01 01 01 00 00 00 63 00 00 00 00 00 00 00 00 00"},
		{"unknown members of a message", "Old", `{"x":{"y":[1,{}]},"a":5,"x":2}`, "05"},
		{"entries of a map", "Levels", `{"byWide":{},"byLevel":{},"byEnum":{},"bySigned":{},"byBool":{"true":8,"false":7},"m":{"b":300,"a":-1}}`,
			"02 00 00 00 01 61 ff ff 01 62 2c 01 02 00 00 00 00 07 01 08 00 00 00 00 00 00 00 00 00 00 00 00 00"},
		{"signed and named keys", "Levels", `{"m":{},"byBool":{},"bySigned":{"1":{"Nothing":null},"-1":{"Nothing":null}},"byEnum":{"tool!":[],"Instrument":["AA=="],"7":[]},"byLevel":{},"byWide":{}}`,
			"00 00 00 00 00 00 00 00 02 00 00 00 ff 09 01 09 03 01 01 00 00 00 01 00 00 00 00 07 00 00 00 00 c8 00 00 00 00 00 00 00 00 00 00 00 00"},
		{"unknown alternative", "HostEvent", `{"$unknown":{"payload":"qrs=","tag":9}}`, "09 02 00 00 00 aa bb"},
		{"tag as a string", "HostEvent", `{"$unknown":{"tag":"9","payload":""}}`, "09 00 00 00 00"},
		{"kept tail at the front", "Kept", `{"$unknown":"/w==","dots":[null,null,null],"at":"1970-01-01T00:00:00Z","level":"Zero","inner":{"plugins":[],"total":0,"host":"","kind":null}}`,
			"00 00 00 00 00 00 00 00 00 00 0d 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ff"},
		{"$unknown of a message that keeps none", "Old", `{"a":5,"$unknown":"AP8="}`, "05"},
	}
	program := compile(t, everything)
	for _, c := range cases {
		t.Run(c.about, func(t *testing.T) {
			got, err := codecOf(t, program, c.decl).ParseJSON([]byte(c.text), interp.ByteMode)
			if want := unhex(t, c.bytes); err != nil || !bytes.Equal(got, want) {
				t.Errorf("got %x, %v, want %x", got, err, want)
			}
		})
	}
}

func TestObjectsAreRefusedAsJSON(t *testing.T) {
	cases := []struct {
		about, decl, text, at string // at is what the offset points to
		path                  string
	}{
		{"no object", "Plugin", `["a"]`, `[`, ""},
		{"unknown member", "Plugin", `{"name":"EQ","nam":1,"on":1}`, `"nam"`, ""},
		{"unknown member of an alternative", "HostEvent", `{"Changed":{"id":1,"x":1}}`, `"x"`, "Changed"},
		{"member twice", "Plugin", `{"name":"EQ","name":"EQ"}`, `"name":"EQ"}`, "name"},
		{"missing member", "Plugin", `{"note":null,"gain":1}`, `{`, "name"},
		{"first missing member", "Registry", `{"plugins":[{"name":"EQ"}]}`, `{"name"`, "plugins[0].gain"},
		{"missing member of segment 1", "Registry", `{}`, `{`, "plugins"},
		{"null for a list", "Registry", `{"plugins":null}`, `null`, "plugins"},
		{"name instead of the JSON name", "Kept", `{"level":"Zero","seen":"1970-01-01T00:00:00Z","at":"x"}`, `"x"`, "seen"},
		{"element too many", "Grid", `{"raw":[1,2,3,4]}`, `4`, "raw[3]"},
		{"elements too few", "Grid", `{"raw":[1,2]}`, `[`, "raw"},
		{"element", "Grid", `{"raw":[1,256,3]}`, `256`, "raw[1]"},
		{"empty union", "HostEvent", `{}`, `{`, ""},
		{"two alternatives", "HostEvent", `{"Stopped":null,"Stopped":null}`, `"Stopped":null}`, ""},
		{"unknown name of an alternative", "HostEvent", `{"stopped":null}`, `"stopped"`, ""},
		{"payload where there is none", "HostEvent", `{"Stopped":{}}`, `{}`, "Stopped"},
		{"payload that isn't there", "HostEvent", `{"Loaded":null}`, `null`, "Loaded"},
		{"known tag", "HostEvent", `{"$unknown":{"tag":3,"payload":""}}`, `3`, ""},
		{"tag 0", "HostEvent", `{"$unknown":{"tag":0,"payload":""}}`, `0`, ""},
		{"tag over 255", "HostEvent", `{"$unknown":{"tag":256,"payload":""}}`, `256`, ""},
		{"unknown without payload", "HostEvent", `{"$unknown":{"tag":9}}`, `{"tag"`, ""},
		{"two tags", "HostEvent", `{"$unknown":{"tag":9,"tag":9}}`, `"tag":9}`, ""},
		{"more in unknown", "HostEvent", `{"$unknown":{"tag":9,"x":9}}`, `"x"`, ""},
		{"unknown that isn't base64", "HostEvent", `{"$unknown":{"tag":9,"payload":"!"}}`, `"!"`, ""},
		{"unknown that is no object", "HostEvent", `{"$unknown":9}`, `9`, ""},
		{"unknown of a closed union", "Shape", `{"$unknown":{"tag":3,"payload":""}}`, `"$unknown"`, ""},
		{"tail in a struct", "Plugin", `{"$unknown":""}`, `"$unknown"`, ""},
		{"tail that isn't base64", "Kept", `{"level":"Zero","$unknown":"!"}`, `"!"`, ""},
		{"two tails", "Kept", `{"$unknown":"","$unknown":""}`, `"$unknown":""}`, ""},
		{"key twice", "Levels", `{"m":{"a":1,"b":1,"\u0061":2}}`, `"\u0061"`, "m[2].key"},
		{"key twice by name and number", "Levels", `{"byEnum":{"Instrument":[],"1":[]}}`, `"1"`, "byEnum[1].key"},
		{"key of another type", "Levels", `{"bySigned":{"1":{"Nothing":null},"128":{}}}`, `"128"`, "bySigned[1].key"},
		{"bool as key", "Levels", `{"byBool":{"1":1}}`, `"1"`, "byBool[0].key"},
		{"value of a map", "Levels", `{"m":{"b":1,"a":1.5}}`, `1.5`, "m[1].value"},
		{"map that is an array", "Levels", `{"m":[]}`, `[`, "m"},
	}
	program := compile(t, everything)
	for _, c := range cases {
		t.Run(c.about, func(t *testing.T) {
			_, err := codecOf(t, program, c.decl).ParseJSON([]byte(c.text), interp.ByteMode)
			checkRefusal(t, err, interp.ErrJSONInvalid, int64(strings.Index(c.text, c.at)), c.path)
		})
	}
}

func TestJSONDepthLimitAllowsExactlyItsNumber(t *testing.T) {
	c := codecOf(t, compile(t, `struct Node { next: ?Node }`), "Node")
	text := func(n int) []byte {
		return []byte(strings.Repeat(`{"next":`, n-1) + `{}` + strings.Repeat(`}`, n-1))
	}
	if _, err := c.ParseJSON(text(64), interp.ByteMode); err != nil {
		t.Error(err)
	}
	_, err := c.ParseJSON(text(65), interp.ByteMode)
	checkRefusal(t, err, interp.ErrJSONInvalid, int64(64*len(`{"next":`)), strings.Repeat(".next", 64)[1:])
}

func TestValuesFromJSONAreRefusedLikeEncodedOnes(t *testing.T) {
	long := strings.Repeat("x", 256)
	cases := []struct {
		about, decl, text string
		kind              interp.Kind
		path, at          string // at is what stands where the refused value begins
	}{
		{"string over its width", "Plugin", `{"name":"` + long + `","gain":1,"on":true}`, interp.ErrValueTooLarge, "name", `"xxx`},
		{"string over its bound", "Bounded", `{"name":"abcd","blob":"","list":"","items":[],"pairs":{}}`, interp.ErrLimitMax, "name", `"abcd"`},
		{"the first on the wire", "Bounded", `{"pairs":{"1":1,"2":2},"items":[1,2,3],"list":"","blob":"AAAA","name":"abc"}`, interp.ErrLimitMax, "blob", `"AAAA"`},
		{"count before what it counts", "Counts", `{"names":["abc","de","f"]}`, interp.ErrLimitMax, "names", `["abc"`},
		{"what a count counts", "Counts", `{"names":["a","de"]}`, interp.ErrLimitMax, "names[1]", `"de"`},
		{"entry by its place on the wire", "Counts", `{"names":[],"m":{"c":"abc","a":"a","b":"abc"}}`, interp.ErrLimitMax, "m[1].value", `"abc"}}`},
		{"key by its place on the wire", "Counts", `{"names":[],"m":{"xyz":"a","a":"a"}}`, interp.ErrLimitMax, "m[1].key", `"xyz"`},
	}
	program := compile(t, everything+`
message Counts { names: @max(2) []@max(1) str, @since(2) m: map<@max(1) str, @max(1) str> }`)
	for _, c := range cases {
		t.Run(c.about, func(t *testing.T) {
			_, err := codecOf(t, program, c.decl).ParseJSON([]byte(c.text), interp.ByteMode)
			checkRefusal(t, err, c.kind, -1, c.path)
			var refusal *interp.Refusal
			if want := strings.Index(c.text, c.at) + 1; errors.As(err, &refusal) && (refusal.Line != 1 || refusal.Column != want) {
				t.Errorf("it is refused at %d:%d instead of 1:%d", refusal.Line, refusal.Column, want)
			}
		})
	}
}

func TestJSONRefusalBeatsOneOfEncoding(t *testing.T) {
	c := codecOf(t, compile(t, everything), "Bounded")
	_, err := c.ParseJSON([]byte(`{"name":"abcd","blob":1}`), interp.ByteMode)
	checkRefusal(t, err, interp.ErrJSONInvalid, 22, "blob")
}
