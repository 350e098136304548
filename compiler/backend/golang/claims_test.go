package golang_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/backend/golang"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/internal/generated"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// declaring has a declaration of each kind, whose code declares all that there is.
const declaring = `
const most: u32 = 1;
type Alias = []u32;
enum Enum: u8 { member = 0 }
@id(1) union Union { empty = 1, Inline { a: []u32 } = 2, Struct(Struct) = 3 }
@id(2) struct Struct { a: map<str, Enum>, b: ?Alias }
@id(3) @keep_unknown message Letter { a: str, b: Union }
service Service { call ask(Struct) -> Letter = 1; event tell(Struct) = 2; stream flow(Struct) -> stream Struct = 3; }
`

// declared are the exported names of the code of a schema, as far as packages have them.
func declared(t *testing.T, schema string) ([]string, *diag.List) {
	t.Helper()
	program, problems := check.Program(check.Memory{"a.sdp": schema}, []string{"a.sdp"}, format.Canonical)
	if problems.HasErrors() {
		t.Fatalf("the schema is refused: %s", problems.Sorted()[0].Message)
	}
	files, problems := golang.Backend{}.Generate(plan.New(program), program.Roots[0], backend.Options{Runtime: "sdp", Parts: generated.WithServices.Parts})
	var names []string
	for _, f := range files {
		file, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Content, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			names = append(names, declaredBy(d)...)
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !ast.IsExported(name) })
	return names, problems
}

// declaredBy are the package's names that a declaration makes.
func declaredBy(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

func TestEveryExportedNameIsClaimed(t *testing.T) {
	names, problems := declared(t, declaring)
	if problems.Len() > 0 || len(names) < 80 {
		t.Fatalf("%d names, %d problems", len(names), problems.Len())
	}
	for _, name := range names {
		if slices.Contains([]string{"Alias", "Enum", "Union", "Struct", "Letter"}, name) {
			continue // the schema's own
		}
		beside, problems := declared(t, declaring+"enum "+name+": u8 { a = 0 }\n")
		slices.Sort(beside)
		if !problems.HasErrors() && len(slices.Compact(slices.Clone(beside))) < len(beside) {
			t.Errorf("a type called %s meets what is generated, and nothing is reported", name)
		}
	}
}
