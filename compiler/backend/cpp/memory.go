package cpp

import (
	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

const (
	// inlineArrayBytesMax is how large an array may be in memory and still lie in
	// the struct that has it.
	inlineArrayBytesMax = 1 << 10
	// inlineOptionalBytesMax is how large a struct may be in memory for an optional
	// one to lie in the struct that has it. An absent one is one byte on the wire,
	// so what is larger costs a sender little and the receiver much.
	inlineOptionalBytesMax = 64
	// inlinePayloadBytesMax is how large an alternative's payload may be in memory
	// and still lie in the union, whose size is that of its largest.
	inlinePayloadBytesMax = 64

	// Sizes of the containers, of the standard libraries and forms those that take
	// the most: a std::pmr::string of libstdc++, a std::pmr::map.
	pointerBytes  = 8
	stringBytes   = 40
	vectorBytes   = 32
	numbersBytes  = 48
	mapBytes      = 56
	indirectBytes = 16

	// textFactor is what a byte of a string costs: strings may have twice the room
	// that they need. The runtime sets a byte aside for each, whatever they are.
	textFactor = 2
	// leastBytes is the smallest piece of memory: a string's, which doesn't fit its
	// own place.
	leastBytes = 32
	// mapNodeBytes is the runtime's map_node.
	mapNodeBytes = 64
)

// extent is the size and alignment of a struct.
type extent struct{ size, align uint64 }

// factor is the least number for which no value of the type, in any form, asks
// for more memory than so many bytes for each of its bytes on the wire, and a
// constant.
func (t *types) factor(root ir.Decl) int64 {
	memory := backend.Memory{
		Program: t.program,
		Size:    t.size,
		Place:   func(d ir.Decl) uint64 { return t.extent(d).size },
		Pointed: func(typ *ir.Type) uint64 {
			switch {
			case typ.Kind == ir.ArrayKind && t.onHeap(typ):
				return times(typ.N, t.size(typ.Elem))
			case typ.Kind == ir.OptionalKind && t.boxed(typ):
				return t.size(typ.Elem)
			}
			return 0
		},
		Payload: func(typ *ir.Type) uint64 {
			if t.boxedPayload(typ) {
				return t.size(typ)
			}
			return 0
		},
		Scratch: func(*ir.Type) uint64 { return 0 },
		Text:    textFactor,
		Least:   leastBytes,

		MapEntry: 1, MapNode: mapNodeBytes,
	}
	return memory.Factor(root) + textFactor
}

// onHeap reports whether an array is held in memory of its own.
func (t *types) onHeap(typ *ir.Type) bool {
	return typ.Kind == ir.ArrayKind && times(typ.N, t.size(typ.Elem)) > inlineArrayBytesMax
}

// boxed reports whether an optional holds its value in memory of its own: a
// message, whose size may grow in a later release, and what is large or recursive.
func (t *types) boxed(optional *ir.Type) bool { return t.apart(optional.Elem, inlineOptionalBytesMax) }

// boxedPayload reports whether an alternative holds its payload in memory of its
// own. An inline one is never apart: it is the alternative.
func (t *types) boxedPayload(payload *ir.Type) bool {
	if payload.Kind == ir.StructKind && payload.Struct().Owner != nil {
		return false
	}
	return t.apart(payload, inlinePayloadBytesMax)
}

func (t *types) apart(typ *ir.Type, most uint64) bool {
	if t.onHeap(typ) {
		return false // it is already
	}
	if t.grows(typ, map[ir.Decl]bool{}) || t.recursive(typ) {
		return true
	}
	switch typ.Kind {
	case ir.StructKind, ir.ArrayKind, ir.UnionKind, ir.OptionalKind:
		return t.size(typ) > most
	}
	return false
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

// size is at least what a value takes in memory on a 64-bit machine in any form,
// without what it points at.
func (t *types) size(typ *ir.Type) uint64 {
	switch typ.Kind {
	case ir.StrKind:
		return stringBytes
	case ir.BytesKind:
		return vectorBytes
	case ir.ListKind:
		if isNumber(typ.Elem) {
			return numbersBytes
		}
		return vectorBytes
	case ir.MapKind:
		return mapBytes
	case ir.ArrayKind:
		if t.onHeap(typ) {
			return indirectBytes
		}
		return times(typ.N, t.size(typ.Elem))
	case ir.OptionalKind:
		if t.boxed(typ) {
			return indirectBytes
		}
		align := t.align(typ.Elem)
		return roundUp(t.size(typ.Elem), align) + align
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
	if u, ok := d.(*ir.Union); ok {
		all = t.unionExtent(u)
	}
	for _, f := range fieldsOf(d) {
		align := t.align(f.Type)
		all.size = roundUp(all.size, align) + t.size(f.Type)
		all.align = max(all.align, align)
	}
	if keeps(d) {
		all = extent{roundUp(all.size, pointerBytes) + vectorBytes, pointerBytes}
	}
	all.size = max(1, roundUp(all.size, all.align))
	t.memory[d] = all
	return all
}

// unionExtent is that of the largest alternative, and the index.
func (t *types) unionExtent(u *ir.Union) extent {
	all := extent{1, 1}
	if !u.Closed {
		all = extent{vectorBytes + pointerBytes, pointerBytes}
	}
	for _, a := range u.Alternatives {
		switch {
		case a.Type == nil:
		case t.boxedPayload(a.Type):
			all = extent{max(all.size, indirectBytes), pointerBytes}
		default:
			all = extent{max(all.size, t.size(a.Type)), max(all.align, t.align(a.Type))}
		}
	}
	return extent{roundUp(all.size, all.align) + all.align, all.align}
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

func roundUp(n, to uint64) uint64 { return (n + to - 1) / to * to }

// times multiplies without overflow; what is too large stays so.
func times(a, b uint64) uint64 {
	if b != 0 && a > 1<<62/b {
		return 1 << 62
	}
	return a * b
}
