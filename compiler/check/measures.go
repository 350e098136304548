package check

import (
	"math"
	"math/bits"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

const (
	// aggregatesMax is how many aggregates a value may nest, and so the least
	// that a type may ask for [LANG-3.7].
	aggregatesMax = 64
	// smallestBytesMax is the largest smallest size of a type [LANG-3.7].
	smallestBytesMax = 128 << 20
)

// measures are the numbers of all declarations of a run. A type that could not
// be resolved counts as a small leaf, so that it causes no further reports.
type measures struct {
	// depth is the least number of aggregates that a value nests.
	depth measure
	// size is the smallest size in bytes [WIRE-13.1].
	size measure
}

func newMeasures() *measures {
	m := &measures{}
	m.depth = measure{known: map[ir.Decl]uint64{}, parts: depthParts, needs: heldByValue,
		all: func(_ ir.Decl, parts []*ir.Type) uint64 {
			deepest := uint64(0)
			for _, t := range parts {
				deepest = max(deepest, m.depthOf(t))
			}
			return 1 + deepest
		},
		one: func(t *ir.Type) uint64 { return 1 + m.depthOf(t) },
	}
	m.size = measure{known: map[ir.Decl]uint64{}, parts: sizeParts, needs: sizedByDecl,
		all: func(d ir.Decl, parts []*ir.Type) uint64 { return m.sum(frameBytes(d), parts) },
		one: func(t *ir.Type) uint64 { return addSaturated(plan.TagBytes, m.sizeOf(t)) },
	}
	return m
}

func (m *measures) sum(size uint64, parts []*ir.Type) uint64 {
	for _, t := range parts {
		size = addSaturated(size, m.sizeOf(t))
	}
	return size
}

// heldByValue is the declaration whose value every value of a type holds.
func heldByValue(t *ir.Type) ir.Decl {
	for t != nil && t.Kind == ir.ArrayKind {
		t = t.Elem
	}
	if t == nil || t.Kind != ir.StructKind && t.Kind != ir.MessageKind && t.Kind != ir.UnionKind {
		return nil
	}
	return t.Decl
}

// sizedByDecl is the declaration that a type's smallest size follows from. An
// open union's does not depend on its alternatives.
func sizedByDecl(t *ir.Type) ir.Decl {
	d := heldByValue(t)
	if u, isUnion := d.(*ir.Union); isUnion && !u.Closed {
		return nil
	}
	return d
}

func (m *measures) depthOf(t *ir.Type) uint64 {
	if d := heldByValue(t); d != nil {
		return m.depth.known[d]
	}
	return 0
}

// depthParts are the types of all fields, or of all alternatives.
func depthParts(d ir.Decl) ([]*ir.Type, bool) {
	switch d := d.(type) {
	case *ir.Struct:
		return fieldTypes(d.Fields), false
	case *ir.Message:
		return fieldTypes(d.Fields), false
	case *ir.Union:
		return payloads(d), true
	}
	return nil, false
}

// sizeParts are the types of the fields that are always there, or of a closed
// union's alternatives.
func sizeParts(d ir.Decl) ([]*ir.Type, bool) {
	switch d := d.(type) {
	case *ir.Message:
		return fieldTypes(firstSegment(d)), false
	case *ir.Union:
		if !d.Closed {
			return nil, false
		}
	}
	return depthParts(d)
}

func fieldTypes(fields []*ir.Field) []*ir.Type {
	types := make([]*ir.Type, len(fields))
	for i, f := range fields {
		types[i] = f.Type
	}
	return types
}

// payloads has a type for each alternative, nil for none.
func payloads(u *ir.Union) []*ir.Type {
	types := make([]*ir.Type, len(u.Alternatives))
	for i, a := range u.Alternatives {
		types[i] = a.Type
	}
	return types
}

// frameBytes are the bytes that the wire puts around the parts of a declaration.
func frameBytes(d ir.Decl) uint64 {
	switch d := d.(type) {
	case *ir.Message:
		return plan.WindowBytes
	case *ir.Union:
		return plan.UnionHead(d)
	}
	return 0
}

// sizeOf is the smallest size of a value of a type.
func (m *measures) sizeOf(t *ir.Type) uint64 {
	if t == nil {
		return 0
	}
	switch t.Kind {
	case ir.StrKind, ir.BytesKind, ir.ListKind, ir.MapKind, ir.OptionalKind:
		return plan.Prefix(t)
	case ir.ArrayKind:
		return multiplySaturated(t.N, m.sizeOf(t.Elem))
	case ir.EnumKind:
		return uint64(t.Enum().Base.Bytes())
	case ir.UnionKind:
		if !t.Union().Closed {
			return plan.UnionHead(t.Union())
		}
	case ir.StructKind, ir.MessageKind:
	}
	if t.Decl == nil {
		return uint64(t.Kind.Bytes())
	}
	return m.size.known[t.Decl]
}

func addSaturated(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return math.MaxUint64
	}
	return sum
}

func multiplySaturated(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	if high != 0 {
		return math.MaxUint64
	}
	return low
}
