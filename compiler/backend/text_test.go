package backend_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/backend/cpp"
	"github.com/serial-data-protocol/sdp/compiler/backend/golang"
	"github.com/serial-data-protocol/sdp/compiler/backend/python"
	"github.com/serial-data-protocol/sdp/compiler/backend/rust"
	"github.com/serial-data-protocol/sdp/compiler/backend/typescript"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/internal/generated"
	"github.com/serial-data-protocol/sdp/compiler/internal/hostile"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

var backends = []backend.Backend{golang.Backend{}, rust.Backend{}, cpp.Backend{}, python.Backend{}, typescript.Backend{}}

// hostilePath is a file's name that ends the comment that has it.
const hostilePath = "a\n}\nfunc init() {\r@@@ \u202e\\.sdp"

// generate makes the code of a file by each backend, with services.
func generate(t *testing.T, path, schema string) map[string]string {
	t.Helper()
	program, problems := check.Program(check.Memory{path: schema}, []string{path}, format.Canonical)
	if problems.HasErrors() {
		t.Fatalf("the schema is refused: %s", problems.Sorted()[0].Message)
	}
	all := map[string]string{}
	javaScript := generated.WithServices.Parts
	javaScript.JavaScript = true
	for i, b := range append(backends[:len(backends):len(backends)], typescript.Backend{}) {
		parts := generated.WithServices.Parts
		if i == len(backends) {
			parts = javaScript
		}
		files, problems := b.Generate(plan.New(program), program.Packages[0], backend.Options{
			Version: "test", Runtime: "sdp", Parts: parts, Split: true, Imports: map[*ir.Package]string{program.Packages[0]: "super::texts"},
		})
		if problems.Len() > 0 {
			t.Fatal(problems.Sorted()[0].Message)
		}
		for _, f := range files {
			all[b.Name()+"/"+f.Name] = string(f.Content)
		}
	}
	if len(all) < 6+2+3+1 {
		t.Fatalf("%d files", len(all))
	}
	return all
}

// isJSDoc reports whether a line is one of a comment, or a comment as a whole, of which no
// text is the end.
func isJSDoc(line string) bool {
	line = strings.TrimLeft(line, " ")
	if rest, isWhole := strings.CutPrefix(line, "/** "); isWhole {
		return strings.Index(rest, "*/") == len(rest)-2
	}
	return strings.HasPrefix(line, "* ") && !strings.Contains(line, "*/")
}

// docstrings tells of each line of a Python file, one after the other, whether it is one of a docstring. Lines behind the
// docstrings are code.
func docstrings() func(line string) bool {
	inside := false
	return func(line string) bool {
		rest := strings.NewReplacer(`\\\\`, "", `\\"`, "").Replace(strings.TrimLeft(line, " "))
		begins := !inside && strings.HasPrefix(rest, `"""`)
		if begins {
			rest = rest[3:]
		}
		was := inside || begins
		inside = was
		if end := strings.Index(rest, `"""`); was && end >= 0 {
			inside = false
			return end+3 == len(rest)
		}
		return was
	}
}

func TestCommentsOfASchemaStayComments(t *testing.T) {
	found := 0
	for name, text := range generate(t, hostilePath, hostile.Schema()) {
		isDocstring := docstrings()
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\n")
			if i := strings.IndexFunc(line, source.Hidden); i >= 0 {
				t.Errorf("%s has a character that shows nothing: %q", name, line)
			}
			isComment := strings.HasPrefix(strings.TrimLeft(line, " \t"), "//")
			if strings.HasPrefix(name, "typescript") {
				isComment = isComment || isJSDoc(line)
			}
			if strings.HasPrefix(name, "python") {
				isComment = isDocstring(line) || strings.HasPrefix(line, "# ")
			}
			if strings.Contains(line, hostile.Mark) || strings.Contains(line, "@@@") {
				found++
				if !isComment {
					t.Errorf("%s has a comment's text as code: %q", name, line)
				}
			}
			if before := strings.TrimRight(line, " \t"); isComment && (strings.HasSuffix(before, `\`) || strings.HasSuffix(before, "??/")) && strings.HasPrefix(name, "cpp") {
				t.Errorf("%s has a comment that takes the next line: %q", name, line)
			}
			if strings.HasPrefix(line, "//go:build") {
				t.Errorf("%s has a condition: %q", name, line)
			}
		}
	}
	if found < 500 {
		t.Errorf("%d lines have text of the schema", found)
	}
}

// textFields are what has text of a schema that is no name. Of a backend only its
// lang_text.go reads them, so that all goes through the functions there.
var textFields = []string{"Doc", "Deprecated", "Str", "Reason", "Custom", "Args"}

// quoting are the functions that a name in JSON may be an argument of.
var quoting = []string{"quote", "quoteJSON", "stringView", "bothNames", "jsonName"}

func TestOneFileOfEachBackendPrintsTexts(t *testing.T) {
	backends, err := filepath.Glob("*/lang.go")
	if err != nil || len(backends) < 3 {
		t.Fatalf("%d backends: %v", len(backends), err)
	}
	for _, b := range backends {
		paths, err := filepath.Glob(filepath.Dir(b) + "/*.go")
		if err != nil || len(paths) < 8 {
			t.Fatalf("%d files: %v", len(paths), err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") || filepath.Base(path) == "lang_text.go" {
				continue
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			inspect(file, nil, func(n ast.Node, calls []string) {
				if read := textRead(n, calls); read != "" {
					t.Errorf("%s: %s is text of a schema, which only lang_text.go may print", fset.Position(n.Pos()), read)
				}
			})
		}
	}
}

// inspect visits a tree with the names of the functions whose arguments a node is in.
func inspect(n ast.Node, calls []string, visit func(ast.Node, []string)) {
	visit(n, calls)
	children := []ast.Node{}
	ast.Inspect(n, func(child ast.Node) bool {
		if child != nil && child != n {
			children = append(children, child)
		}
		return child == n
	})
	for _, child := range children {
		within := calls
		if call, ok := n.(*ast.CallExpr); ok && child != ast.Node(call.Fun) {
			within = append(slices.Clone(calls), nameOf(call.Fun))
		}
		inspect(child, within, visit)
	}
}

func nameOf(fun ast.Expr) string {
	switch fun := fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return ""
}

// textRead is the text that a node reads, if it is one and no function in quoting gets it.
func textRead(n ast.Node, calls []string) string {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		if nameOf(n.X) == "lower" {
			return "" // a form of values, no field
		}
		isFileName := n.Sel.Name == "Path" && strings.EqualFold(nameOf(n.X), "pkg")
		if slices.Contains(textFields, n.Sel.Name) || isFileName {
			return n.Sel.Name
		}
	case *ast.CallExpr:
		name := nameOf(n.Fun)
		if strings.EqualFold(name, "jsonName") && (len(calls) == 0 || !slices.Contains(quoting, calls[len(calls)-1])) {
			return name
		}
	case *ast.IndexExpr:
		key, ok := n.Index.(*ast.BasicLit)
		names, isNames := n.X.(*ast.SelectorExpr)
		if ok && isNames && names.Sel.Name == "Names" && key.Value == `"json"` && len(calls) > 0 {
			return "Names[json]"
		}
	}
	return ""
}
