package golang_test

import (
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

func TestPackagesHaveNamesAndFoldersThatGoTakes(t *testing.T) {
	for name, want := range map[string]struct{ folder, clause string }{
		"audio.host":      {"audio/host", "package host\n"},
		"main":            {"main", "package sdpmain\n"},
		"init":            {"init", "package sdpinit\n"},
		"documentation":   {"documentation", "package sdpdocumentation\n"},
		"_":               {"sdp_", "package sdp\n"},
		"audio._x":        {"audio/sdp_x", "package x\n"},
		"func":            {"func", "package sdpfunc\n"},
		"internal.vendor": {"internal_/vendor_", "package vendor\n"},
	} {
		if got := golang.Folder(&ir.Package{Name: name}); got != want.folder {
			t.Errorf("%s lies in %s", name, got)
		}
		generated, _ := compile(t, check.Memory{"a.sdp": "package " + name + "; struct S { a: u8 }"}, "a.sdp")
		for file, text := range generated {
			if strings.HasSuffix(file, "types.sdp.go") && !strings.Contains(string(text), want.clause) {
				t.Errorf("%s is not %q", name, want.clause)
			}
		}
	}
}

// TestVariablesAreDeclaredWhereTheyAreUsed looks at what Go refuses: a variable that
// is declared twice, or that nothing uses.
func TestVariablesAreDeclaredWhereTheyAreUsed(t *testing.T) {
	for _, c := range []struct{ name, schema, never, once string }{
		{"two arrays on the heap", "struct S { x: [1025]u8, y: [2000]u8 }", "x[:])\n\tx := ", "{\n\t\tx := sdp.ArrayOr(v.Y)"},
		{"alternatives without payload", "@closed union U { A = 1, B = 2 }", "SDPEncode(e *sdp.Encoder, b []byte, p int) int {\n\tswitch a :=", "\tswitch v.Value.(type) {"},
		{"entries without bytes", "struct N {} struct S { m: map<u8, N> }", "value := v.M[key]\n\t\t\tw =", "range sdp.SortedKeys"},
	} {
		generated, _ := compile(t, check.Memory{"a.sdp": c.schema}, "a.sdp")
		code := string(generated["a/codec.sdp.go"])
		if strings.Contains(code, c.never) || !strings.Contains(code, c.once) {
			t.Errorf("%s: the code is\n%s", c.name, code)
		}
	}
}

func TestMethodsHaveNoNameThatGoVetKnows(t *testing.T) {
	generated, problems := compile(t, check.Memory{"a.sdp": `
		struct S { read_byte: u8, error: str, is: str } struct T { is: str }
		union U { Body { tag: u8 } = 1, GobEncode = 2 }`}, "a.sdp")
	if problems.Len() > 0 {
		t.Fatal(problems.Sorted()[0].Message)
	}
	views, types := string(generated["a/view.sdp.go"]), string(generated["a/types.sdp.go"])
	for _, want := range []string{"SView) ReadByte_()", "SView) Is_()", "TView) Is()", "UView) GobEncode_()"} {
		if !strings.Contains(views, want) {
			t.Errorf("there is no %s", want)
		}
	}
	if !strings.Contains(types, "\tTag_ uint8") || !strings.Contains(types, "\tReadByte uint8") {
		t.Errorf("the types are\n%s", types)
	}
}
