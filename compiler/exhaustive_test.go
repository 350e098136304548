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
}

// choices reads what there is to choose from the packages that declare it.
func choices(t *testing.T) []choice {
	scalars := constants(t, "ir/scalars.gen.go", "Kind")
	kinds := constants(t, "ir/type.go", "Kind")
	classes := constants(t, "ir/scalar.go", "Class")
	ops := operations(t)
	forms := constants(t, "lower/value.go", "Form")
	if len(scalars) < 14 || len(kinds) < 10 || len(classes) < 7 || len(ops) < 8 || len(forms) < 14 {
		t.Fatalf("found %v, %v, %v, %v and %v only", scalars, kinds, classes, ops, forms)
	}
	// An enum is left to what knows scalars, which it is one of.
	kinds = slices.DeleteFunc(kinds, func(name string) bool { return name == "EnumKind" })
	forms = slices.DeleteFunc(forms, func(name string) bool { return name == "forms" }) // their number
	return []choice{
		{"ir", "scalars", scalars},
		{"ir", "classes of scalars", classes},
		{"ir", "kinds that are no scalars", kinds},
		{"plan", "ops", ops},
		{"lower", "forms of values", forms},
	}
}

// asking are functions that ask about some of a choice, and leave the others to one that
// leaves out none.
var asking = map[string]string{
	"compat/typechange.go spell":  "Kind.String has a word for each kind",
	"interp/default.go defaultOf": "zero makes a value of each kind",
	"plan/fingerprint.go typ":     "word has one for each kind, and parts knows what each holds",
}

func parsed(t *testing.T, path string, text any) (*token.FileSet, *ast.File) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return files, file
}

// constants are the names of the constants of a type in a file: the constants of a group whose
// first one has the type.
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

// operations are the types of package plan that are ops: types that embed common, and types with a
// method OpSize of their own.
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

// named are the members of a choice that the cases of a switch list.
func (c choice) named(body *ast.BlockStmt, pkg string) (names []string) {
	for _, s := range body.List {
		for _, e := range s.(*ast.CaseClause).List {
			if of, name := nameOf(e, pkg); of == c.pkg && slices.Contains(c.all, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// missing are the members of a choice that a switch leaves out. There are none for a switch about
// something else. There are none, either, where it names all, together with others of its list over
// the same value, or fails for unnamed members, in a default or in a statement behind it.
func (c choice) missing(list []ast.Stmt, at int, pkg string) []string {
	body, over := switchOf(list[at])
	if body == nil || len(c.named(body, pkg)) == 0 {
		return nil
	}
	var named []string
	for i, s := range list {
		other, same := switchOf(s)
		if other != nil && (i == at || over != "" && same == over) {
			named = append(named, c.named(other, pkg)...)
			if i >= at && defaultFails(other) {
				return nil
			}
		}
		switch s.(type) {
		case *ast.ExprStmt, *ast.ReturnStmt, *ast.AssignStmt:
			if i > at && fails(s) {
				return nil
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(c.all), func(name string) bool { return slices.Contains(named, name) })
}

// switchOf is the body of a switch, or nil, and the value that it is over, where it has a
// name.
func switchOf(s ast.Stmt) (body *ast.BlockStmt, over string) {
	switch s := s.(type) {
	case *ast.SwitchStmt:
		if selected, ok := s.Tag.(*ast.SelectorExpr); ok {
			if of, ok := selected.X.(*ast.Ident); ok {
				over = of.Name + "." + selected.Sel.Name
			}
		}
		return s.Body, over
	case *ast.TypeSwitchStmt:
		return s.Body, ""
	}
	return nil, ""
}

// defaultFails reports whether a switch fails for unnamed members.
func defaultFails(body *ast.BlockStmt) bool {
	return slices.ContainsFunc(body.List, func(s ast.Stmt) bool {
		clause := s.(*ast.CaseClause)
		return clause.List == nil && len(clause.Body) > 0 && fails(clause.Body[len(clause.Body)-1])
	})
}

// fails reports whether a statement always panics, as the table of scalars does
// for any other kind, returns an error, or reports a problem.
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
		if called, ok := call.Fun.(*ast.SelectorExpr); ok && called.Sel.Name == "Error" {
			on, ok := called.X.(*ast.SelectorExpr)
			found = found || ok && on.Sel.Name == "problems"
		}
		return true
	})
	return found
}

// lists calls f with each list of statements of a tree.
func lists(tree ast.Node, f func(list []ast.Stmt)) {
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			f(n.List)
		case *ast.CaseClause:
			f(n.Body)
		}
		return true
	})
}

// partial are the switches of a file that leave something out in silence, by the functions
// that they are in.
func partial(all []choice, files *token.FileSet, file *ast.File) map[string][]string {
	complaints := map[string][]string{}
	for _, d := range file.Decls {
		in := ""
		if f, ok := d.(*ast.FuncDecl); ok {
			in = f.Name.Name
		}
		lists(d, func(list []ast.Stmt) {
			for i := range list {
				for _, c := range all {
					if missing := c.missing(list, i, file.Name.Name); len(missing) > 0 {
						complaints[in] = append(complaints[in], fmt.Sprintf("%s: a switch names some of the %s, but not %s",
							files.Position(list[i].Pos()), c.what, strings.Join(missing, ", ")))
					}
				}
			}
		})
	}
	return complaints
}

// TestSwitchesLeaveOutNoKindAndNoOp keeps a new scalar, kind, op or form from being passed over: a
// switch that names one of them names all, or fails for unnamed members. Scalars one by one are for
// tables.
func TestSwitchesLeaveOutNoKindAndNoOp(t *testing.T) {
	all, asked := choices(t), map[string]bool{}
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
		for in, complaints := range partial(all, files, file) {
			at := filepath.ToSlash(path) + " " + in
			if asking[at] != "" {
				asked[at] = true
				continue
			}
			t.Error(strings.Join(complaints, "\n"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for at := range asking {
		if !asked[at] {
			t.Errorf("%s leaves out nothing, and need not be listed", at)
		}
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
		{"switch k { case ir.StrKind, ir.ListKind: }", "BytesKind, ArrayKind"},
		{"switch op.(type) { case *plan.Run: }", "Text, Blob"},
		{"switch f { case lower.Map: }", "Scalar, Enum"},
		{"switch t.Kind { case ir.StrKind: }; switch t.Kind { case ir.BytesKind: default: panic(t) }", ""},
		{"switch t.Kind { case ir.StrKind: }; switch t.Kind { case ir.BytesKind: }", "ListKind, ArrayKind"},
		{"switch t.Kind { case ir.StrKind: default: panic(t) }; switch t.Kind { case ir.BytesKind: }", "ListKind, ArrayKind"},
		{"switch k { case ir.StrKind: }; x(); return fmt.Errorf(k)", ""},
		{"switch k { case ir.StrKind: }; u.problems.Error(k).WithHelp(k)", ""},
		{"switch k { case ir.StrKind, ir.ListKind, ir.MapKind, ir.OptionalKind, ir.ArrayKind: return 1 }; return 0", "BytesKind, UnionKind"},
		{"switch k { case ir.StrKind, ir.ListKind, ir.MapKind, ir.OptionalKind, ir.ArrayKind: return 1 }; return scalars.Of(k).size", ""},
		{"switch k { case ir.F32: }; if x { panic(k) }", "Bool, U8"},
		{"switch v { case other.F32: }", ""},
	} {
		files, file := parsed(t, "a.go", "package a\nfunc f() { "+c.statements+" }")
		got := partial(all, files, file)["f"]
		if (len(got) > 0) != (c.left != "") || c.left != "" && !strings.Contains(got[0], "but not "+c.left) {
			t.Errorf("%s: %q, want %q", c.statements, got, c.left)
		}
	}
}
