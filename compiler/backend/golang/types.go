package golang

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/memory"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// types spells the schema's types in Go and knows what they take in memory.
type types struct {
	*memory.Costs
	program *plan.Program
	pkg     *ir.Package
	names   *names.Table
	// reserved are names that an imported package can't have in the file that is
	// printed, beside those of all files.
	reserved []string
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

// spellUnnamed is the Go type of typ whatever alias spelled it.
func (t *types) spellUnnamed(typ *ir.Type) string {
	switch typ.Kind {
	case ir.StrKind:
		return "string"
	case ir.BytesKind:
		return "[]byte"
	case ir.ListKind:
		return "[]" + t.spell(typ.Elem)
	case ir.ArrayKind:
		array := fmt.Sprintf("[%d]%s", typ.N, t.spell(typ.Elem))
		if t.OnHeap(typ) {
			return "*" + array
		}
		return array
	case ir.MapKind:
		return "map[" + t.spell(typ.Key) + "]" + t.spell(typ.Elem)
	case ir.OptionalKind:
		switch {
		case t.OnHeap(typ.Elem):
			return t.spell(typ.Elem)
		case t.Boxed(typ):
			return "*" + t.spell(typ.Elem)
		}
		return "sdp.Optional[" + t.spell(typ.Elem) + "]"
	case ir.EnumKind, ir.UnionKind, ir.StructKind, ir.MessageKind:
		return t.decl(typ.Decl)
	}
	return scalars.Of(typ.Kind).name
}
