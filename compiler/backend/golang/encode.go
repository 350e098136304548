package golang

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// sizer prints the first pass of encoding: the exact size, and whether lengths
// and depth are within their bounds.
func (g *generator) sizer(body *plan.Body) {
	name := g.names.Of(body.Decl)
	g.Line("// SDPSize is the number of bytes that SDPEncode writes. It is for generated code.")
	g.Line("func (v *%s) SDPSize(e *sdp.Encoder, depth int) int {", name)
	if body.Fixed() {
		g.Line("e.Enter(depth + %d)", body.Traits.Levels-1)
		g.Line("return %d", body.Size.Min)
		g.Line("}")
		g.Line("")
		return
	}
	g.Line("if !e.Enter(depth) {\nreturn 0\n}")
	if u, ok := body.Decl.(*ir.Union); ok {
		g.unionSize(u, body)
	} else {
		g.recordSize(body)
	}
	g.Line("}")
	g.Line("")
}

// recordSize prints the sum over all segments: first what is fixed or a mere
// length, then what takes statements.
func (g *generator) recordSize(body *plan.Body) {
	fixed, deepest := uint64(0), 0
	var terms []string
	var rest []plan.Op
	for _, s := range body.Segments {
		for _, op := range s.Ops {
			if run, ok := op.(*plan.Run); ok {
				deepest = max(deepest, run.Levels)
			}
			bytes, length, simple := g.term(op, "v")
			fixed += bytes
			if length != "" {
				terms = append(terms, length)
			}
			if !simple {
				rest = append(rest, op)
			}
		}
	}
	if deepest > 0 {
		g.Line("e.Enter(depth + %d)", deepest)
	}
	if keepsUnknown(body.Decl) {
		terms = append(terms, "len(v.unknown)")
	}
	sum := strings.Join(append([]string{fmt.Sprint(fixed)}, terms...), " + ")
	if len(rest) == 0 {
		g.Line("return %s", sum)
		return
	}
	g.Line("n := %s", sum)
	for _, op := range rest {
		g.addSize(op, "v."+g.names.Of(op.OpField()), 0)
	}
	g.Line("return n")
}

// term is what an op adds that needs no statement: bytes, and a length. An op
// that isn't simple has more, which addSize adds.
func (g *generator) term(op plan.Op, base string) (bytes uint64, length string, simple bool) {
	if run, ok := op.(*plan.Run); ok {
		return run.Bytes, "", true
	}
	v := base + "." + g.names.Of(op.OpField())
	switch op := op.(type) {
	case *plan.Text, *plan.Blob:
		t := typeOf(op)
		return plan.Prefix(t), lengthOf(t, v), true
	case *plan.List:
		if op.ElemSize.Fixed && g.depthless(op.Elem) {
			return plan.Prefix(op.Type), product(op.ElemSize.Min, lengthOf(op.Type, v)), true
		}
	}
	return 0, "", false
}

func product(n uint64, length string) string {
	if n == 1 {
		return length
	}
	return fmt.Sprintf("%d*%s", n, length)
}

// depthless reports whether an element has no structs whose depth would have to
// be checked.
func (g *generator) depthless(op plan.Op) bool {
	run, ok := op.(*plan.Run)
	return ok && run.Levels == 0
}

func typeOf(op plan.Op) *ir.Type {
	switch op := op.(type) {
	case *plan.Text:
		return op.Type
	case *plan.Blob:
		return op.Type
	}
	panic("golang: no length")
}

// lengthOf is the length of v, noted where it is over its bound. What exceeds
// four bytes shows in the total.
func lengthOf(t *ir.Type, v string) string {
	if !plan.IsLengthBound(t) {
		return "len(" + v + ")"
	}
	return fmt.Sprintf("e.Length(len(%s), %d)", v, plan.LengthMax(t))
}

// addSize prints statements that add the size of v to n.
func (g *generator) addSize(op plan.Op, v string, nesting int) {
	switch op := op.(type) {
	case *plan.Run:
		if op.Levels > 0 {
			g.Line("e.Enter(depth + %d)", op.Levels)
		}
		g.Line("n += %d", op.Bytes)
	case *plan.Text, *plan.Blob:
		g.Line("n += %d + %s", plan.Prefix(typeOf(op)), lengthOf(typeOf(op), v))
	case *plan.List:
		g.addListSize(op, v, nesting)
	case *plan.Array:
		g.elements(op.Type, v, nesting, func(v string) { g.addElements(op.Elem, v, nesting) })
	case *plan.Optional:
		g.Line("n++")
		g.present(op.Type, v)
		g.addSize(op.Elem, g.content(op.Type, v), nesting+1)
		g.Line("}")
	case *plan.Map:
		g.addMapSize(op, v, nesting)
	case *plan.Nested:
		if op.Type.Kind == ir.MessageKind {
			g.Line("n += %d", plan.Prefix(op.Type))
		}
		g.Line("n += %s.SDPSize(e, depth+1)", v)
	}
}

// present prints the condition that an optional is there.
func (g *generator) present(t *ir.Type, v string) {
	if g.pointer(t) {
		g.Line("if %s != nil {", v)
	} else {
		g.Line("if %s.Present {", v)
	}
}

// content is what an optional that is there holds.
func (g *generator) content(t *ir.Type, v string) string {
	if g.pointer(t) {
		return g.deref(t, v)
	}
	return v + ".Value"
}

func (g *generator) addListSize(op *plan.List, v string, nesting int) {
	if op.ElemSize.Fixed {
		if run := op.Elem.(*plan.Run); run.Levels > 0 {
			g.Line("if len(%s) > 0 {\ne.Enter(depth + %d)\n}", v, run.Levels)
		}
		g.Line("n += %d + %s", plan.Prefix(op.Type), product(op.ElemSize.Min, lengthOf(op.Type, v)))
		return
	}
	g.Line("n += %d", plan.Prefix(op.Type))
	if plan.IsLengthBound(op.Type) {
		g.Line("%s", lengthOf(op.Type, v))
	}
	g.addElements(op.Elem, v, nesting)
}

func (g *generator) addElements(elem plan.Op, v string, nesting int) {
	i := local("i", nesting)
	g.Line("for %s := range %s {", i, v)
	g.In(func() { g.addSize(elem, index(v, i), nesting+1) })
	g.Line("}")
}

func (g *generator) addMapSize(op *plan.Map, v string, nesting int) {
	g.Line("n += %d", plan.Prefix(op.Type))
	if plan.IsLengthBound(op.Type) {
		g.Line("%s", lengthOf(op.Type, v))
	}
	key, value := local("key", nesting), local("value", nesting)
	g.Line("for %s, %s := range %s {", key, value, v)
	g.In(func() {
		g.addSize(op.Key, key, nesting+1)
		g.addSize(op.Value, value, nesting+1)
		g.Line("_, _ = %s, %s", key, value)
	})
	g.Line("}")
}

func (g *generator) unionSize(u *ir.Union, body *plan.Body) {
	g.Line("n := %d", plan.UnionHead(u))
	g.alternatives(func() {
		for _, a := range body.Alternatives {
			g.Line("case *%s:", g.names.Of(a.Alt))
			g.Line("e.Require(a != nil)")
			if a.Op != nil {
				g.Line("if a != nil {")
				if a.Alt.Inline != nil {
					g.Line("n += a.SDPSize(e, depth+1)")
				} else {
					g.addSize(a.Op, "a.Value", 0)
				}
				g.Line("}")
			}
		}
		if !u.Closed {
			g.Line("case *%sUnknown:", g.names.Of(u))
			g.Line("e.Require(a != nil && %s)", unknownTag(u))
			g.Line("if a != nil {\nn += len(a.Payload)\n}")
		}
		g.Line("default:\ne.Refused = true")
	})
	g.Line("return n")
}

// unknownTag is the condition that an unknown alternative's number is none of
// the known ones.
func unknownTag(u *ir.Union) string {
	conditions := []string{"a.Number != 0"}
	for _, a := range u.Alternatives {
		conditions = append(conditions, fmt.Sprintf("a.Number != %d", a.Tag))
	}
	return strings.Join(conditions, " && ")
}

// encoder prints the second pass: it writes what the first has measured.
func (g *generator) encoder(body *plan.Body) {
	g.Line("// SDPEncode writes v at p into b, which has room for it, and returns the position")
	g.Line("// behind it. It is for generated code.")
	g.function(fmt.Sprintf("func (v *%s) SDPEncode(e *sdp.Encoder, b []byte, p int) int", g.names.Of(body.Decl)), encoderLocals, func() {
		if u, ok := body.Decl.(*ir.Union); ok {
			g.putUnion(u, body)
			return
		}
		for _, s := range body.Segments {
			for _, op := range s.Ops {
				src := "v"
				if f := op.OpField(); f != nil {
					src = "v." + g.names.Of(f)
				}
				g.put(op, src, 0)
			}
		}
		if keepsUnknown(body.Decl) {
			g.Line("p += copy(b[p:], v.unknown)")
		}
		g.Line("return p")
	})
}

// put prints what writes src at p and moves p behind it.
func (g *generator) put(op plan.Op, src string, nesting int) {
	switch op := op.(type) {
	case *plan.Run:
		if op.Bytes > 0 {
			g.Line("w = b[p:p+%d]", op.Bytes)
			g.putRun(op, src, "w", nesting)
			g.Line("p += %d", op.Bytes)
		}
	case *plan.Text:
		g.Line("p = sdp.PutText(b, sdp.PutCount%d(b, p, len(%s)), %s)", op.Type.LenBytes, src, src)
	case *plan.Blob:
		g.Line("p = sdp.PutBlob(b, sdp.PutCount%d(b, p, len(%s)), %s)", op.Type.LenBytes, src, src)
	case *plan.List:
		g.putList(op, src, nesting)
	case *plan.Array:
		g.elements(op.Type, src, nesting, func(src string) { g.putElements(op.Elem, src, nesting) })
	case *plan.Optional:
		g.present(op.Type, src)
		g.Line("b[p] = 1\np++")
		g.put(op.Elem, g.content(op.Type, src), nesting+1)
		g.Line("} else {\nb[p] = 0\np++\n}")
	case *plan.Map:
		g.putMap(op, src, nesting)
	case *plan.Nested:
		g.putNested(op, src, nesting)
	}
}

func (g *generator) putNested(op *plan.Nested, src string, nesting int) {
	if op.Type.Kind != ir.MessageKind {
		g.Line("p = %s.SDPEncode(e, b, p)", src)
		return
	}
	start := local("start", nesting)
	g.Emit(emit.Vars{"start": start, "src": src, "window": plan.WindowBytes}, `
		{
			$start$ := p + $window$
			p = $src$.SDPEncode(e, b, $start$)
			sdp.PutCount$window$(b, $start$-$window$, p-$start$)
		}
	`)
}

func (g *generator) putList(op *plan.List, src string, nesting int) {
	elem := op.Type.Elem
	g.Line("p = sdp.PutCount%d(b, p, len(%s))", op.Type.LenBytes, src)
	switch {
	case elem.Kind == ir.Bool:
		g.Line("sdp.PutBools(b[p:], %s)", src)
		g.Line("p += len(%s)", src)
	case bulk(elem):
		if elem.Kind == ir.EnumKind && elem.Enum().Closed {
			i := local("i", nesting)
			g.Line("for %s := range %s {\ne.Require(%s.SDPKnown())\n}", i, src, index(src, i))
		}
		g.Line("sdp.PutNumbers(b[p:], %s)", src)
		g.Line("p += %s", product(op.ElemSize.Min, "len("+src+")"))
	default:
		g.putElements(op.Elem, src, nesting)
	}
}

func (g *generator) putElements(elem plan.Op, src string, nesting int) {
	i := local("i", nesting)
	g.Line("for %s := range %s {", i, src)
	g.In(func() { g.put(elem, index(src, i), nesting+1) })
	g.Line("}")
}

func (g *generator) putMap(op *plan.Map, src string, nesting int) {
	sorted := "SortedKeys"
	if op.Type.Key.Kind == ir.Bool {
		sorted = "SortedBools"
	}
	key, value := local("key", nesting), local("value", nesting)
	g.Emit(emit.Vars{
		"len": op.Type.LenBytes, "src": src, "sorted": sorted, "keys": local("keys", nesting), "key": key,
		"K": g.types.spell(op.Type.Key),
		"entry": func() {
			g.put(op.Key, key, nesting+1)
			g.declare(value, value+" := "+index(src, key), func() { g.put(op.Value, value, nesting+1) })
		},
	}, `
		p = sdp.PutCount$len$(b, p, len($src$))
		{
			var $keys$ [16]$K$
			for _, $key$ := range sdp.$sorted$($keys$[:0], $src$) {
				$entry$
			}
		}
	`)
}

func (g *generator) putUnion(u *ir.Union, body *plan.Body) {
	if !u.Closed {
		g.Line("start := p + %d", plan.UnionHead(u))
	}
	g.alternatives(func() {
		for _, a := range body.Alternatives {
			g.Line("case *%s:", g.names.Of(a.Alt))
			g.putTag(u, fmt.Sprint(a.Alt.Tag))
			switch {
			case a.Op == nil:
			case a.Alt.Inline != nil:
				g.Line("p = a.SDPEncode(e, b, p)")
			default:
				g.put(a.Op, "a.Value", 0)
			}
		}
		if !u.Closed {
			g.Line("case *%sUnknown:", g.names.Of(u))
			g.putTag(u, "a.Number")
			g.Line("p += copy(b[p:], a.Payload)")
		}
	})
	if !u.Closed {
		g.Line("sdp.PutCount%d(b, start-%d, p-start)", plan.WindowBytes, plan.WindowBytes)
	}
	g.Line("return p")
}

func (g *generator) putTag(u *ir.Union, tag string) {
	g.Line("b[p] = %s", tag)
	if u.Closed {
		g.Line("p++")
	} else {
		g.Line("p = start")
	}
}
