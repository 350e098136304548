package compiler_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// choice is what switches of the compiler choose between: constants of a type, or
// types that are one interface.
type choice struct {
	pkg  string // the package that declares it
	what string
	all  []string
	// least is how many a switch names that has to name all. One that names fewer
	// asks about some of them.
	least int
}

// choices reads what there is to choose from the packages that declare it.
func choices(t *testing.T) []choice {
	scalars := constants(t, "ir/scalars.gen.go", "Kind")
	forms := constants(t, "ir/type.go", "Kind")
	classes := constants(t, "ir/scalar.go", "Class")
	ops := operations(t)
	if len(scalars) < 14 || len(forms) < 10 || len(classes) < 7 || len(ops) < 8 {
		t.Fatalf("found %v, %v, %v and %v only", scalars, forms, classes, ops)
	}
	// An enum is left to what knows scalars, which it is one of.
	forms = slices.DeleteFunc(forms, func(name string) bool { return name == "EnumKind" })
	return []choice{
		{"ir", "scalars", scalars, 1},
		{"ir", "classes of scalars", classes, 2},
		{"ir", "kinds that are no scalars", forms, len(forms)/2 + 1},
		{"plan", "ops", ops, len(ops)/2 + 1},
	}
}

func parsed(t *testing.T, path string, text any) (*token.FileSet, *ast.File) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return files, file
}

// constants are the names of the constants that a file declares of a type: those
// of a group that begins with one.
func constants(t *testing.T, path, typ string) []string {
	_, file := parsed(t, path, nil)
	var names []string
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		if first, ok := group.Specs[0].(*ast.ValueSpec).Type.(*ast.Ident); !ok || first.Name != typ {
			continue
		}
		for _, s := range group.Specs {
			names = append(names, s.(*ast.ValueSpec).Names[0].Name)
		}
	}
	return names
}

// operations are the types of package plan that are ops: those that embed common,
// and those with a method OpSize of their own.
func operations(t *testing.T) []string {
	_, file := parsed(t, "plan/plan.go", nil)
	var names []string
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			if s, ok := n.Type.(*ast.StructType); ok && slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool {
				embedded, ok := f.Type.(*ast.Ident)
				return ok && len(f.Names) == 0 && embedded.Name == "common"
			}) {
				names = append(names, n.Name.Name)
			}
		case *ast.FuncDecl:
			if receiver := receiverOf(n); n.Name.Name == "OpSize" && receiver != "common" {
				names = append(names, receiver)
			}
		}
		return true
	})
	return names
}

func receiverOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	if pointer, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
		return pointer.X.(*ast.Ident).Name
	}
	return ""
}

// nameOf is the name that a case lists, as package and name; within its package
// a name stands alone.
func nameOf(e ast.Expr, pkg string) (of, name string) {
	if pointer, ok := e.(*ast.StarExpr); ok {
		e = pointer.X
	}
	switch e := e.(type) {
	case *ast.Ident:
		return pkg, e.Name
	case *ast.SelectorExpr:
		if of, ok := e.X.(*ast.Ident); ok {
			return of.Name, e.Sel.Name
		}
	}
	return "", ""
}

// missing are those of a choice that a switch leaves out: nothing for a switch
// that is about something else, names all, or fails for what it does not name,
// in a default or in the statement behind it.
func (c choice) missing(body *ast.BlockStmt, behind ast.Stmt, pkg string) []string {
	var named []string
	covered := behind != nil && fails(behind)
	for _, s := range body.List {
		clause := s.(*ast.CaseClause)
		if clause.List == nil {
			covered = len(clause.Body) > 0 && fails(clause.Body[len(clause.Body)-1])
		}
		for _, e := range clause.List {
			if of, name := nameOf(e, pkg); of == c.pkg && slices.Contains(c.all, name) {
				named = append(named, name)
			}
		}
	}
	if covered || len(named) < c.least {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.all), func(name string) bool { return slices.Contains(named, name) })
}

// fails reports whether a statement always panics, as the table of scalars does
// for any other kind, or returns an error.
func fails(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.ExprStmt, *ast.ReturnStmt, *ast.AssignStmt:
	default:
		return false
	}
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch of, name := nameOf(call.Fun, ""); of + "." + name {
		case ".panic", "scalars.Of", "fmt.Errorf", "errors.New":
			found = true
		}
		return true
	})
	return found
}

// switches calls f with each switch of a file and the statement behind it.
func switches(file *ast.File, f func(body *ast.BlockStmt, behind ast.Stmt)) {
	ast.Inspect(file, func(n ast.Node) bool {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		}
		for i, s := range list {
			var behind ast.Stmt
			if i+1 < len(list) {
				behind = list[i+1]
			}
			switch s := s.(type) {
			case *ast.SwitchStmt:
				f(s.Body, behind)
			case *ast.TypeSwitchStmt:
				f(s.Body, behind)
			}
		}
		return true
	})
}

// partial are the switches of a file that leave something out in silence.
func partial(all []choice, files *token.FileSet, file *ast.File) (complaints []string) {
	switches(file, func(body *ast.BlockStmt, behind ast.Stmt) {
		for _, c := range all {
			if missing := c.missing(body, behind, file.Name.Name); len(missing) > 0 {
				complaints = append(complaints, fmt.Sprintf("%s: a switch names some of the %s, but not %s", files.Position(body.Pos()), c.what, strings.Join(missing, ", ")))
			}
		}
	})
	return complaints
}

// TestSwitchesLeaveOutNoKindAndNoOp keeps a scalar, a kind or an op that is new
// from being passed over: a switch over kinds or classes names all of them, or
// fails for those that it does not name. Scalars one by one are for tables.
func TestSwitchesLeaveOutNoKindAndNoOp(t *testing.T) {
	all := choices(t)
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.Name() == "testdata" {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files, file := parsed(t, path, nil)
		for _, complaint := range partial(all, files, file) {
			t.Error(complaint)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPartialSwitchIsFound(t *testing.T) {
	all := choices(t)
	for _, c := range []struct{ statements, left string }{
		{"switch k { case ir.F32: }", "Bool, U8"},
		{"switch k { case ir.F32: default: x() }", "Bool, U8"},
		{"switch k { case ir.F32: default: panic(k) }", ""},
		{"switch k { case ir.F32: }; panic(k)", ""},
		{"switch k { case ir.F32: default: return fmt.Errorf(k) }", ""},
		{"switch k.Class() { case ir.BoolClass, ir.FloatClass: }", "UnsignedClass, SignedClass"},
		{"if x { switch op := op.(type) { case *plan.Run, *plan.Text, *plan.Blob, *plan.List, *plan.Array, *plan.Optional, *plan.Map: } }", "Nested"},
		{"switch k { case ir.StrKind, ir.ListKind: }", ""},
		{"switch k { case ir.StrKind, ir.ListKind, ir.MapKind, ir.OptionalKind, ir.ArrayKind: return 1 }; return 0", "BytesKind, UnionKind"},
		{"switch k { case ir.StrKind, ir.ListKind, ir.MapKind, ir.OptionalKind, ir.ArrayKind: return 1 }; return scalars.Of(k).size", ""},
		{"switch k { case ir.F32: }; if x { panic(k) }", "Bool, U8"},
		{"switch v { case other.F32: }", ""},
	} {
		files, file := parsed(t, "a.go", "package a\nfunc f() { "+c.statements+" }")
		got := partial(all, files, file)
		if (len(got) > 0) != (c.left != "") || c.left != "" && !strings.Contains(got[0], "but not "+c.left) {
			t.Errorf("%s: %q, want %q", c.statements, got, c.left)
		}
	}
}
