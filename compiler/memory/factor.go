package memory

import (
	"sort"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

const (
	// constantBytes are the bytes that one value may cost beyond its bytes' share, well below the
	// constant that runtimes add.
	constantBytes = 16 << 10
	// factorMax is where the search ends. Only a type of megabytes that is a few
	// bytes on the wire comes near.
	factorMax = 1 << 24
)

// Factor is the least number for which no value of the type asks for more memory
// than so many bytes for each of its bytes on the wire, and a constant.
func (c *Costs) Factor(root ir.Decl) int64 {
	holds := func(f int) bool {
		return (&balance{Costs: c, factor: int64(f), owes: map[ir.Decl]int64{}}).holds(root)
	}
	text := int(c.TextFactor)
	enough := text
	for enough < factorMax && !holds(enough) {
		enough *= 2
	}
	factor := max(text, sort.Search(enough, holds))
	if c.TextReserved {
		factor += text
	}
	return int64(factor)
}

// balance weighs memory against bytes, for one factor: what a value owes is the
// memory that it points at less its bytes' share. Elements of lists and maps,
// whose number is open, must pay for themselves.
type balance struct {
	*Costs
	factor int64
	owes   map[ir.Decl]int64
	debt
}

// debt is the sum of the way through a type.
type debt struct {
	owed      int64
	unpaid    bool // something that may be repeated costs more than its share
	recursive bool // there is a type that leads back to itself, which owes by where it is entered
}

// weight is a type and the factor that it was weighed by.
type weight struct {
	decl   ir.Decl
	factor int64
}

// holds reports whether the factor is enough.
func (b *balance) holds(root ir.Decl) bool {
	return b.declared(root) <= constantBytes && !b.unpaid
}

// declared is the most that a value of a declared type owes. A value within a value of the same
// type is taken to pay for its own place too, which is then checked: so it holds by induction, at
// any depth of nesting.
func (b *balance) declared(d ir.Decl) int64 {
	if known, ok := b.debts[weight{d, b.factor}]; ok {
		b.unpaid = b.unpaid || known.unpaid
		return known.owed
	}
	if owed, known := b.owes[d]; known {
		b.recursive = true
		return owed
	}
	around, body := b.debt, b.program.Body(d)
	b.debt = debt{recursive: body.Recursive}
	place := int64(b.DeclSize(d))
	if _, isMessage := d.(*ir.Message); isMessage {
		place -= plan.WindowBytes * b.factor // the length before it, which value counts
	}
	b.owes[d] = -place
	var owed int64
	switch d := d.(type) {
	case *ir.Union:
		owed = b.union(d, body)
	case *ir.Message:
		owed = b.message(d)
	case *ir.Struct:
		owed = b.fields(d.Fields)
	}
	if body.Recursive {
		b.pay(place + owed)
	}
	b.owes[d], b.owed = owed, owed
	if !b.recursive {
		b.debts[weight{d, b.factor}] = b.debt
	}
	b.unpaid, b.recursive = b.unpaid || around.unpaid, b.recursive || around.recursive
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

func (b *balance) union(u *ir.Union, body *plan.Body) int64 {
	head := -b.factor * int64(plan.UnionHead(u))
	most := head
	if !u.Closed {
		most += b.least(1)
		if b.Union > 0 {
			most += int64(b.Unknown)
		}
	}
	for _, a := range body.Alternatives {
		if t := a.Alt.Type; t != nil {
			most = max(most, head+int64(b.payload(t))+b.value(t))
		}
	}
	return most
}

// value is the most that a value of a type owes.
func (b *balance) value(t *ir.Type) int64 {
	prefix := -b.factor * int64(plan.Prefix(t))
	switch t.Kind {
	case ir.StrKind, ir.BytesKind:
		return prefix + b.least(1)
	case ir.ListKind:
		b.pay(int64(b.Size(t.Elem)) + b.value(t.Elem))
		return prefix + b.least(b.program.SizeOf(t.Elem).Min)
	case ir.MapKind:
		return prefix + b.entries(t)
	case ir.ArrayKind:
		return int64(t.N)*b.value(t.Elem) + int64(b.Behind(t)+b.scratch(t))
	case ir.OptionalKind:
		return prefix + max(0, b.value(t.Elem)+int64(b.Behind(t)))
	case ir.MessageKind:
		return prefix + b.declared(t.Decl)
	case ir.StructKind, ir.UnionKind:
		return b.declared(t.Decl)
	}
	return -b.factor * int64(t.Scalar().Bytes())
}

// entries is the debt of a map's entries beyond their bytes' share, which only the first few may
// have, since a map has room for a few at once.
func (b *balance) entries(t *ir.Type) int64 {
	owed := b.value(t.Key) + b.value(t.Elem)
	b.pay(int64(b.Entry(t)) + owed)
	slot := int64(roundUp(b.Size(t.Key), wordBytes) + roundUp(b.Size(t.Elem), wordBytes))
	return max(0, int64(b.MapLeast)+int64(b.MapSlots)*slot+owed)
}

// least is the debt of the first element of so many bytes, since memory comes in pieces.
func (b *balance) least(bytes uint64) int64 {
	return max(0, int64(b.Least)-b.factor*int64(bytes))
}

// payload is the size of a payload in memory of its own; 0 where it lies in its union.
func (b *balance) payload(t *ir.Type) uint64 {
	if b.BoxedPayload(t) {
		return b.Size(t)
	}
	return 0
}

// scratch is what reading a fixed array takes for a while.
func (b *balance) scratch(t *ir.Type) uint64 {
	if !b.Scratch || b.Fixed(t) {
		return 0
	}
	return times(t.N, b.Size(t.Elem))
}
