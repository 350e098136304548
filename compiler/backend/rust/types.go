package rust

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

const (
	// inlineArrayBytesMax is how large an array may be in memory and still lie in
	// the struct that has it.
	inlineArrayBytesMax = 1 << 10
	// inlineOptionalBytesMax is how large a struct may be in memory for an optional
	// one to lie in the struct that has it. An absent one is one byte on the wire,
	// so what is larger costs a sender little and the receiver much.
	inlineOptionalBytesMax = 32
	// inlinePayloadBytesMax is how large an alternative's payload may be in memory
	// and still lie in the enum, whose size is that of its largest.
	inlinePayloadBytesMax = 64
	// fixedBytesMax is how many bytes a value of fixed size may have to be read and
	// written as one array, by value.
	fixedBytesMax = 1 << 10
	// pointerBytes is the size of a pointer on 64-bit machines, which sizes and
	// decisions are made for, whatever machine the code runs on.
	pointerBytes = 8
)

// form is one of the two forms that types are generated in: owned, or borrowed
// from the bytes that they were decoded from.
type form int

const (
	owned form = iota
	borrowed
)

// types spells the schema's types in Rust and knows what they take in memory.
type types struct {
	program *plan.Program
	pkg     *ir.Package
	imports map[*ir.Package]string
	// memory remembers what was measured; a type that is being measured has the
	// size 0, which ends recursion.
	memory map[ir.Decl]extent
	plains map[ir.Decl]bool
}

// extent is the size and alignment of a struct.
type extent struct{ size, align uint64 }

func newTypes(program *plan.Program, pkg *ir.Package, imports map[*ir.Package]string) *types {
	return &types{
		program: program, pkg: pkg, imports: imports,
		memory: map[ir.Decl]extent{}, plains: map[ir.Decl]bool{},
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
	name := typeName(d)
	if form == borrowed && !t.plain(d) {
		name = derived(name, "Ref")
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

// spell is the Rust type of typ.
func (t *types) spell(typ *ir.Type, form form) string {
	if typ.Alias != nil && (form == owned || t.plainType(typ)) {
		return t.qualified(typ.Alias.Package, declared(&typ.Alias.Meta, typ.Alias.Name))
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
		if form == borrowed && isNumber(typ.Elem) {
			return "Cow<'a, [" + t.spell(typ.Elem, form) + "]>"
		}
		return "Vec<" + t.spell(typ.Elem, form) + ">"
	case ir.ArrayKind:
		array := fmt.Sprintf("[%s; %d]", t.spell(typ.Elem, form), typ.N)
		if t.onHeap(typ) {
			return "Box<" + array + ">"
		}
		return array
	case ir.MapKind:
		return "BTreeMap<" + t.spell(typ.Key, form) + ", " + t.spell(typ.Elem, form) + ">"
	case ir.OptionalKind:
		if t.boxed(typ) {
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
		return !isNumber(typ.Elem) && t.plainBut(typ.Elem, seen)
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

// fixed reports whether values of the type are read and written as one array of
// bytes: the runtime's trait Fixed.
func (t *types) fixed(typ *ir.Type) bool {
	switch typ.Kind {
	case ir.ArrayKind:
		return t.fixed(typ.Elem) && !t.onHeap(typ) && t.program.SizeOf(typ).Min <= fixedBytesMax
	case ir.StructKind:
		return t.fixedDecl(typ.Decl)
	}
	return typ.Scalar() != 0
}

// fixedDecl is fixed of a declared struct.
func (t *types) fixedDecl(d ir.Decl) bool {
	s, isStruct := d.(*ir.Struct)
	if !isStruct || !t.program.Body(d).Fixed() || t.program.Body(d).Size.Min > fixedBytesMax {
		return false
	}
	for _, f := range s.Fields {
		if !t.fixed(f.Type) {
			return false
		}
	}
	return true
}

// onHeap reports whether an array is held in a Box.
func (t *types) onHeap(typ *ir.Type) bool {
	return typ.Kind == ir.ArrayKind && times(typ.N, t.size(typ.Elem)) > inlineArrayBytesMax
}

// boxed reports whether an optional holds its value in a Box: a message, whose
// size may grow in a later release, and what is large or recursive.
func (t *types) boxed(optional *ir.Type) bool {
	elem := optional.Elem
	if t.onHeap(elem) {
		return false
	}
	if t.grows(elem, map[ir.Decl]bool{}) || t.recursive(elem) {
		return true
	}
	switch elem.Kind {
	case ir.StructKind, ir.ArrayKind, ir.UnionKind:
		return t.size(elem) > inlineOptionalBytesMax
	}
	return false
}

// boxedPayload reports whether an alternative holds its payload in a Box.
func (t *types) boxedPayload(payload *ir.Type) bool {
	if t.onHeap(payload) {
		return false
	}
	return t.grows(payload, map[ir.Decl]bool{}) || t.recursive(payload) || t.size(payload) > inlinePayloadBytesMax
}

// recursive reports whether a value of the type may contain one of its own type
// without a list, map or optional between them.
func (t *types) recursive(typ *ir.Type) bool {
	switch typ.Kind {
	case ir.ArrayKind:
		return t.recursive(typ.Elem)
	case ir.StructKind, ir.MessageKind, ir.UnionKind:
		return t.program.Body(typ.Decl).Recursive
	}
	return false
}

// grows reports whether a value of the type has a message in it, not behind a
// pointer, so that its size in memory may change between releases.
func (t *types) grows(typ *ir.Type, seen map[ir.Decl]bool) bool {
	switch typ.Kind {
	case ir.MessageKind:
		return true
	case ir.ArrayKind:
		return t.grows(typ.Elem, seen)
	case ir.StructKind:
		if seen[typ.Decl] {
			return false
		}
		seen[typ.Decl] = true
		for _, f := range typ.Struct().Fields {
			if t.grows(f.Type, seen) {
				return true
			}
		}
	}
	return false
}

// size is at least what a value takes in memory on a 64-bit machine, without what
// it points at.
func (t *types) size(typ *ir.Type) uint64 {
	switch typ.Kind {
	case ir.StrKind, ir.BytesKind, ir.ListKind, ir.MapKind:
		return 3 * pointerBytes
	case ir.ArrayKind:
		if t.onHeap(typ) {
			return pointerBytes
		}
		return times(typ.N, t.size(typ.Elem))
	case ir.OptionalKind:
		switch {
		case t.boxed(typ) || t.onHeap(typ.Elem):
			return pointerBytes
		case typ.Elem.Kind == ir.StrKind || typ.Elem.Kind == ir.BytesKind || typ.Elem.Kind == ir.ListKind:
			return 3 * pointerBytes
		}
		return roundUp(t.size(typ.Elem)+1, t.align(typ.Elem))
	case ir.StructKind, ir.MessageKind, ir.UnionKind:
		return t.extent(typ.Decl).size
	}
	return scalars.Of(typ.Scalar()).size
}

func (t *types) extent(d ir.Decl) extent {
	if known, ok := t.memory[d]; ok {
		return known
	}
	t.memory[d] = extent{align: 1}
	all := extent{align: 1}
	switch d := d.(type) {
	case *ir.Union:
		all = t.unionExtent(d)
	default:
		for _, f := range fieldsOf(d) {
			all.size += t.size(f.Type)
			all.align = max(all.align, t.align(f.Type))
		}
	}
	if m, ok := d.(*ir.Message); ok && m.KeepUnknown {
		all = extent{all.size + 3*pointerBytes, pointerBytes}
	}
	all.size = roundUp(all.size, all.align)
	t.memory[d] = all
	return all
}

// unionExtent is that of the largest alternative, and the tag.
func (t *types) unionExtent(u *ir.Union) extent {
	all := extent{align: 1}
	if !u.Closed {
		all = extent{3 * pointerBytes, pointerBytes}
	}
	for _, a := range u.Alternatives {
		switch {
		case a.Type == nil:
		case t.boxedPayload(a.Type):
			all = extent{max(all.size, pointerBytes), pointerBytes}
		default:
			all = extent{max(all.size, t.size(a.Type)), max(all.align, t.align(a.Type))}
		}
	}
	return extent{all.size + all.align, all.align}
}

// align is the alignment of a type in memory.
func (t *types) align(typ *ir.Type) uint64 {
	switch typ.Kind {
	case ir.ArrayKind:
		if !t.onHeap(typ) {
			return t.align(typ.Elem)
		}
	case ir.OptionalKind:
		if !t.boxed(typ) {
			return t.align(typ.Elem)
		}
	case ir.StructKind, ir.MessageKind, ir.UnionKind:
		return t.extent(typ.Decl).align
	case ir.UUIDKind:
		return 1
	}
	if kind := typ.Scalar(); kind != 0 {
		return scalars.Of(kind).size
	}
	return pointerBytes
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

func roundUp(n, to uint64) uint64 { return (n + to - 1) / to * to }

// times multiplies without overflow; what is too large stays so.
func times(a, b uint64) uint64 {
	if b != 0 && a > 1<<62/b {
		return 1 << 62
	}
	return a * b
}
