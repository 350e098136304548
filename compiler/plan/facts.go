package plan

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// Facts about a type's bytes stand here once. Renderers of a plan ask for them and derive none of
// them from the type again.

// The bytes that stand before values, beside lengths and counts, whose width
// the type has.
const (
	// PresenceBytes is what stands before an optional's value [WIRE-5.7].
	PresenceBytes = 1
	// TagBytes is a union's tag [WIRE-6.1].
	TagBytes = 1
	// WindowBytes is the width of the length before an open union's payload and
	// before a message within another value [WIRE-6.1] [WIRE-7.1].
	WindowBytes = 4
)

// LengthAny stands for no bound: no length or count is larger.
const LengthAny = 1<<32 - 1

// LengthName is the integer that a type's length or count is: "u8", "u16" or
// "u32".
func LengthName(t *ir.Type) string { return fmt.Sprintf("u%d", 8*t.LenBytes) }

// WidthMax is the largest length or count that so many bytes hold.
func WidthMax(width int) uint64 { return 1<<(8*width) - 1 }

// LengthMax is the largest length or count of a str, bytes, list or map: the
// bound of @max, else what its width holds [WIRE-3.4].
func LengthMax(t *ir.Type) uint64 {
	if t.Max != nil {
		return *t.Max
	}
	return WidthMax(t.LenBytes)
}

// DeclaredMax is the bound of @max alone, which an encoder holds a length
// against before its width; LengthAny where there is none [WIRE-9.2].
func DeclaredMax(t *ir.Type) uint64 {
	if t.Max != nil {
		return *t.Max
	}
	return LengthAny
}

// IsLengthBound reports whether @max or the width of a length binds it closer
// than the widest length does. A length beyond the widest shows in the size of the whole
// [WIRE-9.3].
func IsLengthBound(t *ir.Type) bool { return t.Max != nil || t.LenBytes < WindowBytes }

// Prefix is how many bytes every value of a type has before its content: the
// length of a str, bytes or message, the count of a list or map, an optional's
// presence. Other types have none; that of a union's contents is UnionHead.
func Prefix(t *ir.Type) uint64 {
	switch t.Kind {
	case ir.StrKind, ir.BytesKind, ir.ListKind, ir.MapKind:
		return uint64(t.LenBytes)
	case ir.OptionalKind:
		return PresenceBytes
	case ir.MessageKind:
		return WindowBytes
	case ir.ArrayKind, ir.UnionKind, ir.StructKind:
	}
	return 0
}

// Head is how many bytes every value of a type has: all of them if its size is
// fixed, else its prefix.
func (p *Program) Head(t *ir.Type) uint64 {
	if size := p.SizeOf(t); size.Fixed {
		return size.Min
	}
	return Prefix(t)
}

// UnionHead is how many bytes stand before a union's payload: the tag and, of an
// open union, the payload's length [WIRE-6.1].
func UnionHead(u *ir.Union) uint64 {
	if u.Closed {
		return TagBytes
	}
	return TagBytes + WindowBytes
}

// ArrayElements is what an array takes from the budget of elements on entry: its
// length, and nothing if its elements are scalars [WIRE-8.4].
func ArrayElements(t *ir.Type) uint64 {
	if t.Elem.Scalar() != 0 {
		return 0
	}
	return t.N
}

// SizeOf bounds a value of type t as a field or an element.
func (p *Program) SizeOf(t *ir.Type) Size {
	switch t.Kind {
	case ir.StrKind, ir.BytesKind:
		return varying(t, fixedSize(1))
	case ir.ListKind:
		return varying(t, p.SizeOf(t.Elem))
	case ir.MapKind:
		return varying(t, p.EntrySize(t))
	case ir.ArrayKind:
		return p.SizeOf(t.Elem).times(t.N)
	case ir.OptionalKind:
		elem := p.SizeOf(t.Elem)
		return Size{Min: PresenceBytes, Max: add(PresenceBytes, elem.Max), Bounded: elem.Bounded}
	case ir.StructKind, ir.UnionKind:
		return p.bodies[t.Decl].Size
	case ir.MessageKind:
		size := fixedSize(WindowBytes).With(p.bodies[t.Decl].Size)
		size.Fixed = false
		return size
	}
	if t.Scalar() == 0 {
		panic(fmt.Sprintf("plan: no size for kind %d", t.Kind))
	}
	return fixedSize(uint64(t.Scalar().Bytes()))
}

// EntrySize bounds an entry of a map: a key and its value [WIRE-5.9].
func (p *Program) EntrySize(t *ir.Type) Size { return p.SizeOf(t.Key).With(p.SizeOf(t.Elem)) }

// Traits are what is known of a value of fixed size beside its bytes. Traits of a run are the
// traits of its values together.
type Traits struct {
	// Levels is how many levels the deepest struct within adds to the depth of the body around the
	// value [WIRE-8.1].
	Levels int
	// Elements is what arrays take from the budget of elements [WIRE-8.4].
	Elements uint64
	// Checked is true if some bytes can be refused: a bool or a closed enum is in
	// it [WIRE-4.3] [WIRE-4.5].
	Checked bool
	// Closed is true if a closed enum is in it, so that a language in which an
	// enum is an integer has values that can't be encoded [WIRE-9.5].
	Closed bool
}

// With is the traits of two values together.
func (t Traits) With(u Traits) Traits {
	return Traits{
		Levels:   max(t.Levels, u.Levels),
		Elements: add(t.Elements, u.Elements),
		Checked:  t.Checked || u.Checked,
		Closed:   t.Closed || u.Closed,
	}
}

// Traits are the traits of a type of fixed size.
func (p *Program) Traits(t *ir.Type) Traits {
	switch t.Kind {
	case ir.EnumKind:
		closed := t.Enum().Closed
		return Traits{Checked: closed, Closed: closed}
	case ir.ArrayKind:
		traits := p.Traits(t.Elem)
		traits.Elements = add(ArrayElements(t), mul(traits.Elements, t.N))
		return traits
	case ir.StructKind:
		return p.bodies[t.Decl].Traits
	case ir.StrKind, ir.BytesKind, ir.ListKind, ir.OptionalKind, ir.MapKind, ir.UnionKind, ir.MessageKind:
		panic("plan: a " + t.Kind.String() + " is not of fixed size")
	}
	return Traits{Checked: t.Kind.Class() == ir.BoolClass}
}

// structTraits are the traits of a struct of fixed size, which is a level itself.
func (p *Program) structTraits(s *ir.Struct) Traits {
	var traits Traits
	for _, f := range s.Fields {
		traits = traits.With(p.Traits(f.Type))
	}
	traits.Levels++
	return traits
}

// Recursive reports whether a value of the type, or of an array's elements, can
// contain another of itself.
func (p *Program) Recursive(t *ir.Type) bool {
	for t.Kind == ir.ArrayKind {
		t = t.Elem
	}
	body := p.bodyOf(t)
	return body != nil && body.Recursive
}

// bodyOf is the body of a type, and nil for one that has none. A type without a declaration
// is not looked for: as WebAssembly, Go (1.26) reads out of bounds where the key of a large
// map is a nil interface.
func (p *Program) bodyOf(t *ir.Type) *Body {
	if t.Decl == nil {
		return nil
	}
	return p.bodies[t.Decl]
}

// Grows reports whether a later release may give values of the type more
// fields: it is a message, or has one in a struct or array that is a part of it
// [EVO-1.2].
func (p *Program) Grows(t *ir.Type) bool {
	for t.Kind == ir.ArrayKind {
		t = t.Elem
	}
	body := p.bodyOf(t)
	return body != nil && body.Grows
}

// growsBody is Grows of a struct, message or union.
func (p *Program) growsBody(d ir.Decl) bool {
	switch d := d.(type) {
	case *ir.Message:
		return true
	case *ir.Struct:
		for _, f := range d.Fields {
			if p.Grows(f.Type) {
				return true
			}
		}
	}
	return false
}
