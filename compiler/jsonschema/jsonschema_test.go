package jsonschema_test

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/internal/golden"
	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/jsonschema"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

func compiled(t *testing.T, text string) *plan.Program {
	t.Helper()
	schema, problems := check.Program(check.Memory{"s.sdp": text}, []string{"s.sdp"}, func(*syntax.File) string { return "" })
	if schema == nil {
		t.Fatalf("%+v", problems.Sorted()[0])
	}
	return plan.New(schema)
}

func written(t *testing.T, program *plan.Program, d ir.Decl, options jsonschema.Options) string {
	t.Helper()
	var out strings.Builder
	if err := jsonschema.Write(&out, program.Schema, d, options); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// every has each construct once.
const every = `//! Everything that a schema can have.
package every;

/// The use of a plug-in.
enum Kind: u8 {
    /// It changes sound.
    Effect = 0,
    @deprecated("it is an Effect") Filter = 1,
}
@closed enum State: i64 { Off = -1, @name(json = "running") On = 1 }
enum Plain: u16 { A = 1 }
struct Point { x: f32, y: f64 }
/// One of these.
union Shape {
    Dot(Point) = 1,
    /// Around a point.
    Circle { center: Point, radius: f32 } = 2,
    Nothing = 200,
}
@closed union Answer { Yes = 1, No = 2 }
@keep_unknown
message Tree {
    /// Its name: <b> & more.
    @name(json = "theName") name: @max(10) str,
    short: @len(u8) str,
    parts: []Tree,
    shape: ?Shape,
    kind: Kind,
    states: map<State, bool>,
    kinds: map<Plain, Answer>,
    ages: map<i16, duration>,
    flags: @max(2) map<bool, timestamp>,
    notes: map<@max(3) str, uuid>,
    four: [4]u8,
    raw: bytes,
    three: @max(3) bytes,
    seven: @max(7) bytes,
    eight: @max(8) bytes,
    some: @max(5) []u64,
    @since(2) volume: f32 = 0.5,
    @since(2) since: timestamp = 0,
    @since(2) state: State = On,
    @since(2) title: ?str = "a \"b\"",
    @since(3) @deprecated("nobody looks at it") old: i64 = -3,
}
`

func TestEachConstructIsWritten(t *testing.T) {
	program := compiled(t, every)
	root := program.Schema.Roots[0]
	for _, d := range root.Decls {
		if d.DeclName() == "Tree" {
			golden.Compare(t, "testdata/tree.json", written(t, program, d, jsonschema.Options{}))
			golden.Compare(t, "testdata/short.json", string(jsonschema.Of(d))+"\n")
		}
	}
	golden.Compare(t, "testdata/all.json", written(t, program, nil, jsonschema.Options{Strict: true, ID: "https://example.com/every"}))
}

// patterns are all that apply to a definition's texts.
func patterns(t *testing.T, schema, name string) []*regexp.Regexp {
	t.Helper()
	type part struct {
		Type, Pattern string
		AnyOf, AllOf  []part
	}
	var all struct {
		Defs map[string]part `json:"$defs"`
	}
	if err := json.Unmarshal([]byte(schema), &all); err != nil {
		t.Fatal(err)
	}
	found, there := all.Defs[name]
	if !there {
		t.Fatalf("there is no definition %s", name)
	}
	for _, one := range found.AnyOf {
		if one.Type == "string" {
			found = one
		}
	}
	var made []*regexp.Regexp
	for _, one := range append(found.AllOf, found) {
		if one.Pattern == "" {
			t.Fatalf("a part of %s has no pattern", name)
		}
		made = append(made, regexp.MustCompile(one.Pattern))
	}
	return made
}

// ends are texts at the bounds of a pattern, of which others are made.
var ends = strings.Fields(`
0 1 -1 9 10 99 100 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 2147483648 -2147483648 -2147483649 4294967295 4294967296
9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809 18446744073709551615 18446744073709551616
Infinity -Infinity NaN NaN:7fc00000 NaN:7f800001 NaN:ff800000 NaN:7ff0000000000001 NaN:fff8000000000000
1677-09-21T00:12:43.145224192Z 2262-04-11T23:47:16.854775807Z 2000-02-29T23:59:59.5Z 2024-12-31T00:00:00Z
0s -0s 1.5s 9223372036.854775807s -9223372036.854775808s 9223372035.999999999s
00112233-4455-6677-8899-aabbccddeeff AA== AAA= AAAA AAAAAA==
`)

const characters = "0123456789-.:TZsNaInfity+/=eABf \n"

// TestPatternsAcceptWhatReadingDoes holds each pattern against the reader of JSON, on texts near
// the pattern's bounds.
func TestPatternsAcceptWhatReadingDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	names := []string{"bytes"}
	for _, kind := range ir.Scalars() {
		if kind.Class() != ir.BoolClass {
			names = append(names, kind.String())
		}
	}
	for _, name := range names {
		program := compiled(t, "package s; struct S { v: "+name+" }")
		codec, err := interp.New(program, program.Schema.Roots[0].Decls[0])
		if err != nil {
			t.Fatal(err)
		}
		definition := name
		schema := written(t, program, codec.Decl(), jsonschema.Options{})
		if strings.Contains(schema, `"`+name+`-text": {`) {
			definition += "-text"
		}
		all := patterns(t, schema, definition)
		accepted := 0
		for range 5_000 {
			text := []byte(ends[rng.IntN(len(ends))])
			for range rng.IntN(3) {
				i := rng.IntN(len(text) + 1)
				one := characters[rng.IntN(len(characters))]
				switch {
				case i == len(text):
					text = append(text, one)
				case rng.IntN(4) == 0:
					text = append(text[:i], text[i+1:]...)
				default:
					text[i] = one
				}
			}
			matches := true
			for _, pattern := range all {
				matches = matches && pattern.Match(text)
			}
			value, err := json.Marshal(map[string]string{"v": string(text)})
			if err != nil {
				t.Fatal(err)
			}
			_, refused := codec.ParseJSON(value, interp.ByteMode)
			if matches != (refused == nil) {
				t.Fatalf("the pattern of %s says %t of %q, and reading it %v", name, matches, text, refused)
			}
			if matches {
				accepted++
			}
		}
		if accepted < 20 {
			t.Errorf("only %d texts of %s were accepted", accepted, name)
		}
	}
}

// TestShortPatternsAcceptNoLess holds the patterns of short schemas against the exact ones: each
// text that is a value fits both.
func TestShortPatternsAcceptNoLess(t *testing.T) {
	long := 0
	for _, kind := range ir.Scalars() {
		if kind.Class() == ir.BoolClass {
			continue
		}
		// A map's keys are texts of each integer.
		field := kind.String()
		if kind.Class() == ir.UnsignedClass || kind.Class() == ir.SignedClass {
			field = "map<" + field + ", bool>"
		}
		program := compiled(t, "package s; struct S { v: "+field+" }")
		d := program.Schema.Roots[0].Decls[0]
		exact := written(t, program, d, jsonschema.Options{})
		short := string(jsonschema.Of(d))
		name := kind.String()
		if field != name {
			name += "-text"
		}
		wide, narrow := patterns(t, short, name), patterns(t, exact, name)
		fits := func(patterns []*regexp.Regexp, text string) bool {
			return !slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return !p.MatchString(text) })
		}
		for _, text := range ends {
			if fits(narrow, text) && !fits(wide, text) {
				t.Errorf("the short pattern of %s refuses %q", kind, text)
			}
			if fits(wide, text) {
				long++
			}
		}
		if len(short) > 400 {
			t.Errorf("the schema of %s has %d bytes", kind, len(short))
		}
	}
	if long < 50 {
		t.Errorf("only %d texts fit", long)
	}
}

func TestSchemasForOthersStandByThemselves(t *testing.T) {
	program := compiled(t, every)
	for _, d := range program.Schema.Roots[0].Decls {
		if _, isEnum := d.(*ir.Enum); isEnum {
			continue
		}
		for _, text := range []json.RawMessage{jsonschema.Of(d), jsonschema.ListOf(d, "requests", "All of them.")} {
			var made struct {
				Type string
				ID   string                     `json:"$id"`
				Defs map[string]json.RawMessage `json:"$defs"`
			}
			if err := json.Unmarshal(text, &made); err != nil {
				t.Fatal(err)
			}
			if made.Type != "object" || made.ID != "" {
				t.Errorf("%s has type %q and $id %q", d.DeclName(), made.Type, made.ID)
			}
			for _, ref := range regexp.MustCompile(`"\$ref":"([^"]*)"`).FindAllSubmatch(text, -1) {
				name, inside := strings.CutPrefix(string(ref[1]), "#/$defs/")
				if !inside || made.Defs[name] == nil {
					t.Errorf("%s refers to %s, which is not there", d.DeclName(), ref[1])
				}
			}
		}
	}
}
