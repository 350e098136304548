package lint

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/memory"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// factorMax is the bytes of memory that a byte of input may cost [WIRE-8.7].
const factorMax = 16

// costs estimates what values cost in memory. It takes Go's costs, which are the costs of most
// languages or above them; a generator computes the exact factor of its own language.
type costs struct {
	*memory.Costs
	program *plan.Program
	// behind is the worst of what values of a declaration hold behind pointers.
	behind map[ir.Decl]ratio
}

// newCosts measures all bodies, each behind the bodies within it.
func newCosts(p *plan.Program) *costs {
	c := &costs{Costs: memory.New(p, memory.Go), program: p, behind: map[ir.Decl]ratio{}}
	var decls []ir.Decl
	for _, pkg := range p.Schema.Packages {
		for _, body := range p.Bodies(pkg) {
			decls = append(decls, body.Decl)
		}
	}
	for _, group := range plan.Components(decls, plan.Mentions) {
		for _, d := range group {
			c.DeclSize(d)
		}
	}
	for _, group := range plan.Components(decls, c.held) {
		worst := ratio{0, 1}
		for _, d := range group {
			worst = worst.or(c.behindBody(p.Body(d)))
		}
		for _, d := range group {
			c.behind[d] = worst
		}
	}
	return c
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
// costs most for its smallest encoding. Lists and maps within a declared type are found at its own
// members.
func (c *costs) worst(op plan.Op, t *ir.Type) ratio {
	worst := ratio{0, 1}
	switch op := op.(type) {
	case *plan.List:
		worst = worst.or(ratio{c.Size(t.Elem), op.ElemSize.Min}).or(c.pointed(t.Elem, op.Elem)).or(c.worst(op.Elem, t.Elem))
	case *plan.Map:
		worst = worst.or(ratio{c.Entry(t), op.EntrySize.Min}).or(c.pointed(t.Elem, op.Value)).or(c.worst(op.Value, t.Elem))
	case *plan.Array:
		worst = c.worst(op.Elem, t.Elem)
	case *plan.Optional:
		worst = c.worst(op.Elem, t.Elem)
	case *plan.Run, *plan.Text, *plan.Blob, *plan.NestedType:
	}
	return worst
}

// pointed is the worst of what an element holds behind pointers of its own:
// optionals, arrays and alternatives of unions.
func (c *costs) pointed(t *ir.Type, op plan.Op) ratio {
	switch op := op.(type) {
	case *plan.Optional:
		worst := c.pointed(t.Elem, op.Elem)
		if c.Boxed(t) {
			worst = worst.or(ratio{c.Behind(t), plan.PresenceBytes + op.ElemSize.Min})
		}
		return worst
	case *plan.Array:
		worst := c.pointed(t.Elem, op.Elem)
		if c.OnHeap(t) {
			worst = worst.or(ratio{c.Size(t.Elem), op.ElemSize.Min})
		}
		return worst
	case *plan.NestedType:
		return c.behind[t.Decl]
	case *plan.Run, *plan.Text, *plan.Blob, *plan.List, *plan.Map:
	}
	return ratio{}
}

// behindBody is the same of a body's fields and alternatives, as far as the declarations within
// them are known.
func (c *costs) behindBody(body *plan.Body) ratio {
	var worst ratio
	for _, segment := range body.Segments {
		for _, op := range segment.Ops {
			if f := op.OpField(); f != nil {
				worst = worst.or(c.pointed(f.Type, op))
			}
		}
	}
	for _, a := range body.Alternatives {
		if a.Op != nil {
			bytes := plan.UnionHead(body.Decl.(*ir.Union)) + a.Size.Min
			worst = worst.or(ratio{c.Size(a.Alt.Type), bytes}).or(c.pointed(a.Alt.Type, a.Op))
		}
	}
	return worst
}

// held are the declarations whose values lie in the values of another, in place or behind a
// pointer; values in lists and maps are elements of their own.
func (c *costs) held(d ir.Decl) []ir.Decl {
	var found []ir.Decl
	visit := func(op plan.Op) {
		for op != nil {
			switch at := op.(type) {
			case *plan.Optional:
				op = at.Elem
			case *plan.Array:
				op = at.Elem
			case *plan.NestedType:
				found = append(found, at.Type.Decl)
				return
			case *plan.Run, *plan.Text, *plan.Blob, *plan.List, *plan.Map:
				return
			default:
				panic(fmt.Sprintf("lint: what a %T holds is not known", op))
			}
		}
	}
	body := c.program.Body(d)
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

func (l *linter) memoryFactor(owners []*ir.Meta, name string, t *ir.Type, op plan.Op) {
	r := l.costs.worst(op, t)
	if !r.pastLimit() {
		return
	}
	at := owners[len(owners)-1].Span
	l.warn(codeMemory, owners, at, "an element in `%s` can cost %d times its bytes in memory", name, (r.memory+r.wire-1)/r.wire).
		WithLabel(elementText(r)).
		WithHelp("make the smallest element larger, by a wider `@len` or a field that is always there, or its memory smaller, by one optional struct for the fields that are rarely set")
}
