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
	// behind is the worst of what values of a declaration hold behind pointers.
	behind map[ir.Decl]ratio
}

// extent is how many bytes a value takes in place, and its alignment.
type extent struct{ size, align uint64 }

// newMemory measures all bodies, each behind those that it holds.
func newMemory(p *plan.Program) *memory {
	m := &memory{program: p, inline: map[ir.Decl]extent{}, behind: map[ir.Decl]ratio{}}
	var decls []ir.Decl
	for _, pkg := range p.Schema.Packages {
		for _, body := range p.Bodies(pkg) {
			decls = append(decls, body.Decl)
		}
	}
	for _, group := range plan.Components(decls, plan.Mentions) {
		for _, d := range group {
			m.body(d)
		}
	}
	for _, group := range plan.Components(decls, m.held) {
		worst := ratio{0, 1}
		for _, d := range group {
			worst = worst.or(m.behindBody(p.Body(d)))
		}
		for _, d := range group {
			m.behind[d] = worst
		}
	}
	return m
}

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

// or is the worse of two; one whose wire is 0 is none.
func (r ratio) or(s ratio) ratio {
	if r.wire == 0 || s.wire > 0 && s.over(r) {
		return s
	}
	return r
}

func (r ratio) pastLimit() bool { return r.memory > factorMax*r.wire }

func elementText(r ratio) string {
	return fmt.Sprintf("%d bytes in memory for %d of input", r.memory, r.wire)
}

// worst finds the element of a list or map, anywhere in a type expression, that
// costs most for its smallest encoding. What a declared type holds is found at
// its own members.
func (m *memory) worst(op plan.Op, t *ir.Type) ratio {
	worst := ratio{0, 1}
	switch op := op.(type) {
	case *plan.List:
		worst = worst.or(ratio{m.of(t.Elem).size, op.ElemSize.Min}).or(m.pointed(t.Elem, op.Elem)).or(m.worst(op.Elem, t.Elem))
	case *plan.Map:
		entry := m.of(t.Key).with(m.of(t.Elem)).with(extent{1, 1})
		worst = worst.or(ratio{mapSlack * entry.whole().size, op.EntrySize.Min}).
			or(m.pointed(t.Elem, op.Value)).or(m.worst(op.Value, t.Elem))
	case *plan.Array:
		worst = m.worst(op.Elem, t.Elem)
	case *plan.Optional:
		worst = m.worst(op.Elem, t.Elem)
	}
	return worst
}

// pointed is the worst of what an element holds behind pointers of its own:
// optionals and alternatives of unions.
func (m *memory) pointed(t *ir.Type, op plan.Op) ratio {
	switch op := op.(type) {
	case *plan.Optional:
		worst := m.pointed(t.Elem, op.Elem)
		if m.boxed(t) {
			worst = worst.or(ratio{m.of(t.Elem).size, 1 + op.ElemSize.Min})
		}
		return worst
	case *plan.Array:
		return m.pointed(t.Elem, op.Elem)
	case *plan.Nested:
		return m.behind[t.Decl]
	}
	return ratio{}
}

// behindBody is the same of a body's fields and alternatives, as far as those
// that it holds are known.
func (m *memory) behindBody(body *plan.Body) ratio {
	var worst ratio
	for _, segment := range body.Segments {
		for _, op := range segment.Ops {
			if f := op.OpField(); f != nil {
				worst = worst.or(m.pointed(f.Type, op))
			}
		}
	}
	for _, a := range body.Alternatives {
		if a.Op != nil {
			worst = worst.or(ratio{m.of(a.Alt.Type).size, body.Size.Min + a.Size.Min}).or(m.pointed(a.Alt.Type, a.Op))
		}
	}
	return worst
}

// held are the declarations whose values lie in those of another, in place or
// behind a pointer; what lists and maps hold are elements of their own.
func (m *memory) held(d ir.Decl) []ir.Decl {
	var found []ir.Decl
	visit := func(op plan.Op) {
		for op != nil {
			switch at := op.(type) {
			case *plan.Optional:
				op = at.Elem
			case *plan.Array:
				op = at.Elem
			case *plan.Nested:
				found = append(found, at.Type.Decl)
				return
			default:
				return
			}
		}
	}
	body := m.program.Body(d)
	for _, segment := range body.Segments {
		for _, op := range segment.Ops {
			visit(op)
		}
	}
	for _, a := range body.Alternatives {
		visit(a.Op)
	}
	return found
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
