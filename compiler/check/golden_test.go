package check_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/internal/golden"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// folder loads files below a folder, named relative to it.
type folder string

func (f folder) Find(path, importer string) (string, error) {
	name := filepath.ToSlash(filepath.Join(filepath.Dir(importer), path))
	info, err := os.Stat(filepath.Join(string(f), name))
	if err == nil && info.IsDir() {
		return "", fs.ErrNotExist
	}
	return name, err
}

func (f folder) Read(name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(string(f), name))
	return string(text), err
}

func compile(loader check.Loader, roots ...string) (*ir.Schema, *diag.List) {
	return check.Program(loader, roots, format.Canonical)
}

// render is what `sdp check` prints, without colours.
func render(t testing.TB, problems *diag.List, root string) string {
	t.Helper()
	var out strings.Builder
	if err := diag.WriteText(&out, problems.Sorted(), false); err != nil {
		t.Fatal(err)
	}
	return out.String() + diag.Summary(problems, root) + "\n"
}

const diagFolder = "../testdata/diag"

func TestDiagnosticsMatchGoldenFiles(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(diagFolder, "*.sdp"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			schema, problems := compile(folder(diagFolder), name)
			if schema != nil {
				t.Error("a schema came of a file with errors")
			}
			compareCase(t, strings.TrimSuffix(name, ".sdp"), render(t, problems, name))
		})
	}
}

func TestHugeFileIsRefusedUnread(t *testing.T) {
	const name = "S0003_a_file_is_too_large"
	memory := check.Memory{name + ".sdp": strings.Repeat("{", syntax.FileBytesMax)}
	_, problems := compile(memory, name+".sdp")
	compareCase(t, name, render(t, problems, name+".sdp"))
}

// compareCase compares a rendering with its golden file. The code that the
// case is named after must be in it.
func compareCase(t *testing.T, name, got string) {
	t.Helper()
	code, _, _ := strings.Cut(name, "_")
	if !strings.Contains(got, "error["+code+"]: ") {
		t.Errorf("the case is about %s, and that was not reported:\n%s", code, got)
	}
	golden.Compare(t, filepath.Join(diagFolder, name+".golden"), got)
}

func TestEachCodeHasAnExplanationAndACase(t *testing.T) {
	cases := map[string]bool{}
	paths, err := filepath.Glob(filepath.Join(diagFolder, "*.golden"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		code, _, _ := strings.Cut(filepath.Base(path), "_")
		cases[code] = true
	}
	catalog := diag.Catalog{syntax.Codes, check.Codes}
	for _, code := range catalog.Codes() {
		if !cases[string(code)] {
			t.Errorf("%s has an explanation and no case", code)
		}
		delete(cases, string(code))
	}
	for code := range cases {
		t.Errorf("%s has a case and no explanation", code)
	}
}
