package typescript

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// place is where a value is: a variable or element that reading gives it to, or an
// expression that it is written from.
type place struct {
	expr string
	// typ is the type of a variable that is to be declared; empty for one that is there.
	typ string
	// numbers is whether integers of 64 bits in it are numbers.
	numbers bool
	// before is an expression of what reading may use again; empty for nothing.
	before string
}

// again is what reading may use again, as an argument.
func (p place) again() string { return cmp.Or(p.before, "undefined") }

// part is a place within another.
func (p place) part(expr, typ, prefix string) place { return place{expr, typ, p.numbers, prefix} }

// temporaries numbers the variables of generated code's own in one function.
type temporaries map[string]int

func (t temporaries) local(name string) string {
	t[name]++
	return fmt.Sprintf("%s$%d", name, t[name])
}

// reader prints the function that reads a body.
func (g *generator) reader(body *plan.Body) {
	name := g.names.Of(body.Decl)
	planned := g.program.BodyBy(body.Decl, whole)
	parameters := []string{"r: sdp.Reader"}
	if reuses(body.Decl, map[ir.Decl]bool{}) {
		parameters = append(parameters, "$target?: "+name)
	}
	g.function("read"+name+"$", parameters, name, func() {
		g.Line("r.enter(%d);", g.DeclSize(body.Decl))
		lower.Body(readSpeller{g, temporaries{}}, place{}, planned)
		if _, isStruct := body.Decl.(*ir.Struct); isStruct {
			readSpeller{generator: g}.result(body.Decl)
		}
	})
}

// object is a literal of the fields' variables.
func (g *generator) object(d ir.Decl, more string) string {
	var parts []string
	for _, f := range ir.FieldsOf(d) {
		part := g.names.Of(f)
		if local := g.names.Get(f, localRole); local != part {
			part += ": " + local
		}
		parts = append(parts, part)
	}
	if more != "" {
		parts = append(parts, more)
	}
	if len(parts) == 0 {
		return "{}"
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

// readSpeller spells reading.
type readSpeller struct {
	*generator
	temporaries
}

// result prints what ends the reading of a record: its fields as an object, which is the one
// to read into if there is one.
func (r readSpeller) result(d ir.Decl) {
	r.Line("r.leave();")
	if reuses(d, nil) {
		r.Line("if ($target !== undefined) {")
		r.In(func() {
			for _, f := range ir.FieldsOf(d) {
				r.Line("$target.%s = %s;", r.names.Of(f), r.names.Get(f, localRole))
			}
			if r.keeps(d) {
				r.Line("sdp.keep($target, $tail);")
			}
			r.Line("return $target;")
		})
		r.Line("}")
	}
	if r.keeps(d) {
		r.Line("return $tail === undefined ? %s : %s;", r.object(d, ""), r.object(d, "$unknown: $tail"))
		return
	}
	r.Line("return %s;", r.object(d, ""))
}

// set prints what gives a place its value.
func (r readSpeller) set(p place, format string, args ...any) {
	before := ""
	if p.typ != "" {
		before = "const "
	}
	r.Line("%s%s = %s;", before, p.expr, fmt.Sprintf(format, args...))
}

func (r readSpeller) Field(_ place, f *ir.Field) place {
	at := place{expr: r.names.Get(f, localRole), numbers: asNumbers(&f.Meta), before: "$target?." + r.names.Of(f)}
	if f.Since <= 1 {
		at.typ = r.of(&f.Meta).spell(f.Type)
	}
	return at
}

func (r readSpeller) Charge(_ place, traits plan.Traits) {
	if traits.Elements > 0 {
		r.Line("r.spend(%d);", traits.Elements)
	}
}

func (r readSpeller) Run(p place, run *plan.Run) {
	r.run(r.local, "r.take", p, run, r.Field, r.scalar)
}

// run prints the work on each scalar of a run, the positions of whose bytes are behind the position
// that a function gives.
func (g *generator) run(local func(string) string, take string, p place, run *plan.Run,
	field func(place, *ir.Field) place, visit func(p place, t *ir.Type, position string)) {
	first := fmt.Sprintf("%s(%d)", take, run.Bytes)
	if len(run.Items) > 1 {
		name := local("at")
		g.Line("const %s = %s;", name, first)
		first = name
	}
	for _, item := range run.Items {
		at, position := p, first
		for _, f := range item.Path {
			at = field(at, f)
		}
		if item.Offset > 0 {
			position += fmt.Sprintf(" + %d", item.Offset)
		}
		visit(at, item.Type, position)
	}
}

func (r readSpeller) scalar(p place, t *ir.Type, position string) {
	load := strings.ReplaceAll(r.as(p.numbers).scalar(t).load, "$p$", position)
	if e, isEnum := t.Decl.(*ir.Enum); isEnum && e.Closed {
		load = r.own("known", e) + "(" + load + ")"
	}
	r.set(p, "%s", load)
}

func (r readSpeller) Text(p place, t *ir.Type) { r.set(p, "r.text(%d%s)", t.LenBytes, bound(t)) }
func (r readSpeller) Blob(p place, t *ir.Type) {
	r.set(p, "r.blob(%d, %s%s)", t.LenBytes, p.again(), bound(t))
}

func (r readSpeller) Items(p place, t *ir.Type, run *plan.Run, visit func(place)) {
	if array := r.as(p.numbers).arrayOf(t.Elem); array != "" {
		r.set(p, "r.numbers(%s, %d, %s%s)", array, t.LenBytes, p.again(), bound(t))
		return
	}
	r.List(p, t, run.Bytes, visit)
}

func (r readSpeller) List(p place, t *ir.Type, least uint64, visit func(place)) {
	n := r.local("n")
	r.Line("const %s = r.count(%d, %d, 8%s);", n, t.LenBytes, least, bound(t))
	r.elements(p, t, n, visit)
}

// elements prints what reads n elements into an array.
func (r readSpeller) elements(p place, t *ir.Type, n string, visit func(place)) {
	list := p.expr
	if p.typ == "" {
		list = r.local("list")
	}
	i := r.local("i")
	r.Line("const %s = r.cut(%s, %s) ?? new Array%s(%s);", list, p.again(), n, typed("<"+r.as(p.numbers).spell(t.Elem)+">"), n)
	r.Line("for (let %s = 0; %s < %s; %s++) {", i, i, n, i)
	r.In(func() { visit(p.part(list+"["+i+"]", "", list+"["+i+"]")) })
	r.Line("}")
	if p.typ == "" {
		r.Line("%s = %s;", p.expr, list)
	}
}

func (r readSpeller) Array(p place, t *ir.Type, visit func(place)) {
	if array := r.as(p.numbers).arrayOf(t.Elem); array != "" {
		r.set(p, "r.fixed(%s, %d, %s)", array, t.N, p.again())
		return
	}
	r.elements(p, t, fmt.Sprint(t.N), visit)
}

func (r readSpeller) Map(p place, t *ir.Type, least uint64, key, value func(place)) {
	n, i, m, k, v, last := r.local("n"), r.local("i"), r.local("map"), r.local("key"), r.local("value"), r.local("last")
	r.Line("const %s = r.count(%d, %d, %d%s);", n, t.LenBytes, least, r.Entry(t), bound(t))
	if p.typ != "" {
		m = p.expr
	}
	keyType, valueType := r.as(p.numbers).spell(t.Key), r.as(p.numbers).spell(t.Elem)
	r.Line("const %s = new Map%s();", m, typed("<"+keyType+", "+valueType+">"))
	r.Line("let %s%s;", last, typed(": "+keyType+" | undefined"))
	r.Line("for (let %s = 0; %s < %s; %s++) {", i, i, n, i)
	r.In(func() {
		key(p.part(k, keyType, ""))
		r.Line("r.order(%s, %s);", last, k)
		r.Line("%s = %s;", last, k)
		before := ""
		if p.before != "" {
			before = p.before + "?.get(" + k + ")"
		}
		value(p.part(v, valueType, before))
		r.Line("%s.set(%s, %s);", m, k, v)
	})
	r.Line("}")
	if p.typ == "" {
		r.Line("%s = %s;", p.expr, m)
	}
}

func (r readSpeller) Optional(p place, t *ir.Type, there func(place)) {
	if p.typ != "" {
		r.Line("let %s%s = null;", p.expr, typed(": "+r.as(p.numbers).spell(t)))
	} else {
		r.Line("%s = null;", p.expr)
	}
	r.Line("if (r.present()) {")
	r.In(func() { there(p.part(p.expr, "", "("+p.again()+" ?? undefined)")) })
	r.Line("}")
}

func (r readSpeller) Call(p place, t *ir.Type) {
	before := ""
	if reuses(t.Decl, map[ir.Decl]bool{}) {
		before = ", " + p.again()
	}
	r.set(p, "%s(r%s)", r.own("read", t.Decl), before)
}

func (r readSpeller) Window(p place, t *ir.Type) {
	outer := r.local("outer")
	r.Line("const %s = r.window();", outer)
	r.Call(p, t)
	r.Line("r.close(%s);", outer)
}

func (r readSpeller) Segment(_ place, _ *ir.Message, s *plan.Segment, there func()) {
	for _, f := range s.Fields {
		r.Line("let %s%s;", r.names.Get(f, localRole), typed(": "+r.of(&f.Meta).spell(f.Type)))
	}
	r.Line("if (r.more()) {")
	r.In(there)
	r.Line("} else {")
	r.In(func() {
		for _, f := range s.Fields {
			r.Line("%s = %s;", r.names.Get(f, localRole), r.missing(f))
		}
	})
	r.Line("}")
}

func (r readSpeller) Tail(_ place, m *ir.Message) {
	if m.KeepUnknown {
		r.Line("const $tail = r.tail();")
	} else {
		r.Line("r.skip();")
	}
	r.result(m)
}

func (r readSpeller) Union(_ place, u *ir.Union, cases func()) {
	r.Line("const tag = r.view.getUint8(r.take(1));")
	if !u.Closed {
		r.Line("const outer = r.window();")
	}
	r.Line("let value%s;", typed(": "+r.names.Of(u)))
	r.Line("switch (tag) {")
	r.In(func() {
		cases()
		r.Line("default:")
		if u.Closed {
			r.In(func() { r.Line("throw sdp.refused;") })
		} else {
			r.In(func() { r.Line("value = r.unknown(tag);") })
		}
	})
	r.Line("}")
	if !u.Closed {
		r.Line("r.close(outer);")
	}
	r.Line("r.leave();")
	r.Line("return value;")
}

func (r readSpeller) Case(_ place, _ *ir.Union, a *plan.Alternative, payload func(place)) {
	kind := quote(r.names.Of(a.Alt))
	r.Line("case %d: {", a.Alt.Tag)
	r.In(func() {
		if a.Alt.Type == nil {
			r.Line("value = { kind: %s };", kind)
		} else {
			payload(place{
				expr: "payload", typ: r.of(&a.Alt.Meta).spell(a.Alt.Type), numbers: asNumbers(&a.Alt.Meta),
				before: "($target?.kind === " + kind + " ? $target.value : undefined)",
			})
			r.Line("value = { kind: %s, value: payload };", kind)
		}
		r.Line("break;")
	})
	r.Line("}")
}
