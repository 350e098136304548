package golang

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// place is the Go expression for an item of a run, whose value is base.
func (g *generator) place(base string, path []*ir.Field) string {
	for _, f := range path {
		base += "." + g.names.Of(f)
	}
	return base
}

// from is the slice b from an offset on.
func from(b string, offset uint64) string {
	if offset == 0 {
		return b
	}
	return fmt.Sprintf("%s[%d:]", b, offset)
}

// byteAt is the byte of b at an offset.
func byteAt(b string, offset uint64) string { return fmt.Sprintf("%s[%d]", b, offset) }

// load is the Go expression for the scalar of type t at an offset of s.
func (g *generator) load(t *ir.Type, s string, offset uint64) string {
	return g.viewScalar(t, s, fmt.Sprint(offset))
}

// store is the Go statement that writes the scalar v of type t at an offset of
// b.
func (g *generator) store(t *ir.Type, b string, offset uint64, v string) string {
	if t.Kind == ir.EnumKind && !t.Scalar().IsSigned() {
		v = scalars.Of(t.Scalar()).name + "(" + v + ")"
	}
	return fillScalar(scalars.Of(t.Scalar()).store, b, offset, v)
}

func fillScalar(snippet, b string, offset uint64, v string) string {
	snippet = strings.ReplaceAll(snippet, "$b$[0]", byteAt(b, offset))
	snippet = strings.ReplaceAll(snippet, "$b$[:16]", fmt.Sprintf("%s[%d:%d]", b, offset, offset+16))
	snippet = strings.ReplaceAll(snippet, "$b$", from(b, offset))
	return strings.ReplaceAll(snippet, "$v$", v)
}

// bulk reports whether an array or list of t is copied as a whole.
func bulk(elem *ir.Type) bool {
	return elem.Scalar() != 0 && scalars.Of(elem.Scalar()).number
}

// getRun prints what reads a run from b, whose bytes are there, into the value
// base.
func (g *generator) getRun(run *plan.Run, base, b string, depth int) {
	g.refuseUnless(boolsValid(run, b))
	for _, item := range run.Items {
		g.getItem(item, g.place(base, item.Path), b, depth)
	}
}

// boolsValid is the condition that a run's bools are 0 or 1; empty where it has
// none.
func boolsValid(run *plan.Run, b string) string {
	var bools []string
	for _, item := range run.Items {
		if item.Type.Kind == ir.Bool {
			bools = append(bools, byteAt(b, item.Offset))
		}
	}
	if len(bools) == 0 {
		return ""
	}
	return strings.Join(bools, "|") + " <= 1"
}

// refuseUnless prints the way out of a decoder where the condition doesn't
// hold.
func (g *generator) refuseUnless(condition string) {
	if condition == "" {
		return
	}
	if negated, found := strings.CutSuffix(condition, " <= 1"); found {
		condition = negated + " > 1"
	} else {
		condition = "!" + condition
	}
	g.Line("if %s {", condition)
	g.In(func() { g.Line("return s, false") })
	g.Line("}")
}

func (g *generator) getItem(item plan.Item, dst, b string, depth int) {
	t := item.Type
	switch t.Kind {
	case ir.ArrayKind:
		g.getArray(item, dst, b, depth)
	case ir.StructKind:
		g.Line("if _, ok = %s.SDPDecode(d, %s, depth+1); !ok {", dst, from(b, item.Offset))
		g.In(func() { g.Line("return s, false") })
		g.Line("}")
	default:
		g.Line("%s = %s", dst, g.load(t, b, item.Offset))
		if t.Kind == ir.EnumKind && t.Enum().Closed {
			g.refuseUnless(dst + ".SDPKnown()")
		}
	}
}

// getArray prints what reads an array of fixed size.
func (g *generator) getArray(item plan.Item, dst, b string, depth int) {
	t := item.Type
	if g.types.OnHeap(t) {
		g.allocate(t, dst)
	}
	i := local("i", depth)
	elemBytes := g.program.SizeOf(t.Elem).Min
	switch {
	case t.Elem.Kind == ir.Bool:
		g.refuseUnless(fmt.Sprintf("sdp.GetBools(%s[:], %s)", dst, from(b, item.Offset)))
	case t.Elem.Scalar() != 0 && bulk(t.Elem):
		g.Line("sdp.GetNumbers(%s[:], %s)", dst, from(b, item.Offset))
		if t.Elem.Kind == ir.EnumKind && t.Elem.Enum().Closed {
			g.Line("for %s := range %s {", i, dst)
			g.refuseUnless(index(dst, i) + ".SDPKnown()")
			g.Line("}")
		}
	case t.Elem.Scalar() != 0:
		w := local("w", depth)
		g.Line("for %s := range %s {", i, dst)
		g.Line("%s := %s[%d+%d*%s:]", w, b, item.Offset, elemBytes, i)
		g.Line("%s = %s", index(dst, i), g.load(t.Elem, w, 0))
		g.Line("}")
	default:
		w := local("w", depth)
		g.Line("for %s := range %s {", i, dst)
		g.Line("%s := %s[%d+%d*%s:]", w, b, item.Offset, item.Elem.Bytes, i)
		g.getRun(item.Elem, index(dst, i), w, depth+1)
		g.Line("}")
	}
}

// putRun prints what writes a run of the value base to b.
func (g *generator) putRun(run *plan.Run, base, b string, depth int) {
	for _, item := range run.Items {
		g.putItem(item, g.place(base, item.Path), b, depth)
	}
}

func (g *generator) putItem(item plan.Item, src, b string, depth int) {
	t := item.Type
	switch t.Kind {
	case ir.ArrayKind:
		g.putArray(item, src, b, depth)
	case ir.StructKind:
		g.Line("%s.SDPEncode(e, %s, 0)", src, from(b, item.Offset))
	default:
		if t.Kind == ir.EnumKind && t.Enum().Closed {
			g.Line("e.Require(%s.SDPKnown())", src)
		}
		if t.Kind.Class() == ir.TimestampClass {
			g.Line("e.Require(sdp.TimeValid(%s))", src)
		}
		g.Line("%s", g.store(t, b, item.Offset, src))
	}
}

func (g *generator) putArray(item plan.Item, src, b string, depth int) {
	g.elements(item.Type, src, depth, func(src string) { g.putArrayElements(item, src, b, depth) })
}

func (g *generator) putArrayElements(item plan.Item, src, b string, depth int) {
	t := item.Type
	i, w := local("i", depth), local("w", depth)
	if closed := t.Elem.Kind == ir.EnumKind && t.Elem.Enum().Closed; closed {
		g.Line("for %s := range %s {", i, src)
		g.Line("e.Require(%s.SDPKnown())", index(src, i))
		g.Line("}")
	}
	switch {
	case t.Elem.Kind == ir.Bool:
		g.Line("sdp.PutBools(%s, %s[:])", from(b, item.Offset), src)
	case t.Elem.Scalar() != 0 && bulk(t.Elem):
		g.Line("sdp.PutNumbers(%s, %s[:])", from(b, item.Offset), src)
	default:
		elem := item.Elem
		if elem == nil {
			elem = g.program.Op(t.Elem).(*plan.Run)
		}
		g.Line("for %s := range %s {", i, src)
		g.Line("%s := %s[%d+%d*%s:]", w, b, item.Offset, elem.Bytes, i)
		g.putRun(elem, index(src, i), w, depth+1)
		g.Line("}")
	}
}
