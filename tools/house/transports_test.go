package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// Each transport of MXP's Go library has a file, or some whose names begin with the scheme. No
// other code of the library or of the tool says a scheme, so that a new one is a new file.
func TestSchemesOfTransportsStandInTheirOwnFiles(t *testing.T) {
	named := map[string]bool{}
	for _, transport := range mxp.Transports() {
		named[transport.Scheme] = false
	}
	for _, name := range files(t) {
		folder := path.Dir(name) + "/"
		isLibrary := strings.HasPrefix(folder, "mxp/go/")
		isTool := strings.HasPrefix(folder, "compiler/") || strings.HasPrefix(folder, "cmd/")
		isForTests := strings.HasSuffix(name, "_test.go") || strings.HasSuffix(folder, "/internal/places/")
		if path.Ext(name) != ".go" || isForTests || strings.Contains(folder, "/testdata/") || !isLibrary && !isTool {
			continue
		}
		for _, scheme := range schemesIn(t, name) {
			own, _, _ := strings.Cut(strings.TrimSuffix(path.Base(name), ".go"), "_")
			if folder == "mxp/go/" && own == scheme {
				named[scheme] = true
				continue
			}
			t.Errorf("%s says the scheme %q, which %s.go has", name, scheme, scheme)
		}
	}
	for scheme, is := range named {
		if !is {
			t.Errorf("no mxp/go/%s.go says its scheme", scheme)
		}
	}
}

// schemesIn are the schemes that the texts of a file's code say, as a word or in an address.
func schemesIn(t *testing.T, name string) (found []string) {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), name, read(t, name), 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			if n.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(n.Value)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, transport := range mxp.Transports() {
				scheme := transport.Scheme
				if text == scheme || regexp.MustCompile(`\bmxp\+`+scheme+`\b`).MatchString(text) {
					found = append(found, scheme)
				}
			}
		}
		return true
	})
	return found
}
