package golang

import (
	"sort"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
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
	// constantBytes is what one value may cost beyond its bytes' share, well below
	// the constant that the runtime adds.
	constantBytes = 16 << 10
	// factorMax is where the search ends. Only a type of megabytes that is a few
	// bytes on the wire comes near.
	factorMax = 1 << 24
)

// factorNote prints what decoding a type may allocate. The allocator's size
// classes may add a quarter.
func (g *generator) factorNote(d ir.Decl) {
	g.Comment("//", "")
	g.Line("// Decoding n bytes allocates at most %d·n bytes and 64 KiB.", (g.types.factor(d)*5+3)/4)
}

// factor is the least number for which no value of the type asks for more memory
// than so many bytes for each of its bytes on the wire, and a constant.
func (t *types) factor(root ir.Decl) int64 {
	holds := func(f int) bool {
		return (&balance{types: t, factor: int64(f), owes: map[ir.Decl]int64{}}).holds(root)
	}
	enough := textFactor
	for enough < factorMax && !holds(enough) {
		enough *= 2
	}
	return int64(max(textFactor, sort.Search(enough, holds)))
}

// balance weighs memory against bytes, for one factor: what a value owes is the
// memory that it points at less its bytes' share. Elements of lists and maps,
// whose number is open, must pay for themselves.
type balance struct {
	*types
	factor int64
	owes   map[ir.Decl]int64
	unpaid bool // something that may be repeated costs more than its share
}

// holds reports whether the factor is enough.
func (b *balance) holds(root ir.Decl) bool {
	return b.declared(root) <= constantBytes && !b.unpaid
}

// declared is the most that a value of a declared type owes. One that lies in a
// value of the same type is taken to pay for its own place too, which is then
// checked: so it holds by induction, however deep values lie in each other.
func (b *balance) declared(d ir.Decl) int64 {
	if owed, known := b.owes[d]; known {
		return owed
	}
	body := b.program.Body(d)
	place := int64(2 * pointerBytes)
	if _, isUnion := d.(*ir.Union); !isUnion {
		place = int64(b.extent(d).size)
	}
	if _, isMessage := d.(*ir.Message); isMessage {
		place -= 4 * b.factor // the length before it, which value counts
	}
	b.owes[d] = -place
	var owed int64
	switch d := d.(type) {
	case *ir.Union:
		owed = b.union(d, body)
	case *ir.Message:
		owed = b.message(d)
	default:
		owed = b.fields(fieldsOf(d))
	}
	if body.Recursive {
		b.pay(place + owed)
	}
	b.owes[d] = owed
	return owed
}

// pay notes whether something owes nothing.
func (b *balance) pay(owed int64) { b.unpaid = b.unpaid || owed > 0 }

func (b *balance) fields(fields []*ir.Field) (owed int64) {
	for _, f := range fields {
		owed += b.value(f.Type)
	}
	return owed
}

// message has any number of its segments, and bytes behind them.
func (b *balance) message(m *ir.Message) int64 {
	var owed, most int64
	for i, fields := range m.Segments() {
		owed += b.fields(fields)
		if i == 0 {
			most = owed
		}
		most = max(most, owed)
	}
	return most + b.least(1)
}

// union holds its alternative in memory of its own behind an interface.
func (b *balance) union(u *ir.Union, body *plan.Body) int64 {
	head, most := -b.factor, -b.factor
	if !u.Closed {
		head *= 5
		most = head + 4*pointerBytes + b.least(1) // an unknown alternative
	}
	for _, a := range body.Alternatives {
		if t := a.Alt.Type; t != nil {
			most = max(most, head+int64(b.size(t))+b.value(t))
		}
	}
	return most
}

// value is the most that a value of a type owes.
func (b *balance) value(t *ir.Type) int64 {
	prefix := -b.factor * int64(t.LenBytes)
	switch t.Kind {
	case ir.StrKind, ir.BytesKind:
		return prefix + b.least(1)
	case ir.ListKind:
		b.pay(int64(b.size(t.Elem)) + b.value(t.Elem))
		return prefix + b.least(b.program.SizeOf(t.Elem).Min)
	case ir.MapKind:
		return prefix + b.entries(t)
	case ir.ArrayKind:
		owed := int64(t.N) * b.value(t.Elem)
		if b.onHeap(t) {
			owed += int64(times(t.N, b.size(t.Elem)))
		}
		return owed
	case ir.OptionalKind:
		held := b.value(t.Elem)
		if b.boxed(t) {
			held += int64(b.size(t.Elem))
		}
		return -b.factor + max(0, held)
	case ir.MessageKind:
		return -4*b.factor + b.declared(t.Decl)
	case ir.StructKind, ir.UnionKind:
		return b.declared(t.Decl)
	}
	return -b.factor * int64(t.Scalar().Bytes())
}

// entries is what a map's entries owe beyond their bytes' share, which only the
// first few may, since a map has room for those at once.
func (b *balance) entries(t *ir.Type) int64 {
	key, value := int64(b.size(t.Key)), int64(b.size(t.Elem))
	owed := b.value(t.Key) + b.value(t.Elem)
	b.pay(mapEntryFactor*(key+value+1) + owed)
	slot := int64(roundUp(uint64(key), pointerBytes) + roundUp(uint64(value), pointerBytes))
	return max(0, mapLeast+mapSlots*slot+owed)
}

// least is what the first element of so many bytes owes, since memory comes in
// pieces.
func (b *balance) least(bytes uint64) int64 {
	return max(0, leastBytes-b.factor*int64(bytes))
}
