package rust

import (
	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

const (
	// textFactor is what a byte of a string costs: strings have memory of exactly
	// their length. The runtime sets that aside for all bytes, whatever they are.
	textFactor = 1
	// leastBytes is the smallest piece of memory.
	leastBytes = 8
	// mapEntryFactor is the runtime's MAP_ENTRY_FACTOR.
	mapEntryFactor = 3
	// mapLeast and mapSlots are the links of a map's node, and how many entries it
	// makes room for at least.
	mapLeast, mapSlots = 128, 12
)

// factor is the least number for which no value of the type, owned or borrowed,
// asks for more memory than so many bytes for each of its bytes on the wire, and
// a constant.
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
		Scratch: func(typ *ir.Type) uint64 {
			if t.fixed(typ) {
				return 0
			}
			return times(typ.N, t.size(typ.Elem))
		},
		Text:  textFactor,
		Least: leastBytes,

		MapEntry: mapEntryFactor, MapLeast: mapLeast, MapSlots: mapSlots,
	}
	return memory.Factor(root) + textFactor
}
