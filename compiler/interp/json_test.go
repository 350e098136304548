package interp_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/interp"
)

func TestJSONIsCanonical(t *testing.T) {
	cases := []struct{ about, decl, bytes, text string }{
		{"message", "Registry", registry + "00", `{"plugins":[{"name":"EQ","gain":1.5,"on":true,"note":null}],"total":7,"host":"x","kind":null}`},
		{"missing segments", "Registry", "00 00 00 00", `{"plugins":[],"total":0,"host":"x","kind":"tool!"}`},
		{"missing struct", "New", "05", `{"a":5,"b":500,"c":"c","d":{"cells":[0,0],"name":"","level":"Zero","nested":null}}`},
		{"inline alternative", "HostEvent", "02 08 00 00 00 09 00 00 00 00 00 00 bf", `{"Changed":{"id":9,"value":-0.5}}`},
		{"no payload", "HostEvent", "03 00 00 00 00", `{"Stopped":null}`},
		{"unknown alternative", "HostEvent", "09 02 00 00 00 aa bb", `{"$unknown":{"tag":9,"payload":"qrs="}}`},
		{"closed union", "Shape", "0a 09", `{"Nested":{"Nothing":null}}`},
		{"kept tail", "Kept", "00 00 00 00 00 00 00 00 00 00 0e 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ff",
			`{"level":"Zero","at":"1970-01-01T00:00:00Z","inner":{"plugins":[],"total":0,"host":"","kind":null},"dots":[null,null,null],"$unknown":"/w=="}`},
		{"map", "Levels", "02 00 00 00 01 61 ff ff 01 62 2c 01 02 00 00 00 00 07 01 08 00 00 00 00 00 00 00 00 00 00 00 00 00",
			`{"m":{"a":-1,"b":300},"byBool":{"false":7,"true":8},"bySigned":{},"byEnum":{},"byLevel":{},"byWide":{}}`},
	}
	program := compile(t, everything)
	for _, c := range cases {
		t.Run(c.about, func(t *testing.T) {
			if got := string(jsonOf(t, codecOf(t, program, c.decl), unhex(t, c.bytes))); got != c.text {
				t.Errorf("got  %s\nwant %s", got, c.text)
			}
		})
	}
}

const scalars = `
enum Open: u64 { Zero = 0, All = 18446744073709551615 }
@closed enum Closed: i8 { Low = -128, High = 127 }
struct Bool { v: bool } struct U8 { v: u8 } struct I8 { v: i8 } struct U32 { v: u32 } struct U64 { v: u64 } struct I64 { v: i64 }
struct F32 { v: f32 } struct F64 { v: f64 } struct Time { v: timestamp } struct Span { v: duration } struct Id { v: uuid }
struct OpenEnum { v: Open } struct ClosedEnum { v: Closed } struct Text { v: str } struct Blob { v: bytes }
`

// TestScalarsAreWrittenAndReadBack has the canonical text of each value.
func TestScalarsAreWrittenAndReadBack(t *testing.T) {
	cases := []struct{ decl, bytes, text string }{
		{"Bool", "01", `true`},
		{"U8", "ff", `255`},
		{"I8", "80", `-128`},
		{"U32", "ff ff ff ff", `4294967295`},
		{"U64", "ff ff ff ff ff ff ff ff", `"18446744073709551615"`},
		{"I64", "00 00 00 00 00 00 00 80", `"-9223372036854775808"`},
		{"F32", "cd cc cc 3d", `0.1`},
		{"F32", "00 00 a0 40", `5`},
		{"F32", "00 00 00 80", `-0`},
		{"F32", "01 00 00 00", `1e-45`},
		{"F32", "ff ff 7f 7f", `3.4028235e+38`},
		{"F32", "ec 78 ad 60", `100000000000000000000`},
		{"F32", "00 00 80 ff", `"-Infinity"`},
		{"F32", "00 00 c0 7f", `"NaN"`},
		{"F32", "01 00 c0 7f", `"NaN:7fc00001"`},
		{"F32", "00 00 c0 ff", `"NaN:ffc00000"`},
		{"F64", "8d ed b5 a0 f7 c6 b0 3e", `0.000001`},
		{"F64", "48 af bc 9a f2 d7 7a 3e", `1e-7`},
		{"F64", "50 ef e2 d6 e4 1a 4b 44", `1e+21`},
		{"F64", "4f ef e2 d6 e4 1a 4b 44", `999999999999999900000`},
		{"F64", "00 00 00 00 00 00 f0 7f", `"Infinity"`},
		{"F64", "00 00 00 00 00 00 f8 7f", `"NaN"`},
		{"F64", "01 00 00 00 00 00 f0 7f", `"NaN:7ff0000000000001"`},
		{"Time", "00 00 00 00 00 00 00 00", `"1970-01-01T00:00:00Z"`},
		{"Time", "ff ff ff ff ff ff ff ff", `"1969-12-31T23:59:59.999999999Z"`},
		{"Time", "ff ff ff ff ff ff ff 7f", `"2262-04-11T23:47:16.854775807Z"`},
		{"Time", "00 00 00 00 00 00 00 80", `"1677-09-21T00:12:43.145224192Z"`},
		{"Span", "00 00 00 00 00 00 00 00", `"0s"`},
		{"Span", "00 d1 97 a6 ff ff ff ff", `"-1.5s"`},
		{"Span", "00 00 00 00 00 00 00 80", `"-9223372036.854775808s"`},
		{"Span", "ff ff ff ff ff ff ff 7f", `"9223372036.854775807s"`},
		{"Id", "00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff", `"00112233-4455-6677-8899-aabbccddeeff"`},
		{"OpenEnum", "00 00 00 00 00 00 00 00", `"Zero"`},
		{"OpenEnum", "ff ff ff ff ff ff ff ff", `"All"`},
		{"OpenEnum", "09 00 00 00 00 00 00 00", `"9"`},
		{"ClosedEnum", "80", `"Low"`},
		{"Text", "02 00 00 00 c3 a9", `"é"`},
		{"Text", "09 00 00 00 22 5c 08 0c 0a 0d 09 01 7f", `"\"\\\b\f\n\r\t\u0001` + "\x7f" + `"`},
		{"Text", "0c 00 00 00 3c 2f ef bf bd e2 80 a8 f0 9f 98 80", `"</` + "\ufffd\u2028😀" + `"`},
		{"Blob", "03 00 00 00 00 ff fe", `"AP/+"`},
	}
	program := compile(t, scalars)
	for _, c := range cases {
		codec, encoded := codecOf(t, program, c.decl), unhex(t, c.bytes)
		want := `{"v":` + c.text + `}`
		if got := string(jsonOf(t, codec, encoded)); got != want {
			t.Errorf("%s %s is written %s, want %s", c.decl, c.bytes, got, want)
		}
		if got, err := codec.ParseJSON([]byte(want), interp.ByteMode); err != nil || !bytes.Equal(got, encoded) {
			t.Errorf("%s is read as %x, %v, want %s", want, got, err, c.bytes)
		}
	}
}

func TestScalarsAreReadInOtherForms(t *testing.T) {
	cases := []struct{ decl, text, bytes string }{
		{"U8", `"255"`, "ff"},
		{"U64", `18446744073709551615`, "ff ff ff ff ff ff ff ff"},
		{"I64", `-1`, "ff ff ff ff ff ff ff ff"},
		{"F32", `-0.0`, "00 00 00 80"},
		{"F32", `5e0`, "00 00 a0 40"},
		{"F32", `1e-400`, "00 00 00 00"},
		{"F32", `0.10000000149011612`, "cd cc cc 3d"},
		{"F32", `1.00000017881393432617187499`, "01 00 80 3f"}, // rounding to f64 first would round up
		{"F32", `"NaN:7fc00000"`, "00 00 c0 7f"},
		{"Time", `"1970-01-01T00:00:01.500Z"`, "00 2f 68 59 00 00 00 00"},
		{"Span", `"-0s"`, "00 00 00 00 00 00 00 00"},
		{"Span", `"1.500s"`, "00 2f 68 59 00 00 00 00"},
		{"Id", `"00112233-4455-6677-8899-AABBCCDDEEFF"`, "00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff"},
		{"OpenEnum", `18446744073709551615`, "ff ff ff ff ff ff ff ff"},
		{"ClosedEnum", `"-128"`, "80"},
		{"ClosedEnum", `127`, "7f"},
		{"Text", `"\ud83d\ude00\u00e9\/"`, "07 00 00 00 f0 9f 98 80 c3 a9 2f"},
		{"Text", `"\ufffd"`, "03 00 00 00 ef bf bd"},
	}
	program := compile(t, scalars)
	for _, c := range cases {
		got, err := codecOf(t, program, c.decl).ParseJSON([]byte(` { "v" : `+c.text+"\n}\t"), interp.ByteMode)
		if want := unhex(t, c.bytes); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s %s is read as %x, %v, want %x", c.decl, c.text, got, err, want)
		}
	}
}

func TestScalarsAreRefusedAsJSON(t *testing.T) {
	cases := map[string][]string{
		"Bool":       {`1`, `"true"`, `null`, `[]`},
		"U8":         {`256`, `-1`, `1.0`, `1e0`, `-0`, `"01"`, `"+1"`, `""`, `" 1"`, `true`, `null`, `{}`, `99999999999999999999999`},
		"U64":        {`18446744073709551616`, `"18446744073709551616"`, `-1`},
		"I64":        {`9223372036854775808`, `-9223372036854775809`, `"-0"`},
		"F32":        {`3.4028236e38`, `"1"`, `"inf"`, `"NaN:7f800000"`, `"NaN:7fc0000"`, `"NaN:7FC00001"`, `"NaN:7ff8000000000001"`, `null`, `true`},
		"F64":        {`1e309`, `"-NaN"`, `"NaN:7fc00001"`},
		"Time":       {`"1970-01-01"`, `"1970-01-01T00:00:00"`, `"1970-01-01T00:00:00+00:00"`, `"1970-01-01t00:00:00z"`, `"1970-02-29T00:00:00Z"`, `"1970-01-01T24:00:00Z"`, `"1970-01-01T00:00:60Z"`, `"1970-01-01T00:00:00.Z"`, `"1970-01-01T00:00:00.0000000000Z"`, `"1970-01-01T00:00:00,5Z"`, `"2262-04-11T23:47:16.854775808Z"`, `"1677-09-21T00:12:43.145224191Z"`, `"9999-01-01T00:00:00Z"`, `"0000-01-01T00:00:00Z"`, `0`},
		"Span":       {`"1"`, `"s"`, `"01s"`, `"1.s"`, `"+1s"`, `"1.0000000000s"`, `"9223372036.854775808s"`, `"-9223372036.854775809s"`, `"99999999999s"`, `"99999999999999999999s"`, `1`},
		"Id":         {`"00112233445566778899aabbccddeeff"`, `"{00112233-4455-6677-8899-aabbccddeeff}"`, `"00112233-4455-6677-8899-aabbccddeefg"`, `0`},
		"OpenEnum":   {`"Nothing"`, `-1`, `1.5`, `true`},
		"ClosedEnum": {`0`, `"0"`, `"Middle"`, `128`},
		"Text":       {`1`, `null`, `["a"]`},
		"Blob":       {`"AP/"`, `"AP/+\n"`, `"AP_-"`, `"AB=="`, `"A"`, `[0]`},
	}
	program := compile(t, scalars)
	for decl, texts := range cases {
		for _, text := range texts {
			_, err := codecOf(t, program, decl).ParseJSON([]byte(`{"v":`+text+`}`), interp.ByteMode)
			t.Run(decl+" "+text, func(t *testing.T) { checkRefusal(t, err, interp.ErrJSONInvalid, 5, "v") })
		}
	}
}

func TestTextsThatAreNoJSONAreRefused(t *testing.T) {
	cases := []struct {
		about, text string
		offset      int64
	}{
		{"empty", ``, 0},
		{"white space", ` `, 1},
		{"end in an object", `{"v":"a"`, 8},
		{"end in a string", `{"v":"a`, 7},
		{"end in a literal", `{"v":nul`, 8},
		{"two values", `{"v":"a"} {}`, 10},
		{"comma at the end", `{"v":"a",}`, 9},
		{"missing comma", `{"v":"a" "w":1}`, 9},
		{"single quotes", `{'v':"a"}`, 1},
		{"comment", `{"v":"a"}//`, 9},
		{"control character", "{\"v\":\"\x01\"}", 6},
		{"byte order mark", "\ufeff{}", 0},
		{"ill-formed UTF-8", "{\"v\":\"a\xff\"}", 7},
		{"overlong UTF-8", "{\"v\":\"\xc0\x80\"}", 6},
		{"half a pair", `{"v":"\ud83d"}`, 6},
		{"half a pair before another escape", `{"v":"a\ud83d\u0041"}`, 7},
		{"pair in the wrong order", `{"v":"\ude00\ud83d"}`, 6},
		{"half a pair in an ignored member's key", `{"v":"a","\udc00":1}`, 10},
		{"fault behind a value of another type", `{"v":1,"w":}`, 11},
		{"too many brackets", strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001), 10_000},
	}
	c := codecOf(t, compile(t, scalars), "Text")
	for _, test := range cases {
		t.Run(test.about, func(t *testing.T) {
			_, err := c.ParseJSON([]byte(test.text), interp.ByteMode)
			checkRefusal(t, err, interp.ErrJSONInvalid, test.offset, "")
		})
	}
}

func TestByteOrderMarkIsNamed(t *testing.T) {
	c := codecOf(t, compile(t, scalars), "Text")
	const text = "\ufeff{\"v\":\"a\"}"
	_, whole := c.ParseJSON([]byte(text), interp.ByteMode)
	var out interp.Spool
	pieces := c.ReadJSON(interp.NewJSONReader(strings.NewReader(text)), &out, interp.ByteMode)
	for _, err := range []error{whole, pieces} {
		if err == nil || !strings.Contains(err.Error(), "a byte order mark stands before the value") {
			t.Errorf("the refusal is %v", err)
		}
	}
}

func TestManyBracketsAreIgnoredInMessages(t *testing.T) {
	c := codecOf(t, compile(t, everything), "Old")
	text := `{"x":` + strings.Repeat("[", 9_999) + strings.Repeat("]", 9_999) + `,"a":1}`
	if got, err := c.ParseJSON([]byte(text), interp.ByteMode); err != nil || !bytes.Equal(got, []byte{1}) {
		t.Errorf("got %x, %v", got, err)
	}
}

// TestReadersRefuseWhatIsNoJSON has texts that come in pieces: what is not JSON is
// still refused, at a place in the token.
func TestReadersRefuseWhatIsNoJSON(t *testing.T) {
	c := codecOf(t, compile(t, scalars), "Text")
	for _, text := range []string{`{"v":"a"`, `{"v":"a`, `{"v" "a"}`, `{"v":nul}`, `{"v":"\ud800"}`, "{\"v\":\"\xff\"}", `{"v":"a",}`, `{`, `]`} {
		var out interp.Spool
		err := c.ReadJSON(interp.NewJSONReader(&slowReader{[]byte(text), 1}), &out, interp.ByteMode)
		if !errors.Is(err, interp.ErrJSONInvalid) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestTextsFollowEachOther(t *testing.T) {
	c := codecOf(t, compile(t, everything), "Old")
	r := interp.NewJSONReader(&slowReader{[]byte("{\"a\":1}\n{\"a\":2} {\"a\":3}\n"), 2})
	var out interp.Spool
	for range 3 {
		if err := c.ReadJSON(r, &out, interp.ByteMode); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.ReadJSON(r, &out, interp.ByteMode); !errors.Is(err, io.EOF) {
		t.Errorf("error = %v, want the end", err)
	}
	if err := r.End(); err != nil {
		t.Error(err)
	}
	if got, err := io.ReadAll(out.Reader()); err != nil || string(got) != "\x01\x02\x03" {
		t.Errorf("got %x, %v", got, err)
	}
}

func TestTextBehindTheLastValueIsRefused(t *testing.T) {
	c := codecOf(t, compile(t, everything), "Old")
	r := interp.NewJSONReader(strings.NewReader(`{"a":1} 5`))
	if err := c.ReadJSON(r, new(interp.Spool), interp.ByteMode); err != nil {
		t.Fatal(err)
	}
	checkRefusal(t, r.End(), interp.ErrJSONInvalid, 8, "")
}

// TestNamesThatAreNearlyRightAreTold looks at what a person writes first.
func TestNamesThatAreNearlyRightAreTold(t *testing.T) {
	program := compile(t, "package s; union Command { Stop = 1, Go(u8) = 2 } message Ask { command: Command, count: u8 }")
	for text, want := range map[string]string{
		`{"command":"Stop","count":1}`:            `write {"Stop": null}`,
		`{"command":"Go","count":1}`:              `write {"Go": …}, with its payload`,
		`{"command":"stop","count":1}`:            `Command has no alternative "stop"`,
		`{"command":{"Stop":null},"cuont":1}`:     `the member is missing, and "cuont" is none`,
		`{"command":{"Stop":null},"x":1,"y":[2]}`: `the member is missing, and "x" is none`,
		`{"command":{"Stop":null}}`:               `the member is missing`,
	} {
		_, err := codecOf(t, program, "Ask").ParseJSON([]byte(text), interp.ByteMode)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
