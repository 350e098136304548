package sdp

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestJSONIsReadInWhateverOrderAndSpacing(t *testing.T) {
	var v sampleRegistry
	err := ReadJSON([]byte(" {\n\t\"total\" : \"9\" , \"extra\": {\"a\":[1,{}],\"a\":2}, \"plugins\":[ {\"kind\":\"1\",\"on\":true,\"g\":1.5,\"name\":\"E\\u0051\"} ,{\"name\":\"\",\"g\":-0,\"on\":false,\"note\":\"\\ud83d\\ude00\",\"kind\":77}], \"$unknown\":\"\" }\r\n"), &v)
	want := sampleRegistry{Total: 9, unknown: []byte{}, Plugins: []samplePlugin{
		{Name: "EQ", Gain: 1.5, On: true, Kind: 1}, {Note: Some("😀"), Kind: 77},
	}}
	want.Plugins[1].Gain = v.Plugins[1].Gain
	if err != nil || !reflect.DeepEqual(v, want) {
		t.Errorf("got %+v, %v", v, err)
	}
	if got := string(AppendJSONFloat32(nil, v.Plugins[1].Gain)); got != "-0" {
		t.Errorf("-0 came back as %s", got)
	}
}

func TestMissingMembersTakeTheirMissingValues(t *testing.T) {
	v := sampleRegistry{Total: 1, When: Some(time.Time{}), unknown: []byte{1}}
	err := ReadJSON([]byte(`{"plugins":[]}`), &v)
	if err != nil || !reflect.DeepEqual(v, sampleRegistry{Total: 7}) {
		t.Errorf("got %+v, %v", v, err)
	}
}

func TestWhatWasWrittenIsReadTheSame(t *testing.T) {
	for _, text := range []string{
		`{"Loaded":{"name":"EQ \"1\"","g":0.1,"on":true,"note":null,"kind":"Effect"}}`,
		`{"Loaded":{"name":"","g":"NaN:7fc00001","on":false,"note":"","kind":200}}`,
		`{"Changed":{"grid":[[-32768,32767],[]],"m":{"-128":true,"-1":false,"0":true,"127":true}}}`,
		`{"Stopped":null}`,
		`{"In":{"In":{"Stopped":null}}}`,
		`{"$unknown":{"tag":9,"payload":"qrs="}}`,
	} {
		var v sampleEvent
		err := ReadJSON([]byte(text), &v)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := canonical(&v); got != text {
			t.Errorf("%s came back as %s", text, got)
		}
	}
}

// canonical is the JSON of what v points to, or why there is none.
func canonical(v any) string {
	text, err := AppendJSON(nil, v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// event and registry read a whole value and say why not.
func event(text string) error {
	return ReadJSON([]byte(text), new(sampleEvent))
}

func registry(text string) error {
	return ReadJSON([]byte(text), new(sampleRegistry))
}

func TestJSONRefusalsNameOffsetAndPath(t *testing.T) {
	const plugin = `{"name":"a","g":1,"on":true,"note":null,"kind":0}`
	for _, c := range []struct {
		name   string
		read   func(string) error
		text   string
		offset int
		path   string
	}{
		{"nothing", event, ``, 0, ""},
		{"a cut text", registry, `{"plugins":[`, 12, ""},
		{"a second value", event, `{"Stopped":null} {}`, 17, ""},
		{"a byte order mark", event, "\ufeff" + `{"Stopped":null}`, 0, ""},
		{"a broken literal", event, `{"Stopped":nul}`, 14, ""},
		{"a trailing comma", event, `{"Stopped":null,}`, 16, ""},
		{"syntax before sense", registry, `{"plugins":5,"total":tru}`, 24, ""},
		{"half a surrogate pair", registry, `{"plugins":[{"name":"\ud800x"}]}`, 21, ""},
		{"the other half", registry, `{"plugins":[{"name":"a\udc00"}]}`, 22, ""},
		{"two first halves", registry, `{"plugins":[{"name":"\ud800\ud800"}]}`, 21, ""},
		{"half a pair at the end", registry, `{"extra":"\\\uDBFF"}`, 12, ""},
		{"half a pair in a key", registry, `{"\ud900":1}`, 2, ""},
		{"half a pair before a broken literal", registry, `{"\ud900":tru}`, 2, ""},
		{"half a pair before a second value", registry, `"\ud83d" x`, 1, ""},
		{"half a pair before bad UTF-8", registry, "\"\\ud83d\xff\"", 1, ""},
		{"half a pair before another escape", registry, `"\ud83d\x"`, 1, ""},
		{"half a pair behind bad UTF-8", registry, "\"\xff\\ud83d\"", 1, ""},
		{"half a pair behind a broken literal", registry, `[tru,"\ud83d"]`, 4, ""},
		{"half a pair before the end of the text", registry, `"\ud83d`, 7, ""},
		{"half a pair and a backslash before the end", registry, `"\ud83d\`, 8, ""},
		{"half a pair and half an escape before the end", registry, `"\ud83d\ude0`, 12, ""},
		{"half a pair and a broken escape", registry, `"\ud83d\u12g4"`, 11, ""},
		{"a broken escape", registry, `"\u12g4"`, 5, ""},
		{"bad UTF-8", registry, "{\"extra\":\"ab\xff\"}", 12, ""},
		{"10,001 brackets", registry, `{"extra":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + `}`, 10_008, ""},
		{"10,000 brackets", registry, `{"extra":` + strings.Repeat("[", 9_999) + strings.Repeat("]", 9_999) + `}`, 0, "plugins"},

		{"a list for an object", event, ` []`, 1, ""},
		{"null for an object", event, `null`, 0, ""},
		{"an object for a list", registry, `{"plugins":{}}`, 11, "plugins"},
		{"null for a list", registry, `{"plugins":null}`, 11, "plugins"},
		{"null for an element", registry, `{"plugins":[null]}`, 12, "plugins[0]"},
		{"a number for a string", event, `{"Loaded":{"name":5}}`, 18, "Loaded.name"},
		{"a string for a bool", event, `{"Loaded":{"name":"","g":1,"on":"true"}}`, 32, "Loaded.on"},
		{"a float that is too large, under its schema's name", event, `{"Loaded":{"name":"","g":1e39}}`, 25, "Loaded.gain"},
		{"an enum's unknown name", event, `{"Loaded":{"kind":"effect"}}`, 18, "Loaded.kind"},
		{"an enum's number out of range", event, `{"Loaded":{"kind":256}}`, 18, "Loaded.kind"},
		{"a timestamp of another form", registry, `{"plugins":[],"when":"2020-01-01"}`, 21, "when"},
		{"an unknown member", event, `{"Loaded":{"name":"", "gain":1}}`, 22, "Loaded"},
		{"a doubled member", event, `{"Loaded":{"name":"","g":1,"name":""}}`, 27, "Loaded.name"},
		{"a missing member, the first of two", event, `{"Loaded": {"name":"","kind":0,"note":null}}`, 11, "Loaded.gain"},
		{"a missing member of an element", registry, `{"plugins":[` + plugin + `,{}]}`, 62, "plugins[1].name"},
		{"a doubled member of a message", registry, `{"plugins":[],"x":1,"x":2,"total":1,"total":1}`, 36, "total"},
		{"a missing member of a message", registry, `{"total":1}`, 0, "plugins"},
		{"$unknown in a struct", event, `{"Loaded":{"$unknown":""}}`, 11, "Loaded"},
		{"a kept tail that isn't base64", registry, `{"plugins":[],"$unknown":"!"}`, 25, ""},
		{"a doubled kept tail", registry, `{"plugins":[],"$unknown":"","$unknown":""}`, 28, ""},

		{"a union without a member", event, `{}`, 0, ""},
		{"a union with two", event, `{"Stopped":null,"Loaded":5}`, 16, ""},
		{"a union with the same twice", event, `{"Stopped":null,"Stopped":null}`, 16, ""},
		{"an alternative that isn't one", event, `{"In":{"stopped":null}}`, 7, "In"},
		{"a payload where there is none", event, `{"Stopped":{}}`, 11, "Stopped"},
		{"no payload where there is one", event, `{"Loaded":null}`, 10, "Loaded"},
		{"$unknown with tag 0", event, `{"$unknown":{"tag":0,"payload":""}}`, 19, ""},
		{"$unknown with a known tag", event, `{"In":{"$unknown":{"payload":"","tag":3}}}`, 38, "In"},
		{"$unknown with tag 256", event, `{"$unknown":{"tag":256,"payload":""}}`, 19, ""},
		{"$unknown without a payload", event, `{"$unknown":{"tag":9}}`, 12, ""},
		{"$unknown without a tag", event, `{"$unknown":{"payload":""}}`, 12, ""},
		{"$unknown with more", event, `{"$unknown":{"tag":9,"payload":"","x":1}}`, 34, ""},
		{"$unknown doubled", event, `{"$unknown":{"tag":9,"tag":9}}`, 21, ""},

		{"an element too many", event, `{"Changed":{"grid":[[],[],[]]}}`, 26, "Changed.grid[2]"},
		{"an element too few", event, `{"Changed":{"grid":[[]],"m":{}}}`, 19, "Changed.grid"},
		{"an element of an element", event, `{"Changed":{"grid":[[],[1,32768]]}}`, 26, "Changed.grid[1][1]"},
		{"a key that is no number", event, `{"Changed":{"grid":[[],[]],"m":{"1":true,"x":true}}}`, 41, "Changed.m[1].key"},
		{"a key out of range", event, `{"Changed":{"grid":[[],[]],"m":{"128":true}}}`, 32, "Changed.m[0].key"},
		{"a doubled key", event, `{"Changed":{"grid":[[],[]],"m":{"1":true,"0":true,"\u0031":true}}}`, 50, "Changed.m[2].key"},
		{"a value", event, `{"Changed":{"grid":[[],[]],"m":{"1":true,"2":1}}}`, 45, "Changed.m[1].value"},

		{"depth 65", event, strings.Repeat(`{"In":`, 64) + `{"Stopped":null}` + strings.Repeat("}", 64), 64 * 6, strings.TrimSuffix(strings.Repeat("In.", 64), ".")},
		{"depth 65 of a struct", event, strings.Repeat(`{"In":`, 63) + `{"Loaded":5}` + strings.Repeat("}", 63), 63*6 + 10, strings.Repeat("In.", 63) + "Loaded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := Error{Kind: ErrJSONInvalid, Offset: c.offset, Path: c.path}
			if got, ok := c.read(c.text).(*Error); !ok || *got != want {
				t.Errorf("got %v, want %v", got, &want)
			}
		})
	}
	if err := event(strings.Repeat(`{"In":`, 63) + `{"Stopped":null}` + strings.Repeat("}", 63)); err != nil {
		t.Errorf("depth 64: %v", err)
	}
}

// Values that were read are compared in their canonical form.
func TestScalarsAreReadInTheirFormsOnly(t *testing.T) {
	closed := &EnumTable{Bits: 16, Signed: true, Closed: true, Members: []EnumMember{{Name: "Low", Number: -1}, {Name: "High", Number: 300}}}
	for _, c := range []struct {
		name    string
		read    func(r *jsonReader) []byte
		want    map[string]string
		refused []string
	}{
		{
			"i8", func(r *jsonReader) []byte { return scalar(r.Int(8)) },
			map[string]string{`-128`: `"-128"`, `"127"`: `"127"`, `0`: `"0"`, `"0"`: `"0"`, `"-1"`: `"-1"`},
			[]string{`128`, `-129`, `1.0`, `1e1`, `-0`, `"-0"`, `"+1"`, `"01"`, `"1 "`, `""`, `"0x1"`, `"-"`, `true`, `null`, `[]`, `{}`, `"1_0"`},
		},
		{
			"u64", func(r *jsonReader) []byte { return scalar(r.Uint(64)) },
			map[string]string{`18446744073709551615`: `"18446744073709551615"`, `"18446744073709551615"`: `"18446744073709551615"`},
			[]string{`18446744073709551616`, `-1`, `"-1"`, `-0`, `0.5`, `1E2`, `"٣"`},
		},
		{
			"f32", func(r *jsonReader) []byte { return AppendJSONFloat32(nil, r.Float32()) },
			map[string]string{
				`1`: `1`, `-0.0`: `-0`, `1e-50`: `0`, `0.1`: `0.1`, `16777217`: `16777216`, `16777217.000000001`: `16777218`, `"NaN"`: `"NaN"`,
				`"NaN:7fc00000"`: `"NaN"`, `"NaN:ff800001"`: `"NaN:ff800001"`, `"Infinity"`: `"Infinity"`, `"-Infinity"`: `"-Infinity"`,
				// The last text that rounds down to the largest f32, not up to infinity.
				`3.4028235677973361e38`: `3.4028235e+38`,
			},
			[]string{`1e39`, `"1"`, `"nan"`, `"+Infinity"`, `"NaN:7FC00001"`, `"NaN:7f800000"`, `"NaN:3f800000"`, `"NaN:7ff8000000000001"`, `"NaN:"`, `"NaN:0x7fc001"`, `"Inf"`},
		},
		{
			"f64", func(r *jsonReader) []byte { return AppendJSONFloat64(nil, r.Float64()) },
			map[string]string{`1e308`: `1e+308`, `"NaN:7ff0000000000001"`: `"NaN:7ff0000000000001"`, `1e-400`: `0`, `-1e-400`: `-0`},
			[]string{`1e309`, `-1e309`, `"NaN:7fc00001"`, `"NaN:7ff0000000000000"`, `true`},
		},
		{
			"bytes", func(r *jsonReader) []byte { return appendJSONBytes(nil, r.Bytes()) },
			map[string]string{`""`: `""`, `"AA=="`: `"AA=="`, `"+/8="`: `"+/8="`, `"\u0041A=="`: `"AA=="`},
			[]string{`"AA"`, `"AB=="`, `"-_8="`, `"A\nA=="`, `"AA==\r\n"`, `"AA== "`, `"AA==AA=="`, `[1]`, `"="`},
		},
		{
			"timestamp", func(r *jsonReader) []byte { return appendJSONTimestamp(nil, r.Timestamp()) },
			map[string]string{`"2026-11-21T03:26:00.500Z"`: `"2026-11-21T03:26:00.5Z"`, `"1969-12-31T23:59:59.000000000Z"`: `"1969-12-31T23:59:59Z"`},
			[]string{
				`"2026-11-21T03:26:00+00:00"`, `"2026-11-21t03:26:00Z"`, `"2026-11-21T03:26:00z"`, `"2026-02-29T00:00:00Z"`, `"2026-13-01T00:00:00Z"`,
				`"2026-01-01T24:00:00Z"`, `"2026-01-01T00:00:60Z"`, `"2026-01-01T00:60:00Z"`, `"2026-01-01T0:00:00Z"`, `"2026-01-01T00:00:00,5Z"`,
				`"2026-01-01T00:00:00.Z"`, `"2026-01-01T00:00:00.1234567890Z"`, `"2026-01-01T00:00:00"`, `"2026-01-01 00:00:00Z"`, `"02026-01-01T00:00:00Z"`,
				`"0001-01-01T00:00:00Z"`, `"2262-04-11T23:47:16.854775808Z"`, `"1677-09-21T00:12:43.145224191Z"`, `"9999-12-31T23:59:59Z"`, `0`, `""`,
				`"2026-01-00T00:00:00Z"`, `"2026-01-01T00:00:00.+1Z"`, `"2026-01-01T00:00:00ZZ"`,
			},
		},
		{
			"duration", func(r *jsonReader) []byte { return appendJSONDuration(nil, r.Duration()) },
			map[string]string{`"1.500s"`: `"1.5s"`, `"-0s"`: `"0s"`, `"-0.000000001s"`: `"-0.000000001s"`, `"60s"`: `"60s"`},
			[]string{
				`"1"`, `"s"`, `".5s"`, `"1.s"`, `"01s"`, `"+1s"`, `"1m"`, `"1.1234567890s"`, `"9223372036.854775808s"`, `"-9223372036.854775809s"`,
				`"9223372037s"`, `"99999999999999999999s"`, `"--1s"`, `"1e1s"`, `" 1s"`, `1`, `""`, `"-s"`, `"1.-5s"`, `"9223372036854775808s"`,
			},
		},
		{
			"uuid", func(r *jsonReader) []byte { return appendJSONUUID(nil, r.UUID()) },
			map[string]string{`"F81D4FAE-7dec-11d0-a765-00a0c91e6bf6"`: `"f81d4fae-7dec-11d0-a765-00a0c91e6bf6"`},
			[]string{`"f81d4fae7dec11d0a76500a0c91e6bf6"`, `""`, `5`},
		},
		{
			"closed enum", func(r *jsonReader) []byte { return appendJSONEnum(nil, r.Enum(closed), closed) },
			map[string]string{`"Low"`: `"Low"`, `-1`: `"Low"`, `"300"`: `"High"`},
			[]string{`0`, `"low"`, `"1"`, `300.0`, `65535`, `null`},
		},
		{
			"null", func(r *jsonReader) []byte { r.Null(); return []byte("null") },
			map[string]string{`null`: `null`},
			[]string{`0`, `"null"`, `{}`, `[]`, `false`},
		},
	} {
		for text, want := range c.want {
			r := newJSONReader([]byte(text))
			got := c.read(r)
			if r.Err() != nil || string(got) != want {
				t.Errorf("%s: %s was read as %s, %v; want %s", c.name, text, got, r.Err(), want)
			}
		}
		for _, text := range c.refused {
			r := newJSONReader([]byte(text))
			got := c.read(r)
			want := Error{Kind: ErrJSONInvalid}
			if err, ok := r.Err().(*Error); !ok || *err != want {
				t.Errorf("%s: %s was read as %s, %v", c.name, text, got, r.Err())
			}
		}
	}
}

func TestKeysAreReadInTheirFormsOnly(t *testing.T) {
	kind := &EnumTable{Bits: 8, Members: []EnumMember{{Name: "Effect", Number: 0}}}
	for _, c := range []struct {
		text    string
		read    func(r *jsonReader) any
		want    any
		refused bool
	}{
		{`{"255":0}`, func(r *jsonReader) any { return r.KeyUint(8) }, uint64(255), false},
		{`{"256":0}`, func(r *jsonReader) any { return r.KeyUint(8) }, uint64(0), true},
		{`{"true":0}`, func(r *jsonReader) any { return r.KeyBool() }, true, false},
		{`{"false":0}`, func(r *jsonReader) any { return r.KeyBool() }, false, false},
		{`{"0":0}`, func(r *jsonReader) any { return r.KeyBool() }, false, true},
		{`{"Effect":0}`, func(r *jsonReader) any { return r.KeyEnum(kind) }, int64(0), false},
		{`{"9":0}`, func(r *jsonReader) any { return r.KeyEnum(kind) }, int64(9), false},
		{`{"09":0}`, func(r *jsonReader) any { return r.KeyEnum(kind) }, int64(0), true},
	} {
		r := newJSONReader([]byte(c.text))
		r.Map()
		if !r.Next() {
			t.Fatalf("%s: no entry", c.text)
		}
		got := c.read(r)
		want := Error{Kind: ErrJSONInvalid, Offset: 1, Path: "[0].key"}
		if err, ok := r.Err().(*Error); ok != c.refused || ok && *err != want || !ok && got != c.want {
			t.Errorf("%s: got %v, %v", c.text, got, r.Err())
		}
	}
}

func FuzzJSONReader(f *testing.F) {
	for _, text := range []string{
		`{"Loaded":{"name":"EQ","g":0.1,"on":true,"note":null,"kind":"Effect"}}`,
		`{"Changed":{"grid":[[-32768,32767],[]],"m":{"-128":true,"-1":false}}}`,
		`{"Stopped":null}`, `{"In":{"In":{"Stopped":null}}}`, `{"$unknown":{"tag":9,"payload":"qrs="}}`,
		`{"plugins":[],"when":"2020-01-01T00:00:00Z","total":"5","$unknown":"AA==","x":[{}]}`, `{"\ud800":"\udc00"}`, "[", "",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err, ok := registry(string(text)).(*Error); ok && (err.Offset < 0 || err.Offset > len(text)) {
			t.Fatalf("offset %d of %d bytes", err.Offset, len(text))
		}
		var v, again sampleEvent
		err := ReadJSON(text, &v)
		if err, ok := err.(*Error); ok {
			if err.Kind != ErrJSONInvalid || err.Offset < 0 || err.Offset > len(text) {
				t.Fatalf("%v of %d bytes", err, len(text))
			}
			return
		}
		written := canonical(&v)
		err = ReadJSON([]byte(written), &again)
		if got := canonical(&again); err != nil || got != written {
			t.Fatalf("%s came back as %s, %v", written, got, err)
		}
	})
}
