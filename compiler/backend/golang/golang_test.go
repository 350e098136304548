package golang_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/backend/golang"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

var update = flag.Bool("update", false, "write the golden files")

const (
	goldenPath = "github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden"
	runtime    = "github.com/serial-data-protocol/sdp/runtime/go"
)

// compile checks schemas in memory and generates all their packages.
func compile(t *testing.T, files check.Memory, roots ...string) (map[string][]byte, *diag.List) {
	t.Helper()
	schema, problems := check.Program(files, roots, format.Canonical)
	if problems.HasErrors() {
		t.Fatalf("the schema is refused: %s", problems.Sorted()[0].Message)
	}
	imports := map[*ir.Package]string{}
	for _, pkg := range schema.Packages {
		imports[pkg] = goldenPath + "/" + folder(pkg)
	}
	generated := map[string][]byte{}
	all := &diag.List{}
	for _, pkg := range schema.Packages {
		made, problems := golang.Backend{}.Generate(plan.New(schema), pkg, backend.Options{
			Version: "golden", Runtime: runtime, Imports: imports,
		})
		all.Append(problems)
		for _, f := range made {
			generated[folder(pkg)+"/"+f.Name] = f.Content
		}
	}
	return generated, all
}

func folder(pkg *ir.Package) string { return pkg.Name[strings.LastIndex(pkg.Name, ".")+1:] }

// TestGeneratedCodeMatchesGoldenFiles compares with code that the other tests
// compile and run.
func TestGeneratedCodeMatchesGoldenFiles(t *testing.T) {
	files := check.Memory{}
	paths, err := filepath.Glob("testdata/*.sdp")
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
	generated, problems := compile(t, files, roots...)
	if problems.Len() > 0 {
		t.Fatalf("the backend reports: %s", problems.Sorted()[0].Message)
	}
	for name, content := range generated {
		path := filepath.Join("testdata/golden", name)
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, content, 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(want) != string(content) {
			t.Errorf("%s differs from what is generated now; look at the change and run with -update", path)
		}
	}
}

func TestGenerationIsDeterministic(t *testing.T) {
	files := check.Memory{"a.sdp": `
		enum E: u8 { B = 1, A = 0 }
		union U { X(S) = 2, Y { v: map<str, E> } = 1 }
		struct S { a: u8, u: ?U }
	`}
	first, _ := compile(t, files, "a.sdp")
	for range 5 {
		again, _ := compile(t, files, "a.sdp")
		for name := range first {
			if string(first[name]) != string(again[name]) {
				t.Fatalf("%s differs between two runs", name)
			}
		}
	}
}

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
