package rust

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// decoderInto prints what reads a type into a value that is there.
func (g *generator) decoderInto(d ir.Decl) {
	g.Line("impl wire::DecodeInto for %s {", g.types.decl(d, owned))
	g.In(func() {
		g.Line("#[inline]")
		input := "input"
		if g.empty(d) {
			input = "_"
		}
		g.call("fn sdp_decode_into", []string{
			"&mut self", "d: &mut wire::Decoder", input + ": &mut &[u8]", "depth: usize",
		}, " -> Option<()> {")
		g.reuses = true
		g.In(func() { g.decodeIntoBody(d) })
		g.reuses = false
		g.Line("}")
	})
	g.Line("}")
	g.Line("")
}

func (g *generator) decodeIntoBody(d ir.Decl) {
	if _, isUnion := d.(*ir.Union); isUnion {
		g.Line("*self = wire::Decode::sdp_decode(d, input, depth)?;")
		g.Line("Some(())")
		return
	}
	g.Line("d.enter(depth)?;")
	if len(ir.FieldsOf(d)) > 0 {
		g.Line("let mut s = *input;")
		g.source, g.rest = "&mut s", "s"
	} else {
		g.source, g.rest = "input", "input"
	}
	for _, segment := range g.segments(d) {
		if segment.Number == 1 {
			g.segmentInto(segment)
			continue
		}
		g.laterInto(segment)
	}
	if m, ok := d.(*ir.Message); ok {
		g.tailInto(m)
	}
	if len(ir.FieldsOf(d)) > 0 {
		g.Line("*input = s;")
	}
	g.Line("Some(())")
}

func (g *generator) segmentInto(s backend.Segment) {
	for i, p := range s.Pieces {
		if !p.IsRun() {
			g.valueInto(p.Field.Type, place{text: "self." + g.names.Of(p.Field)})
			continue
		}
		g.charge(p.Traits)
		run := g.readRun(p, i)
		for j, f := range p.Fields {
			g.validate(f, run, p, j)
			g.Line("self.%s = %s;", g.names.Of(f), g.fromRun(f, run, p, j))
		}
	}
}

// laterInto prints what reads a segment that may be missing.
func (g *generator) laterInto(s backend.Segment) {
	g.Line("if %s.is_empty() {", g.rest)
	g.In(func() {
		g.Line("d.missing()?;")
		for _, f := range s.Fields {
			g.Line("self.%s = %s;", g.names.Of(f), g.missing(f, owned))
		}
	})
	g.Line("} else {")
	g.In(func() { g.segmentInto(s) })
	g.Line("}")
}

func (g *generator) tailInto(m *ir.Message) {
	if !m.KeepUnknown {
		g.Line("d.tail(%s)?;", g.source)
		return
	}
	g.call("wire::assign_bytes", []string{"&mut self.unknown_fields", "d.tail(" + g.source + ")?"}, ";")
}

// place is a value in memory: an expression for it, or a variable that refers to
// it.
type place struct {
	text string
	ref  bool
}

// value is the place as an expression that can be assigned to.
func (p place) value() string {
	if p.ref {
		return "*" + p.text
	}
	return p.text
}

// mut is a mutable reference to the place.
func (p place) mut() string {
	if p.ref {
		return p.text
	}
	return "&mut " + p.text
}

// shared is a reference to the place.
func (p place) shared() string {
	if p.ref {
		return p.text
	}
	return "&" + p.text
}

// valueInto prints what reads one value into a place.
func (g *generator) valueInto(t *ir.Type, p place) {
	if g.types.Fixed(t) {
		g.charge(g.program.Traits(t))
		g.Line("%s = wire::fixed(%s)?;", p.value(), g.source)
		return
	}
	switch t.Kind {
	case ir.StrKind:
		g.call("wire::assign", []string{p.mut(), fmt.Sprintf("wire::text::<%d>(%s, %s)?", t.LenBytes, g.source, most(t.Max))}, ";")
	case ir.BytesKind:
		g.call("wire::assign_bytes", []string{p.mut(), fmt.Sprintf("wire::bytes::<%d>(%s, %s)?", t.LenBytes, g.source, most(t.Max))}, ";")
	case ir.ListKind:
		g.listInto(t, p)
	case ir.OptionalKind:
		g.optionalInto(t, p)
	case ir.StructKind:
		g.Line("%s.sdp_decode_into(d, %s, depth + 1)?;", p.text, g.source)
	case ir.MessageKind:
		g.Line("let mut body = wire::window(%s)?;", g.source)
		g.Line("%s.sdp_decode_into(d, &mut body, depth + 1)?;", p.text)
	case ir.ArrayKind, ir.MapKind, ir.UnionKind:
		g.replace(t, p)
	default:
		panic(unspelled(t))
	}
}

// replace prints what reads a value that nothing of the one that is there is used for.
func (g *generator) replace(t *ir.Type, p place) {
	g.Line("%s = %s;", p.value(), g.decodeValue(t, "decoded", owned))
}

// hasDefault reports whether the owned form of a type has a Default, as all but long
// arrays have.
func hasDefault(t *ir.Type) bool {
	return t.Kind != ir.ArrayKind || t.N <= defaultArrayMax && hasDefault(t.Elem)
}

// defaultArrayMax is how long arrays may be that Rust has a Default for.
const defaultArrayMax = 32

func (g *generator) listInto(t *ir.Type, p place) {
	if g.types.Fixed(t.Elem) {
		g.call(fmt.Sprintf("d.fixed_list_into::<%d, _>", t.LenBytes), []string{p.mut(), g.source, most(t.Max), "depth"}, "?;")
		return
	}
	if !hasDefault(t.Elem) { // which new elements would have
		g.replace(t, p)
		return
	}
	g.Line("let n = d.count::<%d>(%s, %s, %s)?;", t.LenBytes, g.source, most(t.Max), integer(g.program.SizeOf(t.Elem).Min))
	g.Line("wire::resize(d, %s, n, %s)?;", p.mut(), g.rest)
	item := g.element(p.text)
	iterated := p.mut()
	g.Line("for %s in %s {", item, iterated)
	g.In(func() { g.valueInto(t.Elem, place{item, true}) })
	g.Line("}")
}

func (g *generator) optionalInto(t *ir.Type, p place) {
	g.Emit(emit.Vars{"source": g.source, "none": p.value(), "read": func() { g.presentInto(t, p) }}, `
		if wire::present($source$)? {
			$read$
		} else {
			$none$ = None;
		}
	`)
}

// presentInto prints what reads the value of an optional: into the one that is
// there, if its kind has memory that can be used again.
func (g *generator) presentInto(t *ir.Type, p place) {
	if g.types.Boxed(t) {
		g.Line("d.boxed::<%s>(%s)?;", g.types.spell(t.Elem, owned), g.rest)
	}
	switch t.Elem.Kind {
	case ir.StrKind, ir.BytesKind, ir.ListKind, ir.StructKind, ir.MessageKind:
		if !g.types.Fixed(t.Elem) {
			g.Line("let value = %s.get_or_insert_with(Default::default);", p.text)
			g.valueInto(t.Elem, place{"value", true})
			return
		}
	case ir.ArrayKind, ir.OptionalKind, ir.MapKind, ir.UnionKind:
	}
	value := g.decodeValue(t.Elem, "value", owned)
	if g.types.Boxed(t) {
		value = "Box::new(" + value + ")"
	}
	g.Line("%s = Some(%s);", p.value(), value)
}
