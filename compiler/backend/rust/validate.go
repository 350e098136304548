package rust

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// recordValidator prints what validates a struct or message, and finds the parts
// of its view on the way.
func (g *generator) recordValidator(d ir.Decl) {
	v := g.newView(d)
	parts := v.parts
	g.validator(d, func() {
		g.Line("let bytes = *input;")
		g.Line("let mut s = *input;")
		at := 0
		for _, segment := range g.segments(d) {
			end := at
			for end < len(parts) && parts[end].Segment == segment.Number {
				end++
			}
			if segment.Number == 1 {
				g.validParts(segment, parts[at:end], "let ")
			} else {
				g.validLater(v, segment, parts[at:end])
			}
			at = end
		}
		switch _, isMessage := d.(*ir.Message); {
		case keeps(d):
			g.Line("let unknown = d.tail(&mut s)?;")
		case isMessage:
			g.Line("d.tail(&mut s)?;")
		}
		g.Line("*input = s;")
		g.literal("Some(Self", v.fields(), ")")
	})
}

// validator prints the decoder of a view, which makes all checks of a decoder and
// keeps places instead of values.
func (g *generator) validator(d ir.Decl, body func()) {
	impl, bytes := "impl<'a> wire::Decode<'a>", "&mut &'a [u8]"
	if g.types.view(d, "'a") == g.types.view(d, "") {
		impl, bytes = "impl wire::Decode<'_>", "&mut &[u8]"
	}
	g.source, g.rest = "&mut s", "s"
	g.Line("%s for %s {", impl, g.types.view(d, "'a"))
	g.In(func() {
		g.Line("#[inline]")
		g.call("fn sdp_decode", []string{"d: &mut wire::Decoder", "input: " + bytes, "depth: usize"}, " -> Option<Self> {")
		g.In(func() {
			g.Line("d.enter(depth)?;")
			body()
		})
		g.Line("}")
	})
	g.Line("}")
	g.Line("")
}

// validParts prints the checks of a backend.Segment, and finds its parts: bind is what
// stands before their names.
func (g *generator) validParts(s backend.Segment, parts []part, bind string) {
	for _, p := range parts {
		if p.IsRun() {
			g.charge(p.Traits)
			g.Line("%s%s = wire::run::<%d>(&mut s)?;", bind, p.name, p.Bytes)
			for i, f := range p.Fields {
				g.validate(f, p.name, p.Piece, i)
			}
			continue
		}
		g.validPart(p, bind)
	}
	for _, f := range s.Fields {
		if g.types.Fixed(f.Type) && g.program.SizeOf(f.Type).Min == 0 {
			g.charge(g.program.Traits(f.Type))
		}
	}
}

func (g *generator) validPart(p part, bind string) {
	switch t := p.Field.Type; t.Kind {
	case ir.StrKind:
		g.Line("%s%s = wire::text::<%d>(&mut s, %s)?.as_bytes();", bind, p.name, t.LenBytes, most(t.Max))
	case ir.BytesKind:
		g.Line("%s%s = wire::bytes::<%d>(&mut s, %s)?;", bind, p.name, t.LenBytes, most(t.Max))
	case ir.MessageKind:
		g.Line("let mut body = wire::window(&mut s)?;")
		g.Line("%s%s = body;", bind, p.name)
		g.Line("%s;", g.validPartOf(t, "&mut body"))
	default:
		g.Line("%s%s = s;", bind, p.name)
		g.valid(t)
	}
}

// validLater prints the checks of a segment that may be missing.
func (g *generator) validLater(v *view, s backend.Segment, parts []part) {
	for _, p := range parts {
		g.Line("let mut %s: %s = &%s;", p.name, p.spell(), p.missing())
	}
	if v.Defaulted(s.Number) {
		g.Line("let has%d = !s.is_empty();", s.Number)
	}
	g.Line("if s.is_empty() {")
	g.In(func() { g.Line("d.missing()?;") })
	g.Line("} else {")
	g.In(func() { g.validParts(s, parts, "") })
	g.Line("}")
}

// unionValidator prints what validates a union.
func (g *generator) unionValidator(u *ir.Union) {
	g.validator(u, func() {
		g.Line("let mut s = *input;")
		g.Line("let value = match wire::fixed::<u8>(&mut s)? {")
		g.In(func() {
			for _, a := range u.Alternatives {
				g.validAlternative(u, a)
			}
			if u.Closed {
				g.Line("_ => return None,")
				return
			}
			g.Emit(nil, `
				0 => return None,
				tag => {
					let payload = wire::window(&mut s)?;
					Self::Unknown { tag, payload }
				}
			`)
		})
		g.Line("};")
		g.Line("*input = s;")
		g.Line("Some(value)")
	})
}

// validAlternative prints one arm of the match on a tag.
func (g *generator) validAlternative(u *ir.Union, a *ir.Alternative) {
	name := "Self::" + g.names.Of(a)
	if a.Type == nil && u.Closed {
		g.arm(tagOf(a), name)
		return
	}
	g.Line("%s => {", tagOf(a))
	g.In(func() {
		if a.Type == nil {
			g.Line("if !wire::window(&mut s)?.is_empty() {")
			g.In(func() { g.Line("return None;") })
			g.Line("}")
			g.Line("%s", name)
			return
		}
		if !u.Closed {
			g.Line("let mut body = wire::window(&mut s)?;")
			g.source, g.rest = "&mut body", "body"
		}
		g.validPayload(a.Type)
		if !u.Closed {
			g.Line("if !body.is_empty() {")
			g.In(func() { g.Line("return None;") })
			g.Line("}")
		}
		if g.types.lazy(a.Type) {
			g.Line("%s(view::Lazy::new(at))", name)
		} else {
			g.Line("%s(value)", name)
		}
		g.source, g.rest = "&mut s", "s"
	})
	g.Line("}")
}

// validPayload prints what validates a payload: into `value`, or in a lazy one with
// its place in `at`.
func (g *generator) validPayload(t *ir.Type) {
	switch {
	case g.types.lazy(t):
		g.Line("let at = %s;", g.rest)
		g.valid(t)
	case g.types.Fixed(t):
		g.charge(g.program.Traits(t))
		g.Line("let value = wire::fixed::<%s>(%s)?;", g.types.spell(t, owned), g.source)
	case t.Kind == ir.StrKind:
		g.Line("let value = wire::text::<%d>(%s, %s)?;", t.LenBytes, g.source, most(t.Max))
	case t.Kind == ir.BytesKind:
		g.Line("let value = wire::bytes::<%d>(%s, %s)?;", t.LenBytes, g.source, most(t.Max))
	case t.Kind == ir.StructKind || t.Kind == ir.UnionKind:
		g.Line("let value = %s;", g.validPartOf(t, g.source))
	case t.Kind == ir.MessageKind:
		window := g.window("")
		g.Line("let mut %s = wire::window(%s)?;", window, g.source)
		g.Line("let value = %s;", g.validPartOf(t, "&mut "+window))
	default:
		g.Line("let at = %s;", g.rest)
		g.valid(t)
		g.generic("let value = wire::read", g.viewShape(t, "'_"), "at", ";")
	}
}

// valid prints the checks of one value, which move behind it.
func (g *generator) valid(t *ir.Type) {
	if g.types.Fixed(t) {
		g.charge(g.program.Traits(t))
		g.Line("wire::fixed::<%s>(%s)?;", g.types.spell(t, owned), g.source)
		return
	}
	switch t.Kind {
	case ir.StrKind:
		g.Line("wire::text::<%d>(%s, %s)?;", t.LenBytes, g.source, most(t.Max))
	case ir.BytesKind:
		g.Line("wire::bytes::<%d>(%s, %s)?;", t.LenBytes, g.source, most(t.Max))
	case ir.ListKind:
		g.validList(t)
	case ir.ArrayKind:
		g.validArray(t)
	case ir.MapKind:
		g.validMap(t)
	case ir.OptionalKind:
		g.Line("if wire::present(%s)? {", g.source)
		g.In(func() { g.valid(t.Elem) })
		g.Line("}")
	case ir.MessageKind:
		window := g.window("")
		g.Line("let mut %s = wire::window(%s)?;", window, g.source)
		g.Line("%s;", g.validPartOf(t, "&mut "+window))
	case ir.UnionKind, ir.StructKind:
		g.Line("%s;", g.validPartOf(t, g.source))
	default:
		panic(unspelled(t))
	}
}

// validPartOf is a call that validates a declared type; its value is the view.
func (g *generator) validPartOf(t *ir.Type, source string) string {
	return fmt.Sprintf("wire::part_of::<%s>(d, %s, depth + 1)?", g.types.view(t.Decl, "'_"), source)
}

func (g *generator) validList(t *ir.Type) {
	if g.types.Fixed(t.Elem) {
		g.call(fmt.Sprintf("d.items::<%d, %s>", t.LenBytes, g.types.spell(t.Elem, owned)), []string{g.source, most(t.Max), "depth"}, "?;")
		return
	}
	g.Line("let n = d.count::<%d>(%s, %s, %s)?;", t.LenBytes, g.source, most(t.Max), integer(g.program.SizeOf(t.Elem).Min))
	g.Line("for _ in 0..n {")
	g.In(func() { g.valid(t.Elem) })
	g.Line("}")
}

func (g *generator) validArray(t *ir.Type) {
	g.chargeArray(t)
	if g.types.Fixed(t.Elem) {
		bytes := integer(g.program.SizeOf(t).Min)
		g.call("wire::all_valid::<"+g.types.spell(t.Elem, owned)+">", []string{"wire::take(" + g.source + ", " + bytes + ")?"}, "?;")
		return
	}
	g.Line("for _ in 0..%s {", integer(t.N))
	g.In(func() { g.valid(t.Elem) })
	g.Line("}")
}

func (g *generator) validMap(t *ir.Type) {
	least := g.program.EntrySize(t).Min
	g.Line("let n = d.count::<%d>(%s, %s, %s)?;", t.LenBytes, g.source, most(t.Max), integer(least))
	g.Line("let mut last = None;")
	g.Line("for _ in 0..n {")
	g.In(func() {
		g.Line("let key = %s;", g.validKey(t.Key))
		g.Line("wire::follows(&mut last, key)?;")
		g.valid(t.Elem)
	})
	g.Line("}")
}

func (g *generator) validKey(t *ir.Type) string {
	if t.Kind == ir.StrKind {
		return fmt.Sprintf("wire::text::<%d>(%s, %s)?", t.LenBytes, g.source, most(t.Max))
	}
	return fmt.Sprintf("wire::fixed::<%s>(%s)?", g.types.spell(t, owned), g.source)
}
