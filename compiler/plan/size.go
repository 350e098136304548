package plan

import (
	"math"
	"math/bits"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

const unknownSize = math.MaxUint64

func fixedSize(n uint64) Size { return Size{Min: n, Max: n, Bounded: true, Fixed: true} }

// varying is a length of some width followed by up to n times elem.
func varying(width int, n uint64, elem Size) Size {
	s := Size{Min: uint64(width), Bounded: elem.Bounded && n < math.MaxUint32}
	if s.Bounded {
		s.Max = add(uint64(width), mul(n, elem.Max))
	}
	return s
}

func (s Size) plus(t Size) Size {
	return Size{
		Min:     add(s.Min, t.Min),
		Max:     add(s.Max, t.Max),
		Bounded: s.Bounded && t.Bounded,
		Fixed:   s.Fixed && t.Fixed,
	}
}

func (s Size) times(n uint64) Size {
	return Size{Min: mul(s.Min, n), Max: mul(s.Max, n), Bounded: s.Bounded, Fixed: s.Fixed}
}

func add(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return unknownSize
	}
	return sum
}

func mul(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi != 0 {
		return unknownSize
	}
	return lo
}

// lengthMax is the largest length or count that the type's width and @max
// allow.
func lengthMax(t *ir.Type) uint64 {
	if t.Max != nil {
		return *t.Max
	}
	return 1<<(8*t.LenBytes) - 1
}

// measure finds the sizes of all bodies, of each behind those that it holds.
// Where types hold each other it starts from "not known to be finite" and
// repeats until nothing changes: sizes only shrink, and a cycle that is not
// finite was refused by the checker.
func (b *builder) measure() {
	for _, body := range b.order {
		body.Size = Size{Min: unknownSize}
	}
	for _, group := range b.groups {
		for changed := true; changed; {
			changed = false
			for _, d := range group {
				body := b.program.bodies[d]
				if body == nil {
					continue // an enum
				}
				if s := b.bodySize(d); s != body.Size {
					body.Size, changed = s, true
				}
			}
		}
	}
}

// bodySize keeps Max at 0 where there is no bound, so that the repetition above
// ends.
func (b *builder) bodySize(d ir.Decl) Size {
	size := b.rawSize(d)
	if !size.Bounded {
		size.Max = 0
	}
	return size
}

func (b *builder) rawSize(d ir.Decl) Size {
	switch d := d.(type) {
	case *ir.Struct:
		return b.fieldsSize(d.Fields)
	case *ir.Message:
		size := b.fieldsSize(d.Fields)
		size.Min = b.fieldsSize(d.Segments()[0]).Min
		size.Fixed = false
		size.Bounded = size.Bounded && !d.KeepUnknown
		return size
	case *ir.Union:
		return b.unionSize(d)
	}
	panic("plan: no body for " + ir.FullName(d))
}

func (b *builder) fieldsSize(fields []*ir.Field) Size {
	size := fixedSize(0)
	for _, f := range fields {
		size = size.plus(b.typeSize(f.Type))
	}
	return size
}

// unionSize is that of tag, length and payload. The smallest value of an open
// union is an unknown tag with an empty payload [WIRE-13.1].
func (b *builder) unionSize(u *ir.Union) Size {
	size := Size{Min: unknownSize, Bounded: u.Closed}
	for _, a := range u.Alternatives {
		payload := fixedSize(0)
		if a.Type != nil {
			payload = b.typeSize(a.Type)
		}
		size.Min = min(size.Min, payload.Min)
		size.Max = max(size.Max, payload.Max)
		size.Bounded = size.Bounded && payload.Bounded
	}
	if !u.Closed {
		return Size{Min: 5}
	}
	return Size{Min: add(1, size.Min), Max: add(1, size.Max), Bounded: size.Bounded}
}

// typeSize is the size of a value of type t as a field or an element.
func (b *builder) typeSize(t *ir.Type) Size {
	switch t.Kind {
	case ir.StrKind, ir.BytesKind:
		return varying(t.LenBytes, lengthMax(t), fixedSize(1))
	case ir.ListKind:
		return varying(t.LenBytes, lengthMax(t), b.typeSize(t.Elem))
	case ir.MapKind:
		return varying(t.LenBytes, lengthMax(t), b.typeSize(t.Key).plus(b.typeSize(t.Elem)))
	case ir.ArrayKind:
		return b.typeSize(t.Elem).times(t.N)
	case ir.OptionalKind:
		elem := b.typeSize(t.Elem)
		return Size{Min: 1, Max: add(1, elem.Max), Bounded: elem.Bounded}
	case ir.StructKind, ir.UnionKind:
		return b.program.bodies[t.Decl].Size
	case ir.MessageKind:
		size := fixedSize(4).plus(b.program.bodies[t.Decl].Size)
		size.Fixed = false
		return size
	default:
		return fixedSize(uint64(t.Scalar().Bytes()))
	}
}
