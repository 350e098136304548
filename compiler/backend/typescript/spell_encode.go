package typescript

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

const localRole = names.Local

// writer prints the function that writes a body.
func (g *generator) writer(body *plan.Body) {
	name := g.names.Of(body.Decl)
	planned := g.program.BodyBy(body.Decl, whole)
	g.function("write"+name+"$", []string{"w: sdp.Writer", "value: " + name}, "void", func() {
		g.Line("w.enter();")
		lower.Body(writeSpeller{generator: g, temporaries: temporaries{}}, place{expr: "value"}, planned)
		if len(ir.FieldsOf(body.Decl)) == 0 {
			if _, isUnion := body.Decl.(*ir.Union); !isUnion {
				g.Line("w.empty(value);")
			}
		}
		g.Line("w.leave();")
	})
}

// writeSpeller spells writing: each statement writes the value of an expression.
type writeSpeller struct {
	*generator
	lower.Plain[place]
	temporaries
}

// Field is the expression of a field, or of what stands for one that is left out.
func (w writeSpeller) Field(p place, f *ir.Field) place {
	expr := p.expr + "." + w.names.Of(f)
	switch missing := w.leftOut(f); {
	case missing == "":
	case isOptional(f.Type): // null is absent, and what is left out is not
		expr = "sdp.orDefault(" + expr + ", " + missing + ")"
	default:
		expr = "(" + expr + " ?? " + missing + ")"
	}
	return place{expr: expr, numbers: asNumbers(&f.Meta)}
}

func (w writeSpeller) Run(p place, run *plan.Run) {
	w.run(w.local, "w.room", p, run, w.Field, w.scalar)
}

func (w writeSpeller) scalar(p place, t *ir.Type, position string) {
	value := p.expr
	if e, isEnum := t.Decl.(*ir.Enum); isEnum && e.Closed {
		value = w.own("known", e) + "(" + value + ")"
	}
	w.Line("w.%s(%s, %s);", w.as(p.numbers).scalar(t).store, position, value)
}

func (w writeSpeller) Text(p place, t *ir.Type) {
	w.Line("w.text(%d, %s%s);", t.LenBytes, p.expr, bound(t))
}
func (w writeSpeller) Blob(p place, t *ir.Type) {
	w.Line("w.blob(%d, %s%s);", t.LenBytes, p.expr, bound(t))
}

func (w writeSpeller) Items(p place, t *ir.Type, _ *plan.Run, visit func(place)) {
	if array := w.as(p.numbers).arrayOf(t.Elem); array != "" {
		w.Line("w.numbers(%s, %d, %s%s);", array, t.LenBytes, p.expr, bound(t))
		return
	}
	w.List(p, t, 0, visit)
}

func (w writeSpeller) List(p place, t *ir.Type, _ uint64, visit func(place)) {
	w.block(p, func(list string) {
		w.Line("w.list(%d, %s%s);", t.LenBytes, list, bound(t))
		w.elements(p, list, visit)
	})
}

// block prints statements about a value that is named several times.
func (w writeSpeller) block(p place, body func(name string)) {
	list := w.local("list")
	w.Line("const %s = %s;", list, p.expr)
	body(list)
}

func (w writeSpeller) elements(p place, list string, visit func(place)) {
	one := w.local("one")
	w.Line("for (const %s of %s) {", one, list)
	w.In(func() { visit(p.part(one, "", "")) })
	w.Line("}")
}

func (w writeSpeller) Array(p place, t *ir.Type, visit func(place)) {
	if array := w.as(p.numbers).arrayOf(t.Elem); array != "" {
		w.Line("w.fixed(%s, %d, %s);", array, t.N, p.expr)
		return
	}
	w.block(p, func(list string) {
		w.Line("w.elements(%s, %d);", list, t.N)
		w.elements(p, list, visit)
	})
}

func (w writeSpeller) Map(p place, t *ir.Type, _ uint64, key, value func(place)) {
	k, v := w.local("key"), w.local("value")
	w.Line("for (const [%s, %s] of w.map(%d, %s%s)) {", k, v, t.LenBytes, p.expr, bound(t))
	w.In(func() {
		key(p.part(k, "", ""))
		value(p.part(v, "", ""))
	})
	w.Line("}")
}

func (w writeSpeller) Optional(p place, _ *ir.Type, there func(place)) {
	some := w.local("some")
	w.Line("const %s = %s;", some, p.expr)
	w.Line("if (w.present(%s)) {", some)
	w.In(func() { there(p.part(some, "", "")) })
	w.Line("}")
}

func (w writeSpeller) Call(p place, t *ir.Type) { w.Line("%s(w, %s);", w.own("write", t.Decl), p.expr) }

func (w writeSpeller) Window(p place, t *ir.Type) {
	start := w.local("open")
	w.Line("const %s = w.open();", start)
	w.Call(p, t)
	w.Line("w.close(%s);", start)
}

func (w writeSpeller) Tail(p place, m *ir.Message) {
	if m.KeepUnknown {
		w.Line("w.tail(%s.$unknown);", p.expr)
	}
}

func (w writeSpeller) Union(_ place, u *ir.Union, cases func()) {
	w.Line("switch (value.kind) {")
	w.In(func() {
		cases()
		w.Line("default:")
		w.In(func() {
			if u.Closed {
				w.Line("throw sdp.refused;")
				return
			}
			var tags []string
			for _, a := range u.Alternatives {
				tags = append(tags, fmt.Sprint(a.Tag))
			}
			w.Line("w.unknown(value, [%s]);", strings.Join(tags, ", "))
		})
	})
	w.Line("}")
}

func (w writeSpeller) Case(_ place, u *ir.Union, a *plan.Alternative, payload func(place)) {
	w.Line("case %s: {", quote(w.names.Of(a.Alt)))
	w.In(func() {
		w.Line("w.tag(%d);", a.Alt.Tag)
		if !u.Closed {
			w.Line("const $open = w.open();")
		}
		if a.Alt.Type != nil {
			payload(place{expr: "value.value", numbers: asNumbers(&a.Alt.Meta)})
		}
		if !u.Closed {
			w.Line("w.close($open);")
		}
		w.Line("break;")
	})
	w.Line("}")
}
