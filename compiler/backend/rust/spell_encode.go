package rust

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// encoder prints what measures, writes and checks a type in one form.
func (g *generator) encoder(d ir.Decl, form form) {
	g.Line("impl wire::Encode for %s {", g.anonymous(d, form))
	g.In(func() {
		g.Line("#[inline]")
		g.Line("fn sdp_size(&self, depth: usize) -> usize {")
		g.sizerBody(d)
		g.Line("}")
		g.Line("")
		g.Line("#[inline]")
		g.Line("fn sdp_encode(&self, w: &mut wire::Writer<'_>, depth: usize) {")
		g.In(func() { g.encoderBody(d, form) })
		g.Line("}")
		g.Line("")
		g.Line("#[inline]")
		g.Line("fn sdp_check(&self, large: bool, depth: usize) -> Result<(), sdp::Error> {")
		g.In(func() { g.checkBody(d) })
		g.Line("}")
	})
	g.Line("}")
	g.Line("")
}

func (g *generator) encoderBody(d ir.Decl, form form) {
	if len(ir.FieldsOf(d)) == 0 && !isUnion(d) && !keeps(d) {
		g.Line("let _ = w.enter(depth);")
		return
	}
	w := writer{generator: g, form: form}
	w.enter("depth")
	lower.Body(w, place{text: "self"}, g.bodyOf(d))
}

// writer spells writing a value of a form.
type writer struct {
	*generator
	lower.Plain[place]
	form form
}

func (w writer) enter(depth string) {
	w.Line("if !w.enter(%s) {", depth)
	w.In(func() { w.Line("return;") })
	w.Line("}")
}

// levels prints the check of structs that are written by value.
func (w writer) levels(traits plan.Traits) {
	if traits.Levels > 0 {
		w.enter(fmt.Sprintf("depth + %d", traits.Levels))
	}
}

func (w writer) Field(p place, f *ir.Field) place {
	kind := f.Type.Kind
	return place{p.text + "." + w.names.Of(f), w.form == borrowed && (kind == ir.StrKind || kind == ir.BytesKind)}
}

func (w writer) Run(p place, run *plan.Run) {
	w.levels(run.Traits)
	switch {
	case run.Type != nil:
		w.Line("w.put(%s);", p.shared())
	case len(run.Parts) == 1:
		w.Line("w.put(&self.%s);", w.names.Of(run.Parts[0].Field))
	default:
		w.putRun(run)
		w.Line("w.run(run);")
	}
}

// putRun prints what makes a variable of the bytes of a run.
func (g *generator) putRun(run *plan.Run) {
	g.Line("let mut run = [0; %d];", run.Bytes)
	for _, p := range run.Parts {
		g.Line("wire::put(&mut run, %d, &self.%s);", p.Offset, g.names.Of(p.Field))
	}
}

func (w writer) Text(p place, t *ir.Type) {
	w.Line("w.text::<%d>(%s, %s);", t.LenBytes, p.shared(), most(t.Max))
}

func (w writer) Blob(p place, t *ir.Type) {
	w.Line("w.bytes::<%d>(%s, %s);", t.LenBytes, p.shared(), most(t.Max))
}

func (w writer) count(p place, t *ir.Type) {
	w.Line("w.count::<%d>(%s.len(), %s);", t.LenBytes, p.text, most(t.Max))
}

func (w writer) Items(p place, t *ir.Type, _ *plan.Run, _ func(place)) {
	w.count(p, t)
	w.Line("w.fixed(%s, depth);", p.shared())
}

func (w writer) List(p place, t *ir.Type, _ uint64, visit func(place)) {
	w.count(p, t)
	w.loop(p, t, visit)
}

func (w writer) Array(p place, t *ir.Type, visit func(place)) {
	if w.types.Fixed(t.Elem) {
		w.Line("w.fixed(&%s[..], depth);", p.text)
		return
	}
	w.loop(p, t, visit)
}

// loop prints what goes through the elements of a list or array.
func (g *generator) loop(p place, t *ir.Type, visit func(place)) {
	item := g.element(p.text)
	g.Line("for %s in %s {", item, g.iterate(t, p))
	g.In(func() { visit(place{item, true}) })
	g.Line("}")
}

// iterate is the iterator of a loop over a list or array.
func (g *generator) iterate(t *ir.Type, p place) string {
	if t.Kind == ir.ArrayKind {
		return p.text + ".iter()" // it may be in a Box
	}
	return p.shared()
}

func (w writer) Map(p place, t *ir.Type, _ uint64, key, value func(place)) {
	w.count(p, t)
	w.Line("for (key, value) in %s {", p.shared())
	w.In(func() {
		key(place{"key", true})
		value(place{"value", true})
	})
	w.Line("}")
}

func (w writer) Optional(p place, t *ir.Type, there func(place)) {
	w.Emit(emit.Vars{"value": p.shared(), "write": func() {
		if !w.types.Fixed(t.Elem) {
			w.Line("w.put(&true);")
			there(place{"value", true})
			return
		}
		w.levels(w.program.Traits(t.Elem))
		value := "value"
		if w.types.Boxed(t) {
			value = "&**value"
		}
		w.Line("w.some(%s);", value)
	}}, `
		if let Some(value) = $value$ {
			$write$
		} else {
			w.put(&false);
		}
	`)
}

func (w writer) Call(p place, _ *ir.Type) { w.Line("%s.sdp_encode(w, depth + 1);", p.text) }

func (w writer) Window(p place, t *ir.Type) {
	w.Line("let start = w.open();")
	w.Call(p, t)
	w.Line("w.close(start);")
}

func (w writer) Tail(_ place, m *ir.Message) {
	if m.KeepUnknown {
		w.Line("w.raw(%s);", pick(w.form, "&self.unknown_fields", "self.unknown_fields"))
	}
}

func (w writer) Union(_ place, u *ir.Union, cases func()) {
	w.Line("match self {")
	w.In(func() {
		cases()
		if !u.Closed {
			w.Line("Self::Unknown { tag, payload } => {")
			w.In(func() { w.arguments("w.unknown", []string{"*tag", "payload"}, tags(u), nil, ";") })
			w.Line("}")
		}
	})
	w.Line("}")
}

// tags are the tags of a union, which an unknown alternative cannot have.
func tags(u *ir.Union) []string {
	var list []string
	for _, a := range u.Alternatives {
		list = append(list, fmt.Sprint(a.Tag))
	}
	return list
}

func (w writer) Case(_ place, u *ir.Union, a *plan.Alternative, payload func(place)) {
	name := "Self::" + w.names.Of(a.Alt)
	if a.Op == nil {
		length := strings.Repeat(", 0", int(plan.UnionHead(u)-plan.TagBytes))
		w.Line("%s => w.run([%d%s]),", name, a.Alt.Tag, length)
		return
	}
	t := a.Alt.Type
	w.Line("%s(value) => {", name)
	w.In(func() {
		w.Line("w.run([%d]);", a.Alt.Tag)
		if !u.Closed {
			w.Line("let payload = w.open();")
		}
		if w.types.BoxedPayload(t) && w.types.Fixed(t) {
			payload(place{"&**value", true})
		} else {
			payload(place{"value", true})
		}
		if !u.Closed {
			w.Line("w.close(payload);")
		}
	})
	w.Line("}")
}
