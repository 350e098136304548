package lint

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

const (
	// factorMax is the bytes of memory that a byte of input may cost [WIRE-8.7].
	factorMax = 16
	// optionalInlineMax is the largest optional that is held in place; a larger
	// one is a pointer, so that an absent one costs little.
	optionalInlineMax = 16

	wordBytes      = 8
	strBytes       = 2 * wordBytes // pointer, length
	listBytes      = 3 * wordBytes // pointer, length, capacity
	unionBytes     = 2 * wordBytes // type, pointer to the alternative
	timestampBytes = 3 * wordBytes // what a native time needs
	mapSlack       = 2             // a hash table is at least half full
)

// memory estimates what values cost in memory. It takes the sizes of Go on a
// 64-bit machine, which are those of most languages or above them; a generator
// computes the exact factor of its own language.
type memory struct {
	program *plan.Program
	inline  map[ir.Decl]extent
}

// extent is how many bytes a value takes in place, and its alignment.
type extent struct{ size, align uint64 }

func newMemory(p *plan.Program) *memory { return &memory{program: p, inline: map[ir.Decl]extent{}} }

func (e extent) with(next extent) extent {
	e.align = max(e.align, next.align)
	return extent{roundUp(e.size, next.align) + next.size, e.align}
}

func (e extent) whole() extent { return extent{roundUp(e.size, e.align), e.align} }

func roundUp(n, align uint64) uint64 {
	if align < 2 {
		return n
	}
	return (n + align - 1) / align * align
}

// of is what a value of the type takes in place, without what it points to.
func (m *memory) of(t *ir.Type) extent {
	word := func(n uint64) extent { return extent{n, wordBytes} }
	switch t.Kind {
	case ir.StrKind:
		return word(strBytes)
	case ir.BytesKind, ir.ListKind:
		return word(listBytes)
	case ir.MapKind:
		return word(wordBytes)
	case ir.UnionKind:
		return word(unionBytes)
	case ir.TimestampKind:
		return word(timestampBytes)
	case ir.UUIDKind:
		return extent{16, 1}
	case ir.ArrayKind:
		e := m.of(t.Elem)
		return extent{e.size * t.N, e.align}
	case ir.OptionalKind:
		if m.boxed(t) {
			return word(wordBytes)
		}
		return m.of(t.Elem).with(extent{1, 1}).whole()
	case ir.StructKind, ir.MessageKind:
		return m.body(t.Decl)
	}
	n := uint64(t.Scalar().Bytes())
	return extent{n, n}
}

// boxed tells whether an optional is held behind a pointer.
func (m *memory) boxed(t *ir.Type) bool {
	return m.recursive(t.Elem) || m.of(t.Elem).with(extent{1, 1}).whole().size > optionalInlineMax
}

func (m *memory) recursive(t *ir.Type) bool {
	if t.Kind == ir.ArrayKind {
		return m.recursive(t.Elem)
	}
	return t.Decl != nil && m.program.Body(t.Decl) != nil && m.program.Body(t.Decl).Recursive
}

// body is what the fields of a struct or message take in place, those of all
// segments, with a place for what a message keeps.
func (m *memory) body(d ir.Decl) extent {
	if known, ok := m.inline[d]; ok {
		return known
	}
	sum := extent{0, 1}
	for _, f := range fieldsOf(d) {
		sum = sum.with(m.of(f.Type))
	}
	if message, ok := d.(*ir.Message); ok && message.KeepUnknown {
		sum = sum.with(extent{listBytes, wordBytes})
	}
	m.inline[d] = sum.whole()
	return m.inline[d]
}

// ratio is memory over the bytes of input that cause it.
type ratio struct{ memory, wire uint64 }

func (r ratio) over(s ratio) bool { return r.memory*s.wire > s.memory*r.wire }

func (r ratio) pastLimit() bool { return r.memory > factorMax*r.wire }

func elementText(r ratio) string {
	return fmt.Sprintf("%d bytes in memory for %d of input", r.memory, r.wire)
}

// worst finds the element of a list or map, anywhere in a type expression, that
// costs most for its smallest encoding. What a declared type holds is found at
// its own members.
func (m *memory) worst(op plan.Op, t *ir.Type) ratio {
	worst := ratio{0, 1}
	take := func(r ratio) {
		if r.wire > 0 && r.over(worst) {
			worst = r
		}
	}
	switch op := op.(type) {
	case *plan.List:
		take(ratio{m.of(t.Elem).size, op.ElemSize.Min})
		take(m.pointed(t.Elem, op.Elem, map[ir.Decl]bool{}))
		take(m.worst(op.Elem, t.Elem))
	case *plan.Map:
		entry := m.of(t.Key).with(m.of(t.Elem)).with(extent{1, 1})
		take(ratio{mapSlack * entry.whole().size, op.EntrySize.Min})
		take(m.pointed(t.Elem, op.Value, map[ir.Decl]bool{}))
		take(m.worst(op.Value, t.Elem))
	case *plan.Array:
		take(m.worst(op.Elem, t.Elem))
	case *plan.Optional:
		take(m.worst(op.Elem, t.Elem))
	}
	return worst
}

// pointed is the worst of what an element holds behind pointers of its own:
// optionals and alternatives of unions.
func (m *memory) pointed(t *ir.Type, op plan.Op, seen map[ir.Decl]bool) ratio {
	worst := ratio{0, 1}
	take := func(r ratio) {
		if r.wire > 0 && r.over(worst) {
			worst = r
		}
	}
	switch op := op.(type) {
	case *plan.Optional:
		if m.boxed(t) {
			take(ratio{m.of(t.Elem).size, 1 + op.ElemSize.Min})
		}
		take(m.pointed(t.Elem, op.Elem, seen))
	case *plan.Array:
		take(m.pointed(t.Elem, op.Elem, seen))
	case *plan.Nested:
		if seen[t.Decl] {
			return worst
		}
		seen[t.Decl] = true
		for _, segment := range op.Body.Segments {
			for _, field := range segment.Ops {
				if f := field.OpField(); f != nil {
					take(m.pointed(f.Type, field, seen))
				}
			}
		}
		for _, a := range op.Body.Alternatives {
			if a.Op != nil {
				take(ratio{m.of(a.Alt.Type).size, op.Body.Size.Min + a.Size.Min})
				take(m.pointed(a.Alt.Type, a.Op, seen))
			}
		}
	}
	return worst
}

// memoryFactors reports lists and maps whose elements are much larger in memory
// than in input, so that a small input asks for much memory.
func (l *linter) memoryFactors() {
	for _, body := range l.program.Bodies(l.pkg) {
		within := around(body.Decl)
		for _, segment := range body.Segments {
			for _, op := range segment.Ops {
				if f := op.OpField(); f != nil {
					l.memoryFactor(append(within, &f.Meta), f.Name, f.Type, op)
				}
			}
		}
		for _, a := range body.Alternatives {
			if a.Op != nil {
				l.memoryFactor(append(within, &a.Alt.Meta), a.Alt.Name, a.Alt.Type, a.Op)
			}
		}
	}
}

func (l *linter) memoryFactor(within []*ir.Meta, name string, t *ir.Type, op plan.Op) {
	r := l.memory.worst(op, t)
	if !r.pastLimit() {
		return
	}
	at := within[len(within)-1].Span
	l.warn(codeMemory, within, at, "an element in `%s` can cost %d times its bytes in memory", name, (r.memory+r.wire-1)/r.wire).
		WithLabel(elementText(r)).
		WithHelp("make the smallest element larger, by a wider `@len` or a field that is always there, or its memory smaller, by one optional struct for what is rarely set")
}
