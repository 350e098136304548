package syntax

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/diag"
)

// constants parses `const` statements and returns their values by name.
func constants(t *testing.T, text string) map[string]*Value {
	t.Helper()
	values := map[string]*Value{}
	for _, d := range parse(t, text).Declarations {
		c := d.(*Const)
		values[c.Name.Text] = c.Value
	}
	return values
}

func TestIntegersHaveSignAndMagnitude(t *testing.T) {
	for text, want := range map[string]Value{
		"0": {}, "00012": {Magnitude: 12}, "1_000": {Magnitude: 1000}, "-1": {Negative: true, Magnitude: 1}, "-0": {Negative: true},
		"0xfF": {Magnitude: 255}, "-0x1_0": {Negative: true, Magnitude: 16}, "0b1_01": {Magnitude: 5}, "0xE": {Magnitude: 14}, "0x1e5": {Magnitude: 0x1e5},
		"18446744073709551615": {Magnitude: math.MaxUint64}, "0xFFFFFFFFFFFFFFFF": {Magnitude: math.MaxUint64},
	} {
		v := constants(t, "const A: u8 = "+text+";")["A"]
		if v.Kind != IntegerValue || v.Negative != want.Negative || v.Magnitude != want.Magnitude {
			t.Errorf("%s is %+v", text, v)
		}
	}
}

func TestFloatsAreTheNearest(t *testing.T) {
	for text, want := range map[string]float64{
		"0.5": 0.5, "-1.5": -1.5, "1e3": 1000, "1E-3": 0.001, "1_0.2_5e+1_0": 10.25e10, "-0.0": math.Copysign(0, -1), "1e-400": 0,
	} {
		v := constants(t, "const A: f64 = "+text+";")["A"]
		if v.Kind != FloatValue || math.Float64bits(v.Float) != math.Float64bits(want) {
			t.Errorf("%s is %+v", text, v)
		}
	}
}

func TestRangeIsNotAFloat(t *testing.T) {
	e := parse(t, "enum E: u8 { A = 1, reserved 7..9, 10 .. 11; }").Declarations[0].(*Enum)
	items := e.Reserved[0].Items
	if len(items) != 2 || items[0].First.Magnitude != 7 || items[0].Last.Magnitude != 9 || items[1].Last.Magnitude != 11 {
		t.Errorf("items %+v", items)
	}
}

func TestStringsReplaceTheirEscapes(t *testing.T) {
	for text, want := range map[string]string{
		`""`: "", `"a b"`: "a b", `"\"\\\n\r\t\0"`: "\"\\\n\r\t\x00",
		`"\u{41}\u{2603}\u{10FFFF}\u{00000a}"`: "A☃\U0010FFFF\n", `"é // /*"`: "é // /*", "\"\t\"": "\t",
	} {
		v := constants(t, "const A: str = "+text+";")["A"]
		if v.Kind != StringValue || v.Text != want {
			t.Errorf("%s is %q, want %q", text, v.Text, want)
		}
	}
}

func TestByteOrderMarkAndLineEndsAreWhiteSpace(t *testing.T) {
	file := parse(t, "\uFEFFpackage a;\r\n\r\n/// Doc.\r\nstruct S {\r\n\ta: u8,\r\n}\r\n")
	if file.Package.Name.String() != "a" || file.Declarations[0].DeclarationHead().Docs[0].Text() != "Doc." {
		t.Errorf("%+v", file)
	}
	if got := file.Declarations[0].DeclarationHead().Span.String(); got != "test.sdp:4:1" {
		t.Errorf("the struct is at %s", got)
	}
}

func TestDocumentationIsLinesBeforeAName(t *testing.T) {
	file := parse(t, `//! File one.
/* between */ //! File two.
// ordinary
package p;
//! not at the top
struct A { /// on the line of a brace
	/// a one
	//// a line
	// ordinary
	/// a two

	@len(u8) /// behind an attribute
	a: str, /// behind a
	b: u8, /* block */
	/* block */ /// c
	c: u8,
	/// before the brace
}
/// U
@closed
/// not U
union U { /// not X
	/// X
	X { /// not x
		/// x
		x: u8 } = 1 }
`)
	var got []string
	add := func(name string, docs []Comment) {
		for _, d := range docs {
			got = append(got, name+"="+d.Text())
		}
	}
	add("file", file.Docs)
	a := file.Declarations[0].(*Struct)
	add("A", a.Docs)
	for _, f := range a.Fields {
		add(f.Name.Text, f.Docs)
	}
	u := file.Declarations[1].(*Union)
	add("U", u.Docs)
	add("X", u.Alternatives[0].Docs)
	add("x", u.Alternatives[0].Inline.Fields[0].Docs)
	want := "file=File one.|file=File two.|a=a one|a=a two|c=c|U=U|X=X|x=x"
	if strings.Join(got, "|") != want {
		t.Errorf("documentation is\n%s\nwant\n%s", strings.Join(got, "|"), want)
	}
	if len(file.Comments) != 22 {
		t.Errorf("%d comments are kept, want 22", len(file.Comments))
	}
}

func TestProblemsOfOneFileAreBounded(t *testing.T) {
	var problems diag.List
	file := Parse("t.sdp", strings.Repeat("};", 1<<20), &problems)
	if !problems.Full() || file == nil {
		t.Errorf("%d problems are kept, and the list is not full", problems.Len())
	}
}

func TestTypesNestInTextUpToTheLimit(t *testing.T) {
	for _, constructor := range []string{"[]", "[2]", "?", "Option<", "Box<", "map<u8, "} {
		text := func(depth int) string {
			closing := ""
			if strings.HasSuffix(constructor, "<") || strings.HasSuffix(constructor, " ") {
				closing = strings.Repeat(">", depth)
			}
			return "type A = " + strings.Repeat(constructor, depth) + "u8" + closing + ";"
		}
		field := func(depth int) string {
			alias := strings.TrimPrefix(text(depth), "type A = ")
			return "struct S {\n    a: " + strings.TrimSuffix(alias, ";") + ",\n    b: u8,\n}"
		}
		for _, text := range []func(int) string{text, field} {
			parse(t, text(TypeNestingMax))
			for _, depth := range []int{TypeNestingMax + 1, 100 * TypeNestingMax} {
				var problems diag.List
				Parse("t.sdp", text(depth), &problems)
				if problems.Len() != 1 || problems.Sorted()[0].Code != CodeTypeNesting {
					t.Errorf("%d of %s: %d problems", depth, constructor, problems.Len())
				}
			}
		}
	}
}

func TestBracketsMayBeOpenUpToTheLimit(t *testing.T) {
	for open, want := range map[int]bool{bracketsMax - 1: false, bracketsMax: true} {
		var problems diag.List
		Parse("t.sdp", strings.Repeat("{", open), &problems)
		found := false
		for _, d := range problems.Sorted() {
			found = found || d.Code == codeBracketsTooDeep
		}
		if found != want {
			t.Errorf("%d open brackets: refused %v, want %v", open, found, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"diag/*.sdp", "valid/*.sdp", "format/*.sdp"} {
		paths, err := filepath.Glob(filepath.Join("../testdata", pattern))
		if err != nil || len(paths) == 0 {
			f.Fatalf("no seeds %s: %v", pattern, err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(text))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		var problems diag.List
		file := Parse("t.sdp", text, &problems)
		end := 0
		for _, c := range file.Comments {
			if c.Span.Start < end || c.Span.End > len(text) {
				t.Fatalf("comment at %d..%d is out of order", c.Span.Start, c.Span.End)
			}
			end = c.Span.End
		}
		end = 0
		for _, d := range file.Declarations {
			span := d.DeclarationHead().Span
			if span.Start < end || span.End > len(text) || span.Start >= span.End {
				t.Fatalf("declaration at %d..%d is out of order", span.Start, span.End)
			}
			end = span.End
		}
		for _, d := range problems.Sorted() {
			if d.Message == "" || d.Span.IsZero() {
				t.Fatalf("a problem says nothing: %s", fmt.Sprint(*d))
			}
		}
		if file.Incomplete && !problems.HasErrors() {
			t.Fatal("a file is incomplete, and nothing was reported")
		}
	})
}
