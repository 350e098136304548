package golang

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/memory"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// types spells the schema's types in Go and knows their sizes in memory.
type types struct {
	*memory.Costs
	program *plan.Program
	pkg     *ir.Package
	names   *names.Table
	// reserved are names that an imported package can't have in the printed file, beside the names
	// of all files.
	reserved []string
	// imports are the names of imported packages there, once one was asked for.
	imports map[*ir.Package]string
}

func newTypes(program *plan.Program, pkg *ir.Package, table *names.Table) *types {
	return &types{Costs: memory.New(program, memory.Go), program: program, pkg: pkg, names: table}
}

// qualified is a name with its package, where that isn't the one generated.
func (t *types) qualified(pkg *ir.Package, name string) string {
	if pkg == t.pkg {
		return name
	}
	return t.importName(pkg) + "." + name
}

// decl is the Go type of a declared type.
func (t *types) decl(d ir.Decl) string { return t.qualified(d.DeclPackage(), t.names.Of(d)) }

// spell is the Go type of typ.
func (t *types) spell(typ *ir.Type) string {
	if typ.Alias != nil {
		return t.qualified(typ.Alias.Package, t.names.Of(typ.Alias))
	}
	return t.spellUnnamed(typ)
}

// spellUnnamed is the Go type of typ without its alias.
func (t *types) spellUnnamed(typ *ir.Type) string { return t.fill(t.shape(typ).name, typ) }

// zero is a type's zero value.
func (t *types) zero(typ *ir.Type) string { return t.fill(t.shape(typ).zero, typ) }

// shape is how Go spells values of one form.
type shape struct{ name, zero string }

var shapes = lower.MustPerForm(map[lower.Form]shape{
	lower.Scalar:       {"$scalar$", "$nought$"},
	lower.Enum:         {"$decl$", "$nought$"},
	lower.Str:          {"string", `""`},
	lower.Bytes:        {"[]byte", "nil"},
	lower.List:         {"[]$elem$", "nil"},
	lower.Numbers:      {"[]$elem$", "nil"},
	lower.Array:        {"[$N$]$elem$", "[$N$]$elem${}"},
	lower.HeapArray:    {"*[$N$]$elem$", "nil"},
	lower.Optional:     {"sdp.Optional[$elem$]", "sdp.Optional[$elem$]{}"},
	lower.Boxed:        {"*$elem$", "nil"},
	lower.BoxedArray:   {"*$elem$", "nil"},
	lower.OptionalHeap: {"$elem$", "nil"},
	lower.Map:          {"map[$key$]$elem$", "nil"},
	lower.Declared:     {"$decl$", "$decl${}"},
	lower.Message:      {"$decl$", "$decl${}"},
})

func (t *types) shape(typ *ir.Type) shape { return shapes.Of(lower.FormOf(typ, t.Costs)) }

// fill fills the holes of a text about a type.
func (t *types) fill(text string, typ *ir.Type) string {
	return lower.FillHoles(text, func(hole string) string {
		switch hole {
		case "scalar":
			return scalars.Of(typ.Kind).name
		case "nought":
			return scalars.Of(typ.Scalar()).zero
		case "elem":
			return t.spell(typ.Elem)
		case "key":
			return t.spell(typ.Key)
		case "N":
			return fmt.Sprint(typ.N)
		case "decl":
			return t.decl(typ.Decl)
		}
		panic("golang: unknown hole " + hole)
	})
}
