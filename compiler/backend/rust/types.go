package rust

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/memory"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// form is one of the forms that types are generated in: owned, borrowed from the
// bytes that they were decoded from, or viewed where the bytes lie.
type form int

const (
	owned form = iota
	borrowed
	viewed
)

// types spells the schema's types in Rust and knows what they take in memory.
type types struct {
	*memory.Costs
	program *plan.Program
	pkg     *ir.Package
	names   *names.Table
	imports map[*ir.Package]string
	plains  map[ir.Decl]bool
}

func newTypes(program *plan.Program, pkg *ir.Package, imports map[*ir.Package]string, table *names.Table) *types {
	return &types{
		Costs: memory.New(program, memory.Rust), program: program, pkg: pkg, names: table,
		imports: imports, plains: map[ir.Decl]bool{},
	}
}

// qualified is a name with its module, where that isn't the one generated.
func (t *types) qualified(pkg *ir.Package, name string) string {
	if pkg == t.pkg {
		return name
	}
	return t.imports[pkg] + "::" + name
}

// name is the Rust type of a declared type without generics, for paths.
func (t *types) name(d ir.Decl, form form) string {
	name := t.names.Of(d)
	if form == borrowed && !t.plain(d) {
		name = t.names.Get(d, names.Ref)
	}
	return t.qualified(d.DeclPackage(), name)
}

// decl is the Rust type of a declared type.
func (t *types) decl(d ir.Decl, form form) string {
	name := t.name(d, form)
	if form == borrowed && !t.plain(d) {
		name += "<'a>"
	}
	return name
}

// unspelled is what a panic says of a type that generated code has no statement
// for.
func unspelled(t *ir.Type) string { return "rust: nothing is written for a " + t.Kind.String() }

// spell is the Rust type of typ.
func (t *types) spell(typ *ir.Type, form form) string {
	if typ.Alias != nil && (form == owned || t.plainType(typ)) {
		return t.qualified(typ.Alias.Package, t.names.Of(typ.Alias))
	}
	return t.spellUnnamed(typ, form)
}

// spellUnnamed is the Rust type of typ whatever alias spelled it.
func (t *types) spellUnnamed(typ *ir.Type, form form) string {
	switch typ.Kind {
	case ir.StrKind:
		return pick(form, "String", "&'a str")
	case ir.BytesKind:
		return pick(form, "Vec<u8>", "&'a [u8]")
	case ir.ListKind:
		if form == borrowed && memory.IsNumber(typ.Elem) {
			return "Cow<'a, [" + t.spell(typ.Elem, form) + "]>"
		}
		return "Vec<" + t.spell(typ.Elem, form) + ">"
	case ir.ArrayKind:
		array := fmt.Sprintf("[%s; %d]", t.spell(typ.Elem, form), typ.N)
		if t.OnHeap(typ) {
			return "Box<" + array + ">"
		}
		return array
	case ir.MapKind:
		return "BTreeMap<" + t.spell(typ.Key, form) + ", " + t.spell(typ.Elem, form) + ">"
	case ir.OptionalKind:
		if t.Boxed(typ) {
			return "Option<Box<" + t.spell(typ.Elem, form) + ">>"
		}
		return "Option<" + t.spell(typ.Elem, form) + ">"
	case ir.EnumKind, ir.UnionKind, ir.StructKind, ir.MessageKind:
		return t.decl(typ.Decl, form)
	}
	return scalars.Of(typ.Kind).name
}

func pick(form form, ifOwned, ifBorrowed string) string {
	if form == owned {
		return ifOwned
	}
	return ifBorrowed
}

// plainType reports whether a type holds nothing that could be borrowed, so that
// its owned form is its borrowed form too.
func (t *types) plainType(typ *ir.Type) bool {
	return t.plainBut(typ, map[ir.Decl]bool{})
}

// plain is plainType of a declared type.
func (t *types) plain(d ir.Decl) bool {
	if known, ok := t.plains[d]; ok {
		return known
	}
	plain := t.plainDecl(d, map[ir.Decl]bool{})
	t.plains[d] = plain
	return plain
}

// plainBut looks at a type and at what it holds, but for what was seen.
func (t *types) plainBut(typ *ir.Type, seen map[ir.Decl]bool) bool {
	switch typ.Kind {
	case ir.StrKind, ir.BytesKind:
		return false
	case ir.ListKind:
		return !memory.IsNumber(typ.Elem) && t.plainBut(typ.Elem, seen)
	case ir.MapKind:
		return t.plainBut(typ.Key, seen) && t.plainBut(typ.Elem, seen)
	case ir.ArrayKind, ir.OptionalKind:
		return t.plainBut(typ.Elem, seen)
	case ir.EnumKind, ir.UnionKind, ir.StructKind, ir.MessageKind:
		return t.plainDecl(typ.Decl, seen)
	}
	return true
}

// plainDecl is plainBut of a declared type. A message may hold anything in a later
// release, and an open union holds what it doesn't know.
func (t *types) plainDecl(d ir.Decl, seen map[ir.Decl]bool) bool {
	if seen[d] {
		return true
	}
	seen[d] = true
	switch d := d.(type) {
	case *ir.Message:
		return false
	case *ir.Struct:
		for _, f := range d.Fields {
			if !t.plainBut(f.Type, seen) {
				return false
			}
		}
	case *ir.Union:
		for _, a := range d.Alternatives {
			if a.Type != nil && !t.plainBut(a.Type, seen) {
				return false
			}
		}
		return d.Closed
	}
	return true
}
