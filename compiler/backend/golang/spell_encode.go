package golang

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// encoder prints the second pass of encoding: it writes what the first has measured.
func (g *generator) encoder(body *plan.Body) {
	g.Line("// SDPEncode writes v at p into b, which has room for it, and returns the position")
	g.Line("// behind it. It is for generated code.")
	g.function(fmt.Sprintf("func (v *%s) SDPEncode(e *sdp.Encoder, b []byte, p int) int", g.names.Of(body.Decl)), encoderLocals, func() {
		lower.Body(writer{generator: g}, place{expr: "v"}, body)
		g.Line("return p")
	})
}

// writer spells writing: each statement writes a value at p and moves p behind it.
type writer struct {
	*generator
	lower.Plain[place]
}

func (w writer) Run(p place, run *plan.Run) {
	if run.Bytes > 0 {
		w.Line("w = b[p : p+%d]", run.Bytes)
		lower.Items(w, p.on("w"), run)
		w.Line("p += %d", run.Bytes)
	}
}

func (w writer) Text(p place, t *ir.Type) {
	w.Line("p = sdp.PutText%d(b, p, %s)", t.LenBytes, p.expr)
}

func (w writer) Blob(p place, t *ir.Type) {
	w.Line("p = sdp.PutBlob(b, %s, %s)", w.counted(p, t), p.expr)
}

func (w writer) Items(p place, t *ir.Type, run *plan.Run, visit func(place)) {
	isBool := t.Elem.Kind == ir.Bool
	if !isBool && !bulk(t.Elem) {
		w.List(p, t, run.Bytes, visit)
		return
	}
	w.known(p, t)
	w.Line("p = sdp.%s(b, %s, %s)", putAll(t), w.counted(p, t), p.expr)
}

// putAll is the function that writes all elements of a list or array.
func putAll(t *ir.Type) string {
	if t.Elem.Kind == ir.Bool {
		return "PutBools"
	}
	return "PutNumbers"
}

// counted is what writes a count or length at p, and the position behind it.
func (w writer) counted(p place, t *ir.Type) string {
	return fmt.Sprintf("sdp.PutCount%d(b, p, len(%s))", t.LenBytes, p.expr)
}

// known prints the check of a list or array of a closed enum.
func (w writer) known(p place, t *ir.Type) {
	if isClosed(t.Elem) {
		w.loop(p, "", func(p place) { w.Line("e.Require(%s.SDPKnown())", p.expr) })
	}
}

func (w writer) List(p place, t *ir.Type, _ uint64, visit func(place)) {
	w.Line("p = %s", w.counted(p, t))
	w.loop(p, "", visit)
}

func (w writer) Array(p place, t *ir.Type, visit func(place)) {
	w.array(p, t, func(p place) { w.loop(p, "", visit) })
}

func (w writer) Optional(p place, t *ir.Type, there func(place)) {
	w.Line("b[p], p = 0, p+1")
	w.Line("if %s {", w.present(t, p.expr))
	w.Line("b[p-1] = 1")
	there(place{expr: w.content(t, p.expr), nesting: p.nesting + 1})
	w.Line("}")
}

func (w writer) Map(p place, t *ir.Type, _ uint64, key, value func(place)) {
	k, v, keys := p.temporary("key"), p.temporary("value"), p.temporary("keys").expr
	w.Line("p = %s", w.counted(p, t))
	w.Line("{\nvar %s [16]%s", keys, w.types.spell(t.Key))
	w.Line("for _, %s := range sdp.%s(%s[:0], %s) {", k.expr, sortedKeys(t), keys, p.expr)
	key(k)
	w.declare(v.expr, v.expr+" := "+index(p.expr, k.expr), func() { value(v) })
	w.Line("}\n}")
}

func (w writer) Call(p place, _ *ir.Type) { w.Line("p = %s.SDPEncode(e, b, p)", p.expr) }

func (w writer) Window(p place, _ *ir.Type) {
	start := p.temporary("start").expr
	w.Line("{\n%s := p + %d", start, plan.WindowBytes)
	w.Line("p = %s.SDPEncode(e, b, %s)", p.expr, start)
	w.closeWindow(start)
	w.Line("}")
}

// closeWindow prints what writes the length before what was written.
func (w writer) closeWindow(start string) {
	w.Line("sdp.PutCount%d(b, %s-%d, p-%s)", plan.WindowBytes, start, plan.WindowBytes, start)
}

func (w writer) Tail(_ place, m *ir.Message) {
	if m.KeepUnknown {
		w.Line("p += copy(b[p:], v.unknown)")
	}
}

func (w writer) Union(_ place, u *ir.Union, cases func()) {
	if !u.Closed {
		w.Line("start := p + %d", plan.UnionHead(u))
	}
	w.alternatives(func() {
		cases()
		if !u.Closed {
			w.Line("case *%sUnknown:", w.names.Of(u))
			w.tag(u, "a.Number")
			w.Line("p += copy(b[p:], a.Payload)")
		}
	})
	if !u.Closed {
		w.closeWindow("start")
	}
}

func (w writer) tag(u *ir.Union, tag string) {
	w.Line("b[p] = %s", tag)
	if u.Closed {
		w.Line("p++")
	} else {
		w.Line("p = start")
	}
}

func (w writer) Case(_ place, u *ir.Union, a *plan.Alternative, payload func(place)) {
	w.Line("case *%s:", w.names.Of(a.Alt))
	w.tag(u, fmt.Sprint(a.Alt.Tag))
	if a.Alt.Inline != nil {
		w.Call(place{expr: "a"}, a.Alt.Type)
	} else {
		payload(place{expr: "a.Value"})
	}
}

// Bools are written one by one.
func (w writer) Bools([]place) {}

func (w writer) Scalar(p place, t *ir.Type) {
	if isClosed(t) {
		w.Line("e.Require(%s.SDPKnown())", p.expr)
	}
	if refuses := scalars.Of(t.Scalar()).refuses; refuses != "" {
		w.Line("e.Require(sdp.%sValid(%s))", refuses, p.expr)
	}
	w.Line("%s", w.store(p, t))
}

func (w writer) Scalars(p place, t *ir.Type, elem *plan.Run, visit func(place)) {
	if t.Elem.Kind != ir.Bool && !bulk(t.Elem) {
		w.Elements(p, t, elem, visit)
		return
	}
	w.array(p, t, func(p place) {
		w.known(p, t)
		w.Line("sdp.%s(%s, %d, %s[:])", putAll(t), p.bytes, p.offset, p.expr)
	})
}

func (w writer) Elements(p place, t *ir.Type, elem *plan.Run, visit func(place)) {
	w.array(p, t, func(p place) { w.windows(p, t, elem, "w", visit) })
}

func (w writer) Struct(p place, _ *plan.Body) { w.Line("%s.SDPEncode(e, %s, 0)", p.expr, p.from()) }

// present is the condition that an optional is there.
func (g *generator) present(t *ir.Type, v string) string {
	if g.pointer(t) {
		return v + " != nil"
	}
	return v + ".Present"
}

// content is what an optional that is there holds.
func (g *generator) content(t *ir.Type, v string) string {
	if g.pointer(t) {
		return g.deref(t, v)
	}
	return v + ".Value"
}
