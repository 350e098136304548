package golang

import (
	"fmt"
	"slices"

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
	// pointerBytes is the size of a pointer on 64-bit machines, which sizes and
	// decisions are made for, whatever machine the code runs on.
	pointerBytes = 8
)

// types spells the schema's types in Go and knows what they take in memory.
type types struct {
	program *plan.Program
	pkg     *ir.Package
	// memory remembers what was measured; a struct that is being measured has the
	// size 0, which ends recursion.
	memory map[ir.Decl]extent
	// reserved are names that an imported package can't have in the file that is
	// printed, beside those of all files.
	reserved []string
}

// extent is the size and alignment of a struct.
type extent struct{ size, align uint64 }

func newTypes(program *plan.Program, pkg *ir.Package) *types {
	return &types{program: program, pkg: pkg, memory: map[ir.Decl]extent{}}
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
		if t.onHeap(typ) {
			return "*" + array
		}
		return array
	case ir.MapKind:
		return "map[" + t.spell(typ.Key) + "]" + t.spell(typ.Elem)
	case ir.OptionalKind:
		switch {
		case t.onHeap(typ.Elem):
			return t.spell(typ.Elem)
		case t.boxed(typ):
			return "*" + t.spell(typ.Elem)
		}
		return "sdp.Optional[" + t.spell(typ.Elem) + "]"
	case ir.EnumKind, ir.UnionKind, ir.StructKind, ir.MessageKind:
		return t.decl(typ.Decl)
	}
	return scalars.Of(typ.Kind).name
}

// onHeap reports whether an array is held by a pointer.
func (t *types) onHeap(typ *ir.Type) bool {
	return typ.Kind == ir.ArrayKind && times(typ.N, t.size(typ.Elem)) > inlineArrayBytesMax
}

// boxed reports whether an optional is a pointer: to a message, whose size may
// grow in a later release, and to a struct or array that is large or recursive.
func (t *types) boxed(optional *ir.Type) bool {
	if t.onHeap(optional.Elem) {
		return false // it is already
	}
	held := optional.Elem
	for held.Kind == ir.ArrayKind {
		held = held.Elem
	}
	switch {
	case held.Kind == ir.MessageKind:
		return true
	case held.Kind == ir.StructKind && (t.program.Body(held.Decl).Recursive || t.grows(held, map[ir.Decl]bool{})):
		return true
	case optional.Elem.Kind == ir.StructKind || optional.Elem.Kind == ir.ArrayKind:
		return t.size(optional.Elem) > inlineOptionalBytesMax
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

// size is what a value takes in memory on a 64-bit machine, padding included,
// without what it points at.
func (t *types) size(typ *ir.Type) uint64 {
	switch typ.Kind {
	case ir.StrKind, ir.UnionKind:
		return 2 * pointerBytes
	case ir.BytesKind, ir.ListKind:
		return 3 * pointerBytes
	case ir.MapKind:
		return pointerBytes
	case ir.ArrayKind:
		if t.onHeap(typ) {
			return pointerBytes
		}
		return times(typ.N, t.size(typ.Elem))
	case ir.OptionalKind:
		if t.onHeap(typ.Elem) || t.boxed(typ) {
			return pointerBytes
		}
		return roundUp(t.size(typ.Elem)+1, t.align(typ.Elem))
	case ir.StructKind, ir.MessageKind:
		return t.extent(typ.Decl).size
	}
	return uint64(scalars.Of(typ.Scalar()).size)
}

func (t *types) extent(d ir.Decl) extent {
	if known, ok := t.memory[d]; ok {
		return known
	}
	t.memory[d] = extent{align: 1}
	all := extent{align: 1}
	for _, f := range fieldsOf(d) {
		align := t.align(f.Type)
		all.size = roundUp(all.size, align) + t.size(f.Type)
		all.align = max(all.align, align)
	}
	if m, ok := d.(*ir.Message); ok && m.KeepUnknown {
		all = extent{roundUp(all.size, pointerBytes) + 3*pointerBytes, pointerBytes}
	}
	all.size = roundUp(all.size, all.align)
	t.memory[d] = all
	return all
}

// align is the alignment of a type in memory.
func (t *types) align(typ *ir.Type) uint64 {
	switch typ.Kind {
	case ir.ArrayKind:
		if !t.onHeap(typ) {
			return t.align(typ.Elem)
		}
	case ir.OptionalKind:
		if !t.onHeap(typ.Elem) && !t.boxed(typ) {
			return t.align(typ.Elem)
		}
	case ir.StructKind, ir.MessageKind:
		return t.extent(typ.Decl).align
	case ir.UUIDKind:
		return 1
	default:
		if typ.Scalar() != 0 {
			return min(pointerBytes, uint64(scalars.Of(typ.Scalar()).size))
		}
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

// times multiplies sizes; what is too large for any machine stays too large.
func times(a, b uint64) uint64 {
	if b != 0 && a > (1<<62)/b {
		return 1 << 62
	}
	return a * b
}
