package golang_test

import (
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/internal/generated"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// code is how the tests of this folder compile generated code.
var code = generated.Code{
	Backend: golang.Backend{}, Runtime: "github.com/serial-data-protocol/sdp/runtime/go",
	Import: func(pkg *ir.Package) string {
		if folder(pkg) == example {
			return "github.com/serial-data-protocol/sdp/examples/registry/" + example
		}
		return "github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden/" + folder(pkg)
	},
	Folder: folder,
}

// example is the package whose code is that of examples/registry, which `sdp gen --check` compares.
const example = "plugins"

func folder(pkg *ir.Package) string { return pkg.Name[strings.LastIndex(pkg.Name, ".")+1:] }

// compile checks schemas in memory and generates all their packages.
func compile(t *testing.T, files check.Memory, roots ...string) (map[string]string, *diag.List) {
	t.Helper()
	return code.Of(generated.Checked(t, files, roots...), generated.Whole)
}

// TestGeneratedCodeMatchesGoldenFiles compares with code that the other tests
// compile and run.
func TestGeneratedCodeMatchesGoldenFiles(t *testing.T) { code.MatchShared(t, example) }

func TestGenerationIsDeterministic(t *testing.T) { code.Repeats(t) }

func TestNamesThatMeetInGoAreReported(t *testing.T) {
	for _, c := range []struct{ name, schema, says string }{
		{"fields", "struct S { display_name: str, displayName: str }", "`display_name` and the field `displayName` are both `DisplayName`"},
		{"types", "struct Plugin { a: u8 } struct plugin { a: u8 }", "are both `Plugin`"},
		{"a type and what is made for another", "struct Plugin { a: u8 } struct PluginView { a: u8 }", "are both `PluginView`"},
		{"an enum's member and a type", "enum Kind: u8 { Effect = 0 } struct KindEffect { a: u8 }", "are both `KindEffect`"},
		{"the length of a list", "struct S { items: []u32, items_len: u32 }", "are both `ItemsLen`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, problems := compile(t, check.Memory{"a.sdp": c.schema}, "a.sdp")
			if problems.Len() == 0 {
				t.Fatal("nothing is reported")
			}
			first := problems.Sorted()[0]
			if first.Code != "G0101" || !strings.Contains(first.Message, c.says) {
				t.Errorf("got %s: %s", first.Code, first.Message)
			}
		})
	}
}

func TestNamesGivenForGoMustBeExportedIdentifiers(t *testing.T) {
	_, problems := compile(t, check.Memory{"a.sdp": `struct S { @name(go = "type") a: u8 }`}, "a.sdp")
	if problems.Len() != 1 || problems.Sorted()[0].Code != "G0102" {
		t.Errorf("got %d problems", problems.Len())
	}
}
