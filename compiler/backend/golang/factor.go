package golang

import (
	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

const (
	// textFactor is what a byte of a string may cost: a chunk is left when the next
	// string doesn't fit, with less than half of it unused.
	textFactor = 2
	// leastBytes is the smallest piece of memory.
	leastBytes = 8
	// mapEntryFactor is the runtime's MapEntryFactor.
	mapEntryFactor = 3
	// mapLeast and mapSlots are a map's own memory and how many entries it makes
	// room for at least.
	mapLeast, mapSlots = 64, 8
)

// factorNote prints what decoding a type may allocate. The allocator's size
// classes may add a quarter.
func (g *generator) factorNote(d ir.Decl) {
	g.Line("//")
	g.Line("// Decoding n bytes allocates at most %d·n bytes and 64 KiB,", (g.types.factor(d)*5+3)/4)
	g.Line("// and once, to name a refusal, at most 16 bytes for each byte of the layout.")
}

// factor is the least number for which no value of the type asks for more memory
// than so many bytes for each of its bytes on the wire, and a constant.
func (t *types) factor(root ir.Decl) int64 {
	memory := backend.Memory{
		Program: t.program,
		Size:    t.size,
		Place: func(d ir.Decl) uint64 {
			if _, isUnion := d.(*ir.Union); isUnion {
				return 2 * pointerBytes
			}
			return t.extent(d).size
		},
		Pointed: func(typ *ir.Type) uint64 {
			switch {
			case typ.Kind == ir.ArrayKind && t.onHeap(typ):
				return times(typ.N, t.size(typ.Elem))
			case typ.Kind == ir.OptionalKind && t.boxed(typ):
				return t.size(typ.Elem)
			}
			return 0
		},
		// A union holds its alternative behind an interface.
		Payload: t.size,
		Unknown: 4 * pointerBytes,
		Scratch: func(*ir.Type) uint64 { return 0 },
		Text:    textFactor,
		Least:   leastBytes,

		MapEntry: mapEntryFactor, MapLeast: mapLeast, MapSlots: mapSlots,
	}
	return memory.Factor(root)
}
