package golang

import (
	"fmt"
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/memory"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// types spells the schema's types in Go and knows what they take in memory.
type types struct {
	*memory.Costs
	program *plan.Program
	pkg     *ir.Package
	// reserved are names that an imported package can't have in the file that is
	// printed, beside those of all files.
	reserved []string
}

func newTypes(program *plan.Program, pkg *ir.Package) *types {
	return &types{Costs: memory.New(program, memory.Go), program: program, pkg: pkg}
}

// declName is the Go name of a declared type, without its package.
func declName(d ir.Decl) string {
	if s, ok := d.(*ir.Struct); ok && s.Owner != nil {
		for _, a := range s.Owner.Alternatives {
			if a.Inline == s {
				return alternativeName(s.Owner, a)
			}
		}
	}
	name := nameOf(d.DeclMeta(), d.DeclName())
	if slices.Contains(packageTypes, name) {
		return name + "_"
	}
	return name
}

// packageTypes are type names whose functions would be the package's own, such
// as DecodeMessage.
var packageTypes = []string{"Message", "MessageReader", "MessageWith", "MessageWriter"}

// alternativeName is the Go type of one case of a union.
func alternativeName(u *ir.Union, a *ir.Alternative) string {
	return declName(u) + nameOf(&a.Meta, a.Name)
}

// qualified is a name with its package, where that isn't the one generated.
func (t *types) qualified(pkg *ir.Package, name string) string {
	if pkg == t.pkg {
		return name
	}
	return t.importName(pkg) + "." + name
}

// decl is the Go type of a declared type.
func (t *types) decl(d ir.Decl) string { return t.qualified(d.DeclPackage(), declName(d)) }

// spell is the Go type of typ.
func (t *types) spell(typ *ir.Type) string {
	if typ.Alias != nil {
		return t.qualified(typ.Alias.Package, nameOf(&typ.Alias.Meta, typ.Alias.Name))
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

func fieldsOf(d ir.Decl) []*ir.Field {
	switch d := d.(type) {
	case *ir.Struct:
		return d.Fields
	case *ir.Message:
		return d.Fields
	}
	return nil
}
