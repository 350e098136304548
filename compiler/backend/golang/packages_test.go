package golang_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/internal/generated"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

func TestPackagesHaveNamesAndFoldersThatGoTakes(t *testing.T) {
	for name, want := range map[string]struct{ folder, clause string }{
		"audio.host":      {"audio/host", "package host\n"},
		"main":            {"main", "package sdpmain\n"},
		"init":            {"init", "package sdpinit\n"},
		"documentation":   {"documentation", "package sdpdocumentation\n"},
		"_":               {"sdp_", "package sdp\n"},
		"audio._x":        {"audio/sdp_x", "package x\n"},
		"func":            {"func", "package sdpfunc\n"},
		"internal.vendor": {"internal_/vendor_", "package vendor\n"},
		"a.con.x":         {"a/con_/x", "package x\n"},
		"COM1":            {"COM1_", "package com1\n"},
	} {
		if got := golang.Folder(&ir.Package{Name: name}); got != want.folder {
			t.Errorf("%s lies in %s", name, got)
		}
		generated, _ := compile(t, check.Memory{"a.sdp": "package " + name + "; struct S { a: u8 }"}, "a.sdp")
		for file, text := range generated {
			if strings.HasSuffix(file, "types.sdp.go") && !strings.Contains(string(text), want.clause) {
				t.Errorf("%s is not %q", name, want.clause)
			}
		}
	}
}

// TestImportedPackagesOfOneNameAreToldApart looks at what Go refuses: two imports of one name.
func TestImportedPackagesOfOneNameAreToldApart(t *testing.T) {
	paths := []string{"a.v1", "b.v1", "x.bv1", "x.b.v1", "v1", "c", "x.c", "int", "y.int", "client", "z.client"}
	files, text, fields := check.Memory{}, "package m;\n", ""
	for i, path := range paths {
		file := fmt.Sprintf("f%d.sdp", i)
		files[file] = "package " + path + "; struct S { a: u8 }"
		text += fmt.Sprintf("import %q as i%d;\n", file, i)
		fields += fmt.Sprintf("f%[1]d: i%[1]d.S, ", i)
	}
	files["m.sdp"] = text + "struct M { " + fields + "} service D { call a(M) -> i0.S = 1; call b(i9.S) -> i10.S = 2; }"
	made, problems := code.Of(generated.Checked(t, files, "m.sdp"), generated.WithServices)
	if problems.HasErrors() {
		t.Fatal(problems.Sorted()[0].Message)
	}
	for _, name := range []string{"types", "codec", "view", "services"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, made["m/"+name+".sdp.go"], parser.ImportsOnly)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		seen := map[string]string{}
		for _, imported := range file.Imports {
			if imported.Name == nil {
				continue
			}
			if other := seen[imported.Name.Name]; other != "" {
				t.Errorf("%s: %s and %s are both %s", name, other, imported.Path.Value, imported.Name.Name)
			}
			seen[imported.Name.Name] = imported.Path.Value
		}
		if name == "types" && len(seen) != len(paths) {
			t.Errorf("%d of %d packages are imported: %v", len(seen), len(paths), seen)
		}
	}
}

// TestVariablesAreDeclaredWhereTheyAreUsed looks at what Go refuses: a variable that
// is declared twice, or that nothing uses.
func TestVariablesAreDeclaredWhereTheyAreUsed(t *testing.T) {
	for _, c := range []struct{ name, schema, never, once string }{
		{"two arrays on the heap", "struct S { x: [1025]u8, y: [2000]u8 }", "x[:])\n\tx := ", "{\n\t\tx := sdp.ArrayOr(v.Y)"},
		{"alternatives without payload", "@closed union U { A = 1, B = 2 }", "SDPEncode(e *sdp.Encoder, b []byte, p int) int {\n\tswitch a :=", "\tswitch v.Value.(type) {"},
		{"entries without bytes", "struct N {} struct S { m: map<u8, N> }", "value := v.M[key]\n\t\t\tw =", "range sdp.SortedKeys"},
	} {
		generated, _ := compile(t, check.Memory{"a.sdp": c.schema}, "a.sdp")
		code := string(generated["a/codec.sdp.go"])
		if strings.Contains(code, c.never) || !strings.Contains(code, c.once) {
			t.Errorf("%s: the code is\n%s", c.name, code)
		}
	}
}

func TestMethodsHaveNoNameThatGoVetKnows(t *testing.T) {
	generated, problems := compile(t, check.Memory{"a.sdp": `
		struct S { read_byte: u8, error: str, is: str } struct T { is: str }
		union U { Body { tag: u8 } = 1, GobEncode = 2 }`}, "a.sdp")
	if problems.Len() > 0 {
		t.Fatal(problems.Sorted()[0].Message)
	}
	views, types := string(generated["a/view.sdp.go"]), string(generated["a/types.sdp.go"])
	for _, want := range []string{"SView) ReadByte_()", "SView) Is_()", "TView) Is()", "UView) GobEncode_()"} {
		if !strings.Contains(views, want) {
			t.Errorf("there is no %s", want)
		}
	}
	if !strings.Contains(types, "\tTag_ uint8") || !strings.Contains(types, "\tReadByte uint8") {
		t.Errorf("the types are\n%s", types)
	}
}

// TestNoImportHasTheNameOfAVariable imports a package by the name of each variable of generated code
// of all kinds of types: it has to get another name there.
func TestNoImportHasTheNameOfAVariable(t *testing.T) {
	locals := map[string]bool{}
	for name, text := range code.Must(t, generated.Shared(t), generated.WithServices) {
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field:
				for _, name := range n.Names {
					locals[name.Name] = true
				}
			case *ast.AssignStmt:
				for _, left := range n.Lhs {
					if name, ok := left.(*ast.Ident); ok && n.Tok == token.DEFINE {
						locals[name.Name] = true
					}
				}
			case *ast.RangeStmt:
				for _, left := range []ast.Expr{n.Key, n.Value} {
					if name, ok := left.(*ast.Ident); ok {
						locals[name.Name] = true
					}
				}
			case *ast.ValueSpec:
				for _, name := range n.Names {
					locals[name.Name] = true
				}
			case *ast.StructType:
				return false
			}
			return true
		})
	}
	if len(locals) < 20 {
		t.Fatalf("only %d variables were found", len(locals))
	}
	for name := range locals {
		if name == "_" || strings.ToLower(name) != name {
			continue // which no package is called
		}
		made, problems := code.Of(generated.Checked(t, check.Memory{
			"other.sdp": "package x." + name + "; message S { a: u8 }",
			"m.sdp":     "package m; import \"other.sdp\" as other; message M { a: other.S } service D { call a(M) -> other.S = 1; }",
		}, "m.sdp"), generated.WithServices)
		if problems.HasErrors() {
			continue // it is a word of the language
		}
		for _, file := range []string{"m/view.sdp.go", "m/services.sdp.go"} {
			if strings.Contains(made[file], "\t"+name+" \"") {
				t.Errorf("%s imports a package as %s", file, name)
			}
		}
	}
}
