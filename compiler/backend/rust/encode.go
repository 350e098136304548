package rust

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// encoder prints what measures, writes and checks a type in one form.
func (g *generator) encoder(d ir.Decl, form form) {
	spelt, generic := g.types.decl(d, form), ""
	if g.lifetime(d, form) != "" {
		spelt = g.types.name(d, form) + "<'_>"
	}
	g.Line("impl%s wire::Encode for %s {", generic, spelt)
	g.In(func() {
		g.Line("#[inline]")
		g.Line("fn sdp_size(&self, depth: usize) -> usize {")
		g.In(func() { g.sizeBody(d) })
		g.Line("}")
		g.Line("")
		g.Line("#[inline]")
		g.Line("fn sdp_encode(&self, w: &mut wire::Writer<'_>, depth: usize) {")
		g.In(func() { g.encodeBody(d, form) })
		g.Line("}")
		g.Line("")
		g.Line("fn sdp_check(&self, large: bool, depth: usize) -> Result<(), sdp::Error> {")
		g.In(func() { g.checkBody(d) })
		g.Line("}")
	})
	g.Line("}")
	g.Line("")
}

func (g *generator) encodeBody(d ir.Decl, form form) {
	if len(ir.FieldsOf(d)) == 0 && !isUnion(d) && !keeps(d) {
		g.Line("let _ = w.enter(depth);")
		return
	}
	g.Line("if !w.enter(depth) {")
	g.In(func() { g.Line("return;") })
	g.Line("}")
	if u, ok := d.(*ir.Union); ok {
		g.encodeUnion(u)
		return
	}
	for _, segment := range g.segments(d) {
		for _, p := range segment.Pieces {
			g.encodePiece(p, form)
		}
	}
	if keeps(d) {
		g.Line("w.raw(%s);", pick(form, "&self.unknown_fields", "self.unknown_fields"))
	}
}

func (g *generator) encodePiece(p backend.Piece, form form) {
	if !p.IsRun() {
		kind := p.Field.Type.Kind
		isReference := form == borrowed && (kind == ir.StrKind || kind == ir.BytesKind)
		g.encodeValue(p.Field.Type, place{"self." + g.names.Of(p.Field), isReference})
		return
	}
	g.encodeLevels(p.Levels)
	if len(p.Fields) == 1 {
		g.Line("w.put(&self.%s);", g.names.Of(p.Fields[0]))
		return
	}
	g.Line("let mut run = [0; %d];", p.Bytes)
	for i, f := range p.Fields {
		g.Line("wire::put(&mut run, %d, &self.%s);", p.Offsets[i], g.names.Of(f))
	}
	g.Line("w.run(run);")
}

// encodeLevels prints the check of structs that are written by value.
func (g *generator) encodeLevels(levels int) {
	if levels == 0 {
		return
	}
	g.Line("if !w.enter(depth + %d) {", levels)
	g.In(func() { g.Line("return;") })
	g.Line("}")
}

// encodeValue prints what writes one value.
func (g *generator) encodeValue(t *ir.Type, p place) {
	if g.types.Fixed(t) {
		g.encodeLevels(g.program.Traits(t).Levels)
		g.Line("w.put(%s);", p.shared())
		return
	}
	switch t.Kind {
	case ir.StrKind:
		g.call(fmt.Sprintf("w.text::<%d>", t.LenBytes), []string{p.shared(), most(t.Max)}, ";")
	case ir.BytesKind:
		g.call(fmt.Sprintf("w.bytes::<%d>", t.LenBytes), []string{p.shared(), most(t.Max)}, ";")
	case ir.ListKind:
		g.call(fmt.Sprintf("w.count::<%d>", t.LenBytes), []string{p.text + ".len()", most(t.Max)}, ";")
		g.encodeElements(t, p)
	case ir.ArrayKind:
		g.encodeElements(t, p)
	case ir.MapKind:
		g.call(fmt.Sprintf("w.count::<%d>", t.LenBytes), []string{p.text + ".len()", most(t.Max)}, ";")
		g.Line("for (key, value) in %s {", p.shared())
		g.In(func() {
			g.encodeValue(t.Key, place{"key", true})
			g.encodeValue(t.Elem, place{"value", true})
		})
		g.Line("}")
	case ir.OptionalKind:
		g.encodeOptional(t, p)
	case ir.MessageKind:
		g.Line("let start = w.open();")
		g.Line("%s.sdp_encode(w, depth + 1);", p.text)
		g.Line("w.close(start);")
	case ir.UnionKind, ir.StructKind:
		g.Line("%s.sdp_encode(w, depth + 1);", p.text)
	default:
		panic(unspelled(t))
	}
}

func (g *generator) encodeElements(t *ir.Type, p place) {
	if g.types.Fixed(t.Elem) {
		items := p.shared()
		if t.Kind == ir.ArrayKind {
			items = "&" + p.text + "[..]"
		}
		g.call("w.fixed", []string{items, "depth"}, ";")
		return
	}
	item := g.element(p.text)
	g.Line("for %s in %s {", item, g.iterate(t, p))
	g.In(func() { g.encodeValue(t.Elem, place{item, true}) })
	g.Line("}")
}

// iterate is what a loop over a list or array goes through.
func (g *generator) iterate(t *ir.Type, p place) string {
	if t.Kind == ir.ArrayKind {
		return p.text + ".iter()" // it may be in a Box
	}
	return p.shared()
}

func (g *generator) encodeOptional(t *ir.Type, p place) {
	g.Emit(emit.Vars{"value": p.shared(), "write": func() { g.encodePresent(t) }}, `
		if let Some(value) = $value$ {
			$write$
		} else {
			w.put(&false);
		}
	`)
}

// encodePresent prints what writes an optional that is there, and is called value.
func (g *generator) encodePresent(t *ir.Type) {
	if !g.types.Fixed(t.Elem) {
		g.Line("w.put(&true);")
		g.encodeValue(t.Elem, place{"value", true})
		return
	}
	g.encodeLevels(g.program.Traits(t.Elem).Levels)
	if g.types.Boxed(t) {
		g.Line("w.some(&**value);")
	} else {
		g.Line("w.some(value);")
	}
}

func (g *generator) encodeUnion(u *ir.Union) {
	g.Line("match self {")
	g.In(func() {
		for _, a := range u.Alternatives {
			if a.Type == nil {
				length := strings.Repeat(", 0", int(plan.UnionHead(u)-plan.TagBytes))
				g.Line("Self::%s => w.run([%d%s]),", g.names.Of(a), a.Tag, length)
				continue
			}
			g.Line("Self::%s(value) => {", g.names.Of(a))
			g.In(func() { g.encodeAlternative(u, a) })
			g.Line("}")
		}
		if u.Closed {
			return
		}
		g.Line("Self::Unknown { tag, payload } => {")
		g.In(func() { g.arguments("w.unknown", []string{"*tag", "payload"}, tags(u), nil, ";") })
		g.Line("}")
	})
	g.Line("}")
}

// tags are those of a union, which an unknown alternative cannot have.
func tags(u *ir.Union) []string {
	var list []string
	for _, a := range u.Alternatives {
		list = append(list, fmt.Sprint(a.Tag))
	}
	return list
}

func (g *generator) encodeAlternative(u *ir.Union, a *ir.Alternative) {
	g.Line("w.run([%d]);", a.Tag)
	if !u.Closed {
		g.Line("let payload = w.open();")
	}
	if g.types.BoxedPayload(a.Type) && g.types.Fixed(a.Type) {
		g.encodeLevels(g.program.Traits(a.Type).Levels)
		g.Line("w.put(&**value);")
	} else {
		g.encodeValue(a.Type, place{"value", true})
	}
	if !u.Closed {
		g.Line("w.close(payload);")
	}
}
