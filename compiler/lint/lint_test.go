package lint_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/internal/golden"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lint"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/source"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// everything switches all lints on.
var everything = lint.Options{Enable: lint.Codes.Codes()}

// common is a file that the tested files may import.
const common = "package common;\nstruct Gain { value: f32 }\nstruct badName { X: u8 }\n"

func compile(t testing.TB, text string) *ir.Schema {
	t.Helper()
	files := check.Memory{"s.sdp": text, "common.sdp": common, "other.sdp": "package other;\nstruct Unit { x: u8 }\n"}
	schema, problems := check.Program(files, []string{"s.sdp"}, func(*syntax.File) string { return "" })
	if problems.HasErrors() {
		t.Fatalf("the schema does not compile:\n%s\n%s", render(t, problems), text)
	}
	return schema
}

func run(t testing.TB, text string, options lint.Options) *diag.List {
	t.Helper()
	return lint.Run(plan.New(compile(t, text)), options)
}

func render(t testing.TB, list *diag.List) string {
	t.Helper()
	var text strings.Builder
	if err := diag.WriteText(&text, list.Sorted(), false); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func codesOf(list *diag.List) []diag.Code {
	var codes []diag.Code
	for _, d := range list.Sorted() {
		if !slices.Contains(codes, d.Code) {
			codes = append(codes, d.Code)
		}
	}
	return codes
}

// fix applies the first fix of every diagnostic.
func fix(list *diag.List) (string, int) {
	var file *source.File
	for _, d := range list.Sorted() {
		file = d.Span.File
	}
	return lint.Fixed(file, list.Sorted())
}

// schemas reads testdata: CODE.sdp is the schema that the lint of that code has
// something to say about.
func schemas(t *testing.T) map[diag.Code]string {
	t.Helper()
	found := map[diag.Code]string{}
	for _, code := range lint.Codes.Codes() {
		text, err := os.ReadFile(filepath.Join("testdata", string(code)+".sdp"))
		if err != nil {
			t.Errorf("lint %s has no test: %v", code, err)
			continue
		}
		found[code] = string(text)
	}
	return found
}

func TestEveryLintReportsAsReviewed(t *testing.T) {
	for code, text := range schemas(t) {
		t.Run(string(code), func(t *testing.T) {
			list := run(t, text, lint.Options{Enable: []diag.Code{code}})
			if codes := codesOf(list); !slices.Equal(codes, []diag.Code{code}) {
				t.Errorf("the file reports %v, want only its own code", codes)
			}
			golden.Compare(t, filepath.Join("testdata", string(code)+".txt"), render(t, list))
		})
	}
}

func TestFixesAreAsReviewedAndLeaveNothingToFix(t *testing.T) {
	fixable := map[diag.Code]bool{"L0101": true, "L0201": true, "L0901": true}
	for code, text := range schemas(t) {
		t.Run(string(code), func(t *testing.T) {
			fixed, applied := fix(run(t, text, everything))
			if applied == 0 {
				if fixable[code] {
					t.Error("nothing was fixed")
				}
				return
			}
			if !fixable[code] {
				t.Error("a lint without a mechanical fix was fixed")
			}
			golden.Compare(t, filepath.Join("testdata", string(code)+".fixed.sdp"), fixed)
			for _, d := range run(t, fixed, everything).Sorted() {
				if d.Code == code && len(d.Fixes) > 0 {
					t.Errorf("%s is reported again after its fix: %s", code, d.Message)
				}
			}
		})
	}
}

func TestWrittenIDsAreThoseByPosition(t *testing.T) {
	text := schemas(t)["L0101"]
	fixed, _ := fix(run(t, text, lint.Options{}))
	before, after := compile(t, text).Roots[0], compile(t, fixed).Roots[0]
	for i, d := range before.Decls {
		if now := ir.IDOf(after.Decls[i]); now.Value != ir.IDOf(d).Value || now.Positional {
			t.Errorf("%s had id %d by position and has %d", d.DeclName(), ir.IDOf(d).Value, now.Value)
		}
		if plan.Layout(d) != plan.Layout(after.Decls[i]) {
			t.Errorf("the fix changed the layout of %s", d.DeclName())
		}
	}
}

func TestWaiverSilencesWhatItStandsOn(t *testing.T) {
	const reason = `, "because")`
	for _, c := range []struct{ name, text string }{
		{"file", `@allow(L0302` + reason + ` package s; struct S { X: u8, Y: u8 }`},
		{"declaration", `package s; @allow(L0302` + reason + ` struct S { X: u8, Y: u8 }`},
		{"field", `package s; struct S { @allow(L0302` + reason + ` X: u8 }`},
		{"inline field by alternative", `package s; union U { @allow(L0302` + reason + ` A { X: u8 } = 1 }`},
		{"inline field by union", `package s; @allow(L0302` + reason + ` union U { A { X: u8 } = 1 }`},
		{"method", `package s; struct S { x: u8 } service T { @allow(L0302` + reason + ` event X(S) = 1; }`},
		{"member", `package s; struct S { x: E } enum E: u8 { @allow(L0301` + reason + ` a = 0 }`},
		{"constant", `package s; @allow(L0303` + reason + ` const a: u8 = 1;`},
		{"alias", `package s; @allow(L0301` + reason + ` type a = u8;`},
		{"order in an inline alternative", `package s; union U { @allow(L0102` + reason + ` A { a: u8, b: str, c: u8 } = 1 }`},
		{"order on the field", `package s; struct S { a: u8, b: str, @allow(L0102` + reason + ` c: u8 }`},
		{"memory of an alternative", `package s; union U { @allow(L0103` + reason + ` A([]@len(u8) bytes) = 1 }`},
		{"unused type", `package s; @id(1) struct S { x: u8 } @allow(L0202` + reason + ` enum E: u8 { A = 0 }`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if list := run(t, c.text, lint.Options{}); list.Len() > 0 {
				t.Errorf("reported in spite of the waiver:\n%s", render(t, list))
			}
			bare := c.text
			for start := strings.Index(bare, "@allow"); start >= 0; start = strings.Index(bare, "@allow") {
				bare = bare[:start] + bare[start+strings.Index(bare[start:], reason)+len(reason):]
			}
			if run(t, bare, lint.Options{}).Len() == 0 {
				t.Error("without the waiver nothing is reported, so that the test shows nothing")
			}
		})
	}
}

func TestOrdinarySchemasGetNoAdvice(t *testing.T) {
	for name, text := range map[string]string{
		"byte mode only":          "package s; struct A { x: u8 } struct B { y: str } enum Kind: u8 { A = 0 } type Gain = f32; const LIMIT: u8 = 1;",
		"ids and what they hold":  "package s; @id(1) struct A { b: []B, k: Kind, g: Gain } struct B { n: [LIMIT]u8 } enum Kind: u8 { A = 0 } type Gain = f32; const LIMIT: u8 = 2;",
		"services":                "package s; struct A { x: u8 } service Host { call list_all(A) -> A = 1; }",
		"an import":               `package s; import "common.sdp" as common; @id(1) struct A { g: common.Gain }`,
		"strings before numbers":  "package s; struct A { name: str, x: u8, y: f32 }",
		"numbers before strings":  "package s; struct A { x: u8, y: f32, name: str, unit: str }",
		"lists of usual elements": "package s; struct A { a: []str, b: [][]f32, c: []?u64, d: map<str, str>, e: []timestamp, f: []@len(u8) str, g: []U } union U { X(A) = 1, Y = 2 }",
		"recursion":               "package s; struct Node { children: []Node, next: ?Node, m: map<str, Node> }",
		"names with digits":       "package s; struct Vec3 { x1: f32, y_2: f32 } enum E: u8 { HTTP2 = 0 } const MAX_2: u8 = 1;",
	} {
		t.Run(name, func(t *testing.T) {
			if list := run(t, text, lint.Options{}); list.Len() > 0 {
				t.Errorf("reported:\n%s", render(t, list))
			}
		})
	}
}

func TestMemoryFactorIsFoundWhereverElementsAre(t *testing.T) {
	many := "x0: ?u8"
	for _, n := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"} {
		many += ", x" + n + ": timestamp"
	}
	for name, text := range map[string]string{
		"list of short lists":          "struct S { a: []@len(u8) []u16 }",
		"list of short bytes":          "struct S { a: []@len(u8) bytes }",
		"list in an optional":          "struct S { a: ?[]@len(u8) bytes }",
		"list in an array":             "struct S { a: [2][]@len(u8) bytes }",
		"list in a map":                "struct S { a: map<u64, []@len(u8) bytes> }",
		"map with small entries":       "struct S { a: map<u8, @len(u8) bytes> }",
		"message that grew":            "message M { @since(2) " + strings.ReplaceAll(many, ", ", ", @since(2) ") + " } struct S { a: []M }",
		"alternative that grew":        "message M { @since(2) " + strings.ReplaceAll(many, ", ", ", @since(2) ") + " } union U { A(M) = 1 } struct S { a: []U }",
		"optional message behind one":  "message M { @since(2) " + strings.ReplaceAll(many, ", ", ", @since(2) ") + " } struct E { n: str, m: ?M } struct S { a: []E }",
		"optional message in an array": "message M { @since(2) " + strings.ReplaceAll(many, ", ", ", @since(2) ") + " } struct S { a: [][2]?M }",
		"payload of an alternative":    "union U { A([]@len(u8) bytes) = 1 }",
		"payload of a closed union":    "message M { @since(2) a: [4]timestamp } @closed union U { A(M) = 1 } struct S { a: []U }",
		"large array of messages":      "message M { @since(2) a: [4]timestamp } struct S { a: [][20]M }",
		"optional strings":             "struct S { a: []?str }",
		"optional structs in place":    "struct P { x: u64, y: u64, z: u64 } struct S { a: []?P }",
		"map with short keys":          "struct S { a: map<@len(u8) str, u16> }",
	} {
		t.Run(name, func(t *testing.T) {
			if codes := codesOf(run(t, "package s; "+text, lint.Options{})); !slices.Contains(codes, "L0103") {
				t.Errorf("reported %v", codes)
			}
		})
	}
}

func TestOptionsSwitchLints(t *testing.T) {
	const text = "package s; struct s { X: u8 }"
	for _, c := range []struct {
		options lint.Options
		want    []diag.Code
	}{
		{lint.Options{}, []diag.Code{"L0301", "L0302"}},
		{lint.Options{Disable: []diag.Code{"L0301"}}, []diag.Code{"L0302"}},
		{lint.Options{Enable: []diag.Code{"L0401"}}, []diag.Code{"L0301", "L0401", "L0302"}},
		{lint.Options{Enable: []diag.Code{"L0401"}, Disable: []diag.Code{"L0401", "L0301"}}, []diag.Code{"L0302"}},
	} {
		if got := codesOf(run(t, text, c.options)); !slices.Equal(got, c.want) {
			t.Errorf("with %v: %v, want %v", c.options, got, c.want)
		}
	}
	if !lint.Known("L0401") || lint.OnByDefault("L0401") || !lint.OnByDefault("L0101") || lint.Known("S0001") || lint.OnByDefault("L9999") {
		t.Error("the lints and their defaults are not told right")
	}
}

func TestWaiverOfALintThatIsOffIsNotUnused(t *testing.T) {
	text := `package s; @allow(L0401, "told elsewhere") struct S { x: u8 }`
	if list := run(t, text, lint.Options{}); list.Len() > 0 {
		t.Errorf("reported:\n%s", render(t, list))
	}
}

func TestImportedFilesGetNoAdvice(t *testing.T) {
	text := `package s; import "common.sdp" as common; struct S { x: common.badName }`
	if list := run(t, text, lint.Options{}); list.Len() > 0 {
		t.Errorf("reported:\n%s", render(t, list))
	}
}

func TestFixedLeavesOverlappingFixesForTheNextRun(t *testing.T) {
	file := source.New("f", "abcdef")
	edit := func(start, end int, text string) *diag.Diagnostic {
		d := &diag.Diagnostic{Span: file.Span(start, end)}
		return d.WithFix("", diag.Edit{Span: file.Span(start, end), Text: text})
	}
	other := source.New("g", "abcdef")
	foreign := (&diag.Diagnostic{}).WithFix("", diag.Edit{Span: file.Span(5, 6), Text: "!"}, diag.Edit{Span: other.Span(0, 1)})
	got, applied := lint.Fixed(file, []*diag.Diagnostic{edit(4, 5, "E"), edit(0, 2, "x"), edit(1, 3, "y"), foreign, {}, edit(3, 3, "-")})
	if got != "xc-dEf" || applied != 3 {
		t.Errorf("Fixed gave %q with %d fixes", got, applied)
	}
}

func TestNestedOptionsHaveNoFixForIDs(t *testing.T) {
	for field, fixes := range map[string]int{
		"??u8": 0, "?Option<u8>": 0, "Option<Option<u8>>": 0, "Option < /* , */ Box<?u8> >": 0,
		"Option<[]?u8>": 1, "?Box<u8>": 1, "?[]Option<u8>": 1,
	} {
		list := run(t, "struct S { x: "+field+" }", lint.Options{})
		if list.Len() != 1 || len(list.Sorted()[0].Fixes) != fixes {
			t.Errorf("%s: want one diagnostic with %d fixes, got\n%s", field, fixes, render(t, list))
		}
	}
}
