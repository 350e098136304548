// Package generated makes code of schemas for the tests of the backends, and holds it
// against the golden files that those compile.
package generated

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/internal/golden"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// Folders of the tests, from that of a backend.
const (
	// Schemas are the schemas that every language's generated code is tested with, and the plan of
	// them.
	Schemas = "../golang/testdata/"
	// Golden is where the code lies that the tests of a backend compile.
	Golden = "testdata/golden/"
)

// Whole asks for all parts of the code but services, and WithServices for those too.
var (
	Whole        = backend.Options{Parts: backend.Parts{Forms: AllForms, JSON: true, Serde: true}}
	WithServices = backend.Options{Parts: backend.Parts{Forms: AllForms, JSON: true, Serde: true, Services: true}}
)

// Stubs asks for clients and servers, and of types for what those need.
var Stubs = backend.Options{Parts: backend.Parts{Forms: []backend.Form{backend.Owned}, Services: true}}

// AllForms are the forms of all languages.
var AllForms = []backend.Form{backend.Owned, backend.Borrowed, backend.Pooled, backend.Views}

// Checked is the program of schemas in memory.
func Checked(t *testing.T, files check.Memory, roots ...string) *ir.Schema {
	t.Helper()
	schema, problems := check.Program(files, roots, format.Canonical)
	if problems.HasErrors() {
		t.Fatalf("the schema is refused: %s", problems.Sorted()[0].Message)
	}
	return schema
}

// Shared is the program of the shared schemas.
func Shared(t *testing.T) *ir.Schema {
	t.Helper()
	files := check.Memory{}
	paths, err := filepath.Glob(Schemas + "*.sdp")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no schemas: %v", err)
	}
	var roots []string
	for _, path := range paths {
		name := filepath.Base(path)
		files[name] = read(t, path)
		roots = append(roots, name)
	}
	return Checked(t, files, roots...)
}

// Code is how the tests of one language lay its code.
type Code struct {
	Backend backend.Backend
	Runtime string
	// Import is what generated code imports a package by.
	Import func(*ir.Package) string
	// Folder has a package's files; nil where all packages lie in one.
	Folder func(*ir.Package) string
}

// Of makes the code of all packages of a schema, and returns the files by their paths.
func (c Code) Of(schema *ir.Schema, options backend.Options) (map[string]string, *diag.List) {
	options.Version, options.Runtime = "golden", c.Runtime
	options.Imports = map[*ir.Package]string{}
	for _, pkg := range schema.Packages {
		options.Imports[pkg] = c.Import(pkg)
	}
	files, all := map[string]string{}, &diag.List{}
	for _, pkg := range schema.Packages {
		made, problems := c.Backend.Generate(plan.New(schema), pkg, options)
		all.Append(problems)
		folder := ""
		if c.Folder != nil {
			folder = c.Folder(pkg) + "/"
		}
		for _, f := range made {
			files[folder+f.Name] = string(f.Content)
		}
	}
	return files, all
}

// Must is the code of a schema that nothing is wrong with.
func (c Code) Must(t *testing.T, schema *ir.Schema, options backend.Options) map[string]string {
	t.Helper()
	files, problems := c.Of(schema, options)
	if problems.Len() > 0 {
		t.Fatalf("the backend reports: %s", problems.Sorted()[0].Message)
	}
	return files
}

// MatchShared compares the code of the shared schemas with golden files, but for the folders whose code is stored
// and compared elsewhere.
func (c Code) MatchShared(t *testing.T, stored ...string) {
	t.Helper()
	files := c.Must(t, Shared(t), Whole)
	if len(files) < 2 {
		t.Fatalf("%d files", len(files))
	}
	for name, text := range files {
		if folder, _, _ := strings.Cut(name, "/"); !slices.Contains(stored, folder) {
			golden.Compare(t, Golden+name, text)
		}
	}
}

// One is the code of a schema of one package, where that is one file.
func (c Code) One(t *testing.T, path string) string {
	t.Helper()
	name := filepath.Base(path)
	files := c.Must(t, Checked(t, check.Memory{name: read(t, path)}, name), Whole)
	if len(files) != 1 {
		t.Fatalf("%d files", len(files))
	}
	for _, text := range files {
		return text
	}
	return ""
}

// Repeats fails the test if two runs make different code.
func (c Code) Repeats(t *testing.T) {
	t.Helper()
	files := check.Memory{"a.sdp": `
		enum E: u8 { B = 1, A = 0 }
		union U { X(S) = 2, Y { v: map<str, E> } = 1 }
		struct S { a: u8, u: ?U }
	`}
	first := c.Must(t, Checked(t, files, "a.sdp"), Whole)
	for range 5 {
		if again := c.Must(t, Checked(t, files, "a.sdp"), Whole); !maps.Equal(first, again) {
			t.Fatal("two runs differ")
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
