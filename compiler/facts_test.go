package compiler_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// knowers are the folders that may know how wide a length is and what stands
// before a value: the plan, and those below it, which have nothing to do with
// bytes. The checker gives lengths their width and bound, and asks like all
// others what follows from them.
var knowers = []string{"diag", "emit", "format", "internal", "ir", "plan", "source", "syntax", "testdata"}

// sizers are the folders in which 4 and 5 would be the heads of a message and a
// union.
var sizers = []string{"backend", "lower", "memory"}

// derived are names of functions that told such a fact of a type where it had
// to be asked for.
var derived = []string{
	"bound", "boundOrNone", "checked", "depthWithin", "elements", "elementsOf", "entrySize", "grows", "least", "lengthMax", "levels", "levelsOf",
	"partial", "recursive", "sizeHead", "widthMax",
}

// windowText finds the width of a window, or of a tag with one, in the text
// of generated code: `n += 4`, `p+5`, `5 + size`, `Skip4(`, `bytes::<4>`.
var windowText = regexp.MustCompile(`[\w)] ?[-+]=? ?[45]\b|\b[45] \+|\b(Bytes|Length|Number|Open|PutCount|Skip|String)4\(|<4>`)

const writtenOut = "it writes out the head of a union or message; plan.UnionHead and plan.WindowBytes are theirs"

// derivations are the places of a file where it derives what the plan knows.
func derivations(file *ast.File, sizes bool) map[token.Pos]string {
	found := map[token.Pos]string{}
	arithmetic := []token.Token{token.ADD, token.SUB, token.MUL, token.QUO, token.SHL, token.SHR}
	assigning := []token.Token{token.ADD_ASSIGN, token.SUB_ASSIGN, token.MUL_ASSIGN}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if slices.Contains(arithmetic, n.Op) && (isWidth(n.X) || isWidth(n.Y)) {
				found[n.Pos()] = "it computes with the width of a length; plan.Prefix, plan.WidthMax and plan.LengthMax do"
			}
			switch {
			case !sizes:
			case (isWidth(n.X) || isWidth(n.Y)) && (isHead(n.X) || isHead(n.Y)):
				found[n.Pos()] = "it compares the width of a length; plan.IsLengthBound does"
			case n.Op == token.MUL && isHead(n.X):
				found[n.Pos()] = writtenOut
			}
		case *ast.AssignStmt:
			if slices.Contains(assigning, n.Tok) && slices.ContainsFunc(n.Rhs, isWidth) {
				found[n.Pos()] = "it adds the width of a length; plan.Prefix is what stands before a value"
			}
			if sizes && slices.ContainsFunc(n.Rhs, isHead) {
				found[n.Pos()] = writtenOut
			}
		case *ast.ReturnStmt:
			if sizes && slices.ContainsFunc(n.Results, isHead) {
				found[n.Pos()] = writtenOut
			}
		case *ast.CallExpr:
			if isConversion(n) && isWidth(n.Args[0]) {
				found[n.Pos()] = "it makes a size of the width of a length; plan.Prefix is what stands before a value"
			}
		case *ast.FuncDecl:
			if slices.Contains(derived, n.Name.Name) && tellsOfType(n.Type) {
				found[n.Pos()] = "function " + n.Name.Name + " tells what plan.Traits, plan.SizeOf, plan.Grows or plan.Recursive does"
			}
		case *ast.BasicLit:
			text, err := strconv.Unquote(n.Value)
			if sizes && n.Kind == token.STRING && err == nil && windowText.MatchString(text) {
				found[n.Pos()] = "its text has the head of a union or message in digits; plan.UnionHead and plan.WindowBytes are theirs"
			}
		}
		return true
	})
	return found
}

// tellsOfType reports whether a function has one result, a number or a bool, and
// a parameter of package ir.
func tellsOfType(f *ast.FuncType) bool {
	if f.Results == nil || len(f.Results.List) != 1 {
		return false
	}
	result, ok := f.Results.List[0].Type.(*ast.Ident)
	return ok && slices.Contains([]string{"bool", "int", "uint64"}, result.Name) && slices.ContainsFunc(f.Params.List, func(p *ast.Field) bool {
		of := false
		ast.Inspect(p.Type, func(n ast.Node) bool {
			name, ok := n.(*ast.SelectorExpr)
			if ok {
				space, ok := name.X.(*ast.Ident)
				of = of || ok && space.Name == "ir"
			}
			return true
		})
		return of
	})
}

// isWidth reports whether an expression is the width of a length, converted or
// not.
func isWidth(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return isWidth(e.X)
	case *ast.CallExpr:
		return isConversion(e) && isWidth(e.Args[0])
	case *ast.SelectorExpr:
		return e.Sel.Name == "LenBytes"
	}
	return false
}

// isHead reports whether an expression is the number of a window's bytes, or of
// a tag's with it.
func isHead(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CallExpr:
		return isConversion(e) && isHead(e.Args[0])
	case *ast.UnaryExpr:
		return isHead(e.X)
	case *ast.BasicLit:
		return e.Value == "4" || e.Value == "5"
	}
	return false
}

func isConversion(call *ast.CallExpr) bool {
	name, ok := call.Fun.(*ast.Ident)
	return ok && len(call.Args) == 1 && slices.Contains([]string{"int", "int64", "uint64", "uint32", "uint"}, name.Name)
}

func TestFactsOfBytesAreAskedOfThePlan(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		folder, _, _ := strings.Cut(filepath.ToSlash(path), "/")
		if entry.IsDir() {
			if slices.Contains(knowers, folder) || entry.Name() == "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for at, why := range derivations(file, slices.Contains(sizers, folder)) {
			t.Errorf("%s: %s", set.Position(at), why)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 {
		t.Errorf("only %d files were found, so that the test looks in the wrong place", files)
	}
}

func TestDerivedFactsAreFound(t *testing.T) {
	for _, code := range []string{
		`func f() { most := 1<<(8*t.LenBytes) - 1 }`,
		`func f() { n := 3 + uint64(t.LenBytes) }`,
		`func f() { n += t.LenBytes }`,
		`func f() uint64 { return uint64(t.LenBytes) }`,
		`func f() { if t.LenBytes < 4 { } }`,
		`func f() { head := 5 }`,
		`func f() { head := uint64(5) }`,
		`func f() uint64 { return 4 }`,
		`func f() { head *= 5 }`,
		`func f() int64 { return -4*b.factor + owed }`,
		`func levels(t *ir.Type) int { return 0 }`,
		`func bound(t *ir.Type) uint64 { return *t.Max }`,
		`func (t *types) grows(typ *ir.Type) bool { return true }`,
		`func f() { g.Line("n += 4") }`,
		`func f() { g.Line("start := p + 5") }`,
		`func f() { g.Line("sdp.PutCount4(b, p)") }`,
		"func f() { g.Emit(nil, `wire::skip::<view::Bytes<4>>(s);`) }",
		`func f() { g.Line("return 5 + payload.size();") }`,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", "package a\n"+code, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if len(derivations(file, true)) == 0 {
			t.Errorf("nothing is found in %s", code)
		}
	}
}
