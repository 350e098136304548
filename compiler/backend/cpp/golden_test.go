package cpp_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/backend/cpp"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

var update = flag.Bool("update", false, "write the golden files")

const (
	// schemas are those that every language's generated code is tested with.
	schemas = "../golang/testdata/"
	golden  = "testdata/golden/"
)

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

// generate makes the code of all packages of a schema, in headers alone.
func generate(schema *ir.Schema) (map[string]string, *diag.List) {
	return generateAs(schema, backend.Options{})
}

func generateAs(schema *ir.Schema, options backend.Options) (map[string]string, *diag.List) {
	imports := map[*ir.Package]string{}
	for _, pkg := range schema.Packages {
		imports[pkg] = cpp.Header(pkg)
	}
	generated := map[string]string{}
	all := &diag.List{}
	for _, pkg := range schema.Packages {
		options.Version, options.Runtime, options.Imports = "golden", "sdp/sdp.hpp", imports
		made, problems := cpp.Backend{}.Generate(plan.New(schema), pkg, options)
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

// TestGeneratedCodeMatchesGoldenFiles compares with code that the tests of this
// folder compile.
func TestGeneratedCodeMatchesGoldenFiles(t *testing.T) {
	generated, problems := generate(shared(t))
	if problems.Len() > 0 {
		t.Fatalf("the backend reports: %s", problems.Sorted()[0].Message)
	}
	if len(generated) < 2 {
		t.Fatalf("%d files", len(generated))
	}
	for name, content := range generated {
		mustMatch(t, golden+name, content)
	}
}

// TestCodeOfTwoReleasesMatchesGoldenFiles is for the tests that compile a program
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
		mustMatch(t, filepath.Join(golden, release, "evolution.hpp"), generated["evolution.hpp"])
	}
}

// TestDefaultsMatchGoldenFile is for the test that counts what defaults allocate.
func TestDefaultsMatchGoldenFile(t *testing.T) {
	text, err := os.ReadFile("testdata/defaults.sdp")
	if err != nil {
		t.Fatal(err)
	}
	generated, problems := generate(checked(t, check.Memory{"defaults.sdp": string(text)}, "defaults.sdp"))
	if problems.Len() > 0 {
		t.Fatalf("the backend reports: %s", problems.Sorted()[0].Message)
	}
	mustMatch(t, golden+"defaults.hpp", generated["defaults.hpp"])
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
		if len(again) != 1 || first["a.hpp"] != again["a.hpp"] {
			t.Fatal("two runs differ")
		}
	}
}

func TestCommentsOfASchemaCannotEndOrJoinLines(t *testing.T) {
	schema := "struct S {\n    /// ends with \\\n    a: u8,\n    /// and with \\\\ \n    b: u8,\n}\n"
	generated, problems := generate(checked(t, check.Memory{"a.sdp": schema}, "a.sdp"))
	if problems.Len() > 0 {
		t.Fatal(problems.Sorted()[0].Message)
	}
	for line := range strings.Lines(generated["a.hpp"]) {
		if strings.HasSuffix(strings.TrimSpace(line), `\`) {
			t.Errorf("a line ends with a backslash: %q", line)
		}
	}
}
