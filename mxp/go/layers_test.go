package mxp_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	repository = "github.com/serial-data-protocol/sdp/"
	library    = repository + "mxp/go"
)

// layers says which packages of the library, and which others of the repository, each may import.
var layers = map[string][]string{
	"frame":            {"internal/buffers"},
	"session":          {"frame", "internal/buffers", "internal/mxp/control", "internal/mxp/registry", "runtime/go"},
	"internal/buffers": {},
	"internal/draw":    {},
	"internal/secure":  {},
	"internal/shm":     {"frame", "session"},
	"internal/engine":  {"session"},
	"internal/budget":  {"session"},
	"internal/link":    {"internal/engine", "internal/budget", "session"},
	".":                {"frame", "session", "internal/buffers", "internal/draw", "internal/pipe", "internal/secure", "internal/shm", "internal/engine", "internal/budget", "internal/link"},
}

// sources gives the files of a folder that are no tests, parsed.
func sources(t *testing.T, dir string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, parsed)
	}
	if len(files) == 0 {
		t.Fatalf("there are no files in %s", dir)
	}
	return files
}

func TestPackagesImportThoseBelow(t *testing.T) {
	for dir, below := range layers {
		for _, file := range sources(t, dir) {
			for _, one := range file.Imports {
				path, _ := strconv.Unquote(one.Path.Value)
				if inside, ok := strings.CutPrefix(path, repository); ok && !slices.Contains(below, strings.TrimPrefix(inside, "mxp/go/")) {
					t.Errorf("%s imports %s", dir, path)
				}
			}
		}
	}
}

// The engine gets times and draws, and is called under its driver's lock.
func TestEngineNeedsNoDriver(t *testing.T) {
	allowed := []string{"bytes", "cmp", "container/list", "errors", "fmt", "slices", "strconv", "strings", "time", "unicode/utf8", library + "/session"}
	clock := []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}
	seen := 0
	for _, file := range sources(t, "internal/engine") {
		for _, one := range file.Imports {
			seen++
			if path, _ := strconv.Unquote(one.Path.Value); !slices.Contains(allowed, path) {
				t.Errorf("%s is imported", path)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt, *ast.SelectStmt, *ast.ChanType, *ast.SendStmt:
				t.Errorf("%T is a driver's", n)
			case *ast.SelectorExpr:
				if of, is := n.X.(*ast.Ident); is && of.Name == "time" && slices.Contains(clock, n.Sel.Name) {
					t.Errorf("time.%s is a driver's", n.Sel.Name)
				}
			}
			return true
		})
	}
	if seen < 20 {
		t.Errorf("only %d imports were seen", seen)
	}
}
