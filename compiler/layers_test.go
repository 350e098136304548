// Package compiler_test keeps the order of the compiler's packages: the imports that each may have.
package compiler_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/serial-data-protocol/sdp/"

// layers says for each package, or for all packages below a folder, which
// packages of this module it may import. Package source only names places in files, so that each
// package that may see a diagnostic or the ir may name it too.
var layers = map[string][]string{
	"compiler/source":   {},
	"compiler/emit":     {},
	"compiler/diag":     {"compiler/source"},
	"compiler/ir":       {"compiler/source"},
	"compiler/syntax":   {"compiler/source", "compiler/diag"},
	"compiler/format":   {"compiler/source", "compiler/syntax"},
	"compiler/check":    {"compiler/source", "compiler/syntax", "compiler/ir", "compiler/plan", "compiler/diag"},
	"compiler/names":    {"compiler/source", "compiler/ir", "compiler/diag"},
	"compiler/plan":     {"compiler/ir"},
	"compiler/memory":   {"compiler/ir", "compiler/plan"},
	"compiler/lower":    {"compiler/ir", "compiler/plan", "compiler/memory"},
	"compiler/lint":     {"compiler/source", "compiler/ir", "compiler/names", "compiler/plan", "compiler/memory", "compiler/diag"},
	"compiler/compat":   {"compiler/source", "compiler/ir", "compiler/plan", "compiler/diag"},
	"compiler/compat/*": {"compiler/ir"},
	"compiler/interp":   {"compiler/plan", "compiler/ir", "runtime/go"},
	"compiler/interp/*": {"compiler/interp", "compiler/plan", "compiler/ir"},
	"compiler/doc":      {"compiler/source", "compiler/ir", "compiler/names", "compiler/plan", "compiler/compat", "compiler/interp"},
	"compiler/proto":    {"compiler/source", "compiler/diag", "compiler/syntax", "compiler/format", "compiler/ir", "compiler/names", "compiler/plan", "compiler/interp"},
	"compiler/bridge":   {"compiler/diag", "compiler/ir", "compiler/memory", "compiler/names", "compiler/plan", "compiler/proto"},
	// Packages that talk MXP. The library is a module of its own.
	"compiler/talk":       {"compiler/diag", "compiler/ir", "compiler/plan", "compiler/interp", "mxp/go", "mxp/go/health", "mxp/go/reflection", "mxp/go/session"},
	"compiler/tap":        {"compiler/check", "compiler/ir", "compiler/plan", "compiler/interp", "compiler/syntax", "compiler/talk", "mxp/go/frame", "mxp/go/session", "spec"},
	"spec":                {},
	"compiler/backend":    {"compiler/ir", "compiler/plan", "compiler/emit", "compiler/diag"},
	"compiler/backend/*":  {"compiler/source", "compiler/ir", "compiler/names", "compiler/plan", "compiler/memory", "compiler/lower", "compiler/emit", "compiler/diag", "compiler/backend", "compiler/backend/golang/layout", "compiler/backend/rust/layout"},
	"compiler/place":      {"compiler/ir", "compiler/diag", "compiler/backend/*", "compiler/place/output", "runtime"},
	"compiler/place/*":    {},
	"compiler/language":   {"compiler/diag", "compiler/compat", "compiler/backend", "compiler/backend/*", "compiler/place"},
	"compiler/irjson":     {"compiler/source", "compiler/ir", "compiler/plan"},
	"compiler/vectors":    {"compiler/interp", "compiler/interp/random", "compiler/ir", "compiler/plan"},
	"compiler/tests":      {"compiler/backend", "compiler/backend/cpp", "compiler/ir", "compiler/names", "compiler/plan", "compiler/vectors"},
	"compiler/plugin":     {"compiler/source", "compiler/diag", "compiler/syntax", "compiler/check", "compiler/ir", "compiler/plan", "compiler/names", "compiler/interp", "spec"},
	"compiler/manual":     {},
	"compiler/version":    {},
	"compiler/jsonschema": {"compiler/ir", "compiler/plan", "compiler/interp"},
	// Where gofmt and rustfmt break lines: text in, text out.
	"compiler/backend/golang/layout": {},
	"compiler/backend/rust/layout":   {},
	"compiler/driver":                {"compiler/*", "runtime", "spec", "mxp/go", "mxp/go/frame", "mxp/go/health", "mxp/go/reflection", "mxp/go/session", "mxp/go/websocket"},
	"compiler/lsp":                   {"compiler/source", "compiler/diag", "compiler/syntax", "compiler/format", "compiler/check", "compiler/ir", "compiler/plan", "compiler/names", "compiler/lint", "compiler/compat", "compiler/driver"},
	"cmd/sdp":                        {"compiler/driver", "compiler/manual", "compiler/lsp", "compiler/diag", "compiler/source"},
}

// leaves are folders that nothing else may import from.
var leaves = []string{"bench", "mcp", "mesh", "examples", "editors", "conformance", "playground", "tools"}

// goPackage is a folder of Go files.
type goPackage struct {
	dir     string
	imports map[string]string // import path to the file that has it
}

// packagesBelow reads the imports of all Go files of the module that are not
// tests.
func packagesBelow(t *testing.T, root string) map[string]*goPackage {
	t.Helper()
	packages := map[string]*goPackage{}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); file != root && (slices.Contains([]string{"testdata", "target", "node_modules"}, name) || strings.HasPrefix(name, ".") || isModule(file)) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		dir := path.Dir(filepath.ToSlash(relative))
		if packages[dir] == nil {
			packages[dir] = &goPackage{dir: dir, imports: map[string]string{}}
		}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			packages[dir].imports[imported] = relative
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// matches tells whether a package is the named one, or for a pattern that ends
// in "/*" one directly below its folder.
func matches(pattern, dir string) bool {
	if folder, found := strings.CutSuffix(pattern, "/*"); found {
		return path.Dir(dir) == folder || folder == "compiler" && strings.HasPrefix(dir, folder+"/")
	}
	return pattern == dir
}

func TestPackagesImportOnlyWhatTheirLayerMay(t *testing.T) {
	packages := packagesBelow(t, "..")
	if len(packages) < 8 {
		t.Fatalf("only %d packages were found, so that the test looks in the wrong place", len(packages))
	}
	for dir, p := range packages {
		if isLeaf(dir) || strings.HasPrefix(dir, "compiler/internal/") {
			continue
		}
		allowed, known := allowedFor(dir)
		if !known {
			t.Errorf("package %s is in no layer: say in this test what it may import", dir)
			continue
		}
		for imported, file := range p.imports {
			ours, found := strings.CutPrefix(imported, module)
			if found && !isWithin(dir, ours) && !slices.ContainsFunc(allowed, func(pattern string) bool { return matches(pattern, ours) }) {
				t.Errorf("%s: package %s may not import %s", file, dir, ours)
			}
		}
	}
}

func allowedFor(dir string) ([]string, bool) {
	for pattern, allowed := range layers {
		if matches(pattern, dir) {
			return allowed, true
		}
	}
	return nil, false
}

// isWithin tells whether a package lies in the folder of its importer and is a part of it. A
// backend is no part of the package above it.
func isWithin(dir, imported string) bool {
	return dir != "compiler/backend" && strings.HasPrefix(imported, dir+"/")
}

func isLeaf(dir string) bool {
	first, _, _ := strings.Cut(dir, "/")
	return slices.Contains(leaves, first)
}

func TestNothingImportsALeaf(t *testing.T) {
	for dir, p := range packagesBelow(t, "..") {
		for imported, file := range p.imports {
			if ours, found := strings.CutPrefix(imported, module); found && isLeaf(ours) && !isLeaf(dir) {
				t.Errorf("%s: package %s imports %s, which is for nobody else", file, dir, ours)
			}
		}
	}
}

// The runtime of generated code, and the package above it, which only carries its source text.
func TestRuntimeImportsOnlyTheStandardLibrary(t *testing.T) {
	packages := packagesBelow(t, "../runtime")
	for _, dir := range []string{".", "go"} {
		if packages[dir] == nil {
			t.Errorf("there is no package in %s", dir)
		}
	}
	for _, p := range packages {
		for imported, file := range p.imports {
			if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") {
				t.Errorf("%s imports %s, which is not in the standard library", file, imported)
			}
		}
	}
}

func TestLayersRefuseWhatArchitectureForbids(t *testing.T) {
	for _, c := range []struct{ from, to string }{
		{"compiler/plan", "compiler/syntax"},
		{"compiler/plan", "compiler/memory"},
		{"compiler/interp", "compiler/check"},
		{"compiler/ir", "compiler/diag"},
		{"compiler/backend/golang", "compiler/syntax"},
		{"compiler/backend/golang", "compiler/backend/rust"},
		{"compiler/backend", "compiler/backend/golang"},
		{"compiler/emit", "compiler/ir"},
		{"cmd/sdp", "compiler/plan"},
		{"compiler/talk", "compiler/check"},
		{"compiler/backend/golang", "mxp/go"},
	} {
		allowed, known := allowedFor(c.from)
		if !known || isWithin(c.from, c.to) || slices.ContainsFunc(allowed, func(pattern string) bool { return matches(pattern, c.to) }) {
			t.Errorf("the table lets %s import %s", c.from, c.to)
		}
	}
}
