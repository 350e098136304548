package rust_test

import (
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/backend/rust"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/internal/generated"
	"github.com/serial-data-protocol/sdp/compiler/internal/golden"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// schemas are the schemas that every language's generated code is tested with.
const schemas = generated.Schemas

// code is how the crate of this folder compiles generated code.
var code = generated.Code{
	Backend: rust.Backend{}, Runtime: "::sdp",
	Import: func(pkg *ir.Package) string { return "super::" + rust.ModuleName(pkg.Name) },
}

var checked = generated.Checked

// generate makes the code of all packages of a schema.
func generate(schema *ir.Schema) (map[string]string, *diag.List) {
	return code.Of(schema, generated.Whole)
}

// shown are the parts of code that is compared. The borrowed form, which is like the owned
// one, lies in examples/registry, and the crate of this folder compiles and tests all forms.
var shown = backend.Options{Parts: backend.Parts{Forms: []backend.Form{backend.Owned, backend.Views}, JSON: true, Serde: true}}

func TestGeneratedCodeMatchesGoldenFile(t *testing.T) {
	golden.Compare(t, generated.Golden+"shapes.rs", code.Must(t, generated.Shared(t), shown)["shapes.rs"])
}

func TestGenerationIsDeterministic(t *testing.T) { code.Repeats(t) }

func TestNamesThatMeetInRustAreReported(t *testing.T) {
	for _, c := range []struct{ name, schema, says string }{
		{"fields", "struct S { display_name: str, displayName: str }", "`display_name` and the field `displayName` are both `display_name`"},
		{"types", "struct Plugin { a: u8 } struct plugin { a: u8 }", "are both `Plugin`"},
		{"a type and what is made for another", "struct Plugin { a: u8 } struct PluginRef { a: u8 }", "are both `PluginRef`"},
		{"a type and the view of another", "struct Plugin { a: u8 } struct PluginView { a: u8 }", "are both `PluginView`"},
		{"a type and the dispatcher", `@name(rust = "Message") struct Note { a: u8 }`, "are both `Message`"},
		{"members", "enum Kind: u8 { one_two = 0, OneTwo = 1 }", "are both `OneTwo`"},
		{"alternatives", "union U { one(u8) = 1, One(u16) = 2 }", "are both `One`"},
		{"an alternative and the unknown one", `union U { @name(rust = "Unknown") Other(u8) = 1 }`, "are both `Unknown`"},
		{"a member and the unknown one", `enum E: u8 { @name(rust = "Unknown") Other = 1 }`, "are both `Unknown`"},
		{"a type and the dispatcher to views", `@name(rust = "MessageView") struct Note { a: u8 }`, "are both `MessageView`"},
		{"a field and what reads one that is called like a view's function", `struct S { new: str, @name(rust = "new_") other: str }`, "are both `new_`"},
		{"a field and one whose keyword gets an underscore", `struct S { self: u8, @name(rust = "self_") other: u8 }`, "the field `self` and the field `other` are both `self_`"},
		{"a field and one that is called like a keyword", `struct S { @name(rust = "super_") a: u8, super: u8 }`, "are both `super_`"},
		{"a field and one that is a keyword in snake case", `struct S { @name(rust = "crate_") a: u8, Crate: u8 }`, "are both `crate_`"},
		{"fields of underscores", "struct S { _: u8, __: u8 }", "are both `x`"},
		{"a field and a message's own", `@keep_unknown message M { @name(rust = "unknown_fields") tail: u8 }`, "are both `unknown_fields`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, problems := generate(checked(t, check.Memory{"a.sdp": c.schema}, "a.sdp"))
			if problems.Len() == 0 {
				t.Fatal("nothing is reported")
			}
			first := problems.Sorted()[0]
			if first.Code != "R0101" || !strings.Contains(first.Message, c.says) {
				t.Errorf("got %s: %s", first.Code, first.Message)
			}
		})
	}
}

func TestNamesGivenForRustMustBeIdentifiers(t *testing.T) {
	for _, name := range []string{"_", "type", "gen", "self", "Self", "super", "crate"} {
		_, problems := generate(checked(t, check.Memory{"a.sdp": `struct S { @name(rust = "` + name + `") a: u8 }`}, "a.sdp"))
		if problems.Len() != 1 || problems.Sorted()[0].Code != "R0102" {
			t.Errorf("%q: got %d problems", name, problems.Len())
		}
	}
	for _, name := range []string{"owner", "_owner", "o1", "union", "GAIN"} {
		_, problems := generate(checked(t, check.Memory{"a.sdp": `struct S { @name(rust = "` + name + `") a: u8 }`}, "a.sdp"))
		if problems.Len() != 0 {
			t.Errorf("%q: %s", name, problems.Sorted()[0].Message)
		}
	}
}
