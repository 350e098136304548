package plan

import (
	"math"
	"math/bits"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

const unknownSize = math.MaxUint64

func fixedSize(n uint64) Size { return Size{Min: n, Max: n, Bounded: true, Fixed: true} }

// varying is a length or count of type t, and as many elements as it allows.
func varying(t *ir.Type, elem Size) Size {
	n := LengthMax(t)
	s := Size{Min: Prefix(t), Bounded: elem.Bounded && n < LengthAny}
	if s.Bounded {
		s.Max = add(Prefix(t), mul(n, elem.Max))
	}
	return s
}

// With is the size of two values, one behind the other.
func (s Size) With(t Size) Size {
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

// measure finds the sizes of all bodies, and whether they grow, of each behind the bodies within
// it. Where types hold each other it starts from "not known to be finite" and repeats until nothing
// changes: sizes only shrink, and a cycle that is not finite was refused by the checker.
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
				size, grows := b.bodySize(d), b.program.growsBody(d)
				if size != body.Size || grows != body.Grows {
					body.Size, body.Grows, changed = size, grows, true
				}
			}
		}
		b.traits(group)
	}
}

// traits notes the traits of structs of fixed size, which are in no circle.
func (b *builder) traits(group []ir.Decl) {
	for _, d := range group {
		if body := b.program.bodies[d]; body != nil && body.Fixed() {
			body.Traits = b.program.structTraits(d.(*ir.Struct))
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
		size = size.With(b.program.SizeOf(f.Type))
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
			payload = b.program.SizeOf(a.Type)
		}
		size.Min = min(size.Min, payload.Min)
		size.Max = max(size.Max, payload.Max)
		size.Bounded = size.Bounded && payload.Bounded
	}
	head := UnionHead(u)
	if !u.Closed {
		return Size{Min: head}
	}
	return Size{Min: add(head, size.Min), Max: add(head, size.Max), Bounded: size.Bounded}
}
