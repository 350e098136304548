package golang

import (
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

const (
	// textFactor is what a byte of a string may cost: a chunk is left when the next
	// string doesn't fit, with less than half of it unused.
	textFactor = 2
	// mapEntryFactor is the runtime's MapEntryFactor.
	mapEntryFactor = 3
	// allocatorPercent is what the allocator's size classes may add.
	allocatorPercent = 125
)

// factorNote prints what decoding a type may allocate.
func (g *generator) factorNote(d ir.Decl) {
	g.Comment("//", "")
	g.Line("// Decoding n bytes allocates at most %d·n bytes and 64 KiB.", g.types.factor(d))
}

// factor is the largest ratio of what an element costs in memory to the fewest
// bytes it has on the wire, over all that the type reaches. Elements within
// elements have bytes of their own, so the largest ratio bounds the whole.
func (t *types) factor(root ir.Decl) uint64 {
	f := factors{types: t, seen: map[ir.Decl]bool{}, worst: textFactor * allocatorPercent}
	f.decl(root)
	return (f.worst + 99) / 100
}

type factors struct {
	*types
	seen  map[ir.Decl]bool
	worst uint64 // in percent
}

func (f *factors) cost(memory, wire uint64) {
	f.worst = max(f.worst, times(memory, allocatorPercent)/max(wire, 1))
}

func (f *factors) decl(d ir.Decl) {
	if f.seen[d] {
		return
	}
	f.seen[d] = true
	for _, field := range fieldsOf(d) {
		f.typ(field.Type)
	}
	if u, ok := d.(*ir.Union); ok {
		for _, a := range u.Alternatives {
			f.alternative(f.program.Body(u), a)
		}
	}
}

// alternative is held in memory of its own behind the union's interface.
func (f *factors) alternative(body *plan.Body, a *ir.Alternative) {
	head := uint64(5)
	if body.Decl.(*ir.Union).Closed {
		head = 1
	}
	if !body.Decl.(*ir.Union).Closed {
		f.cost(4*pointerBytes, head) // an unknown alternative
	}
	if a.Type == nil {
		return
	}
	f.cost(f.size(a.Type), head+f.program.SizeOf(a.Type).Min)
	f.typ(a.Type)
}

func (f *factors) typ(t *ir.Type) {
	switch t.Kind {
	case ir.ListKind:
		f.cost(f.size(t.Elem), f.program.SizeOf(t.Elem).Min)
	case ir.MapKind:
		f.cost(mapEntryFactor*(f.size(t.Key)+f.size(t.Elem)+1), f.program.SizeOf(t.Key).Min+f.program.SizeOf(t.Elem).Min)
	case ir.OptionalKind:
		if f.boxed(t) {
			f.cost(f.size(t.Elem), 1+f.program.SizeOf(t.Elem).Min)
		}
	case ir.ArrayKind:
		if f.onHeap(t) {
			f.cost(times(t.N, f.size(t.Elem)), f.program.SizeOf(t).Min)
		}
	}
	if t.Decl != nil {
		f.decl(t.Decl)
	}
	if t.Key != nil {
		f.typ(t.Key)
	}
	if t.Elem != nil {
		f.typ(t.Elem)
	}
}
