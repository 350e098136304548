package rust_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/backend/rust"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

var update = flag.Bool("update", false, "write the golden files")

// schemas are those that every language's generated code is tested with.
const schemas = "../golang/testdata/"

// checked is the program of schemas in memory.
func checked(t *testing.T, files check.Memory, roots ...string) *ir.Schema {
	t.Helper()
	schema, problems := check.Program(files, roots, format.Canonical)
	if problems.HasErrors() {
		t.Fatalf("the schema is refused: %s", problems.Sorted()[0].Message)
	}
	return schema
}

// shared is the program of the shared schemas.
func shared(t *testing.T) *ir.Schema {
	t.Helper()
	files := check.Memory{}
	paths, err := filepath.Glob(schemas + "*.sdp")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no schemas: %v", err)
	}
	var roots []string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = string(text)
		roots = append(roots, filepath.Base(path))
	}
	return checked(t, files, roots...)
}

// generate makes the code of all packages of a schema.
func generate(schema *ir.Schema) (map[string]string, *diag.List) {
	imports := map[*ir.Package]string{}
	for _, pkg := range schema.Packages {
		imports[pkg] = "super::" + rust.ModuleName(pkg.Name)
	}
	generated := map[string]string{}
	all := &diag.List{}
	for _, pkg := range schema.Packages {
		made, problems := rust.Backend{}.Generate(plan.New(schema), pkg, backend.Options{
			Version: "golden", Runtime: "::sdp", Imports: imports,
		})
		all.Append(problems)
		for _, f := range made {
			generated[f.Name] = string(f.Content)
		}
	}
	return generated, all
}

// mustMatch compares with a golden file, or writes it.
func mustMatch(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != text {
		t.Errorf("%s differs from what is generated now; look at the change and run with -update", path)
	}
}

// TestGeneratedCodeMatchesGoldenFiles compares with code that the crate of this
// folder compiles and tests.
func TestGeneratedCodeMatchesGoldenFiles(t *testing.T) {
	generated, problems := generate(shared(t))
	if problems.Len() > 0 {
		t.Fatalf("the backend reports: %s", problems.Sorted()[0].Message)
	}
	if len(generated) < 2 {
		t.Fatalf("%d files", len(generated))
	}
	for name, content := range generated {
		mustMatch(t, filepath.Join("testdata/golden", name), content)
	}
}

// TestCodeOfTwoReleasesMatchesGoldenFiles is for the test that compiles a crate
// that uses the first release with the second.
func TestCodeOfTwoReleasesMatchesGoldenFiles(t *testing.T) {
	for _, release := range []string{"v1", "v2"} {
		text, err := os.ReadFile("../../../conformance/schemas/evolution_" + release + ".sdp")
		if err != nil {
			t.Fatal(err)
		}
		generated, problems := generate(checked(t, check.Memory{"evolution.sdp": string(text)}, "evolution.sdp"))
		if problems.Len() > 0 {
			t.Fatalf("the backend reports: %s", problems.Sorted()[0].Message)
		}
		mustMatch(t, filepath.Join("testdata/golden", release, "evolution.rs"), generated["evolution.rs"])
	}
}

// TestOddSchemaMatchesGoldenFile is for what no other language needs to take care with.
func TestOddSchemaMatchesGoldenFile(t *testing.T) {
	text, err := os.ReadFile("testdata/odd.sdp")
	if err != nil {
		t.Fatal(err)
	}
	generated, problems := generate(checked(t, check.Memory{"odd.sdp": string(text)}, "odd.sdp"))
	if problems.Len() > 0 {
		t.Fatalf("the backend reports: %s", problems.Sorted()[0].Message)
	}
	mustMatch(t, "testdata/golden/odd.rs", generated["odd.rs"])
}

func TestGenerationIsDeterministic(t *testing.T) {
	files := check.Memory{"a.sdp": `
		enum E: u8 { B = 1, A = 0 }
		union U { X(S) = 2, Y { v: map<str, E> } = 1 }
		struct S { a: u8, u: ?U }
	`}
	first, _ := generate(checked(t, files, "a.sdp"))
	for range 5 {
		again, _ := generate(checked(t, files, "a.sdp"))
		if len(again) != 1 || first["a.rs"] != again["a.rs"] {
			t.Fatal("two runs differ")
		}
	}
}

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
		{"a field and a message's own", "@keep_unknown message M { unknown_fields: u8 }", "are both `unknown_fields`"},
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
