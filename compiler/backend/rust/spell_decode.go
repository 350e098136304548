package rust

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// decoder prints what reads a type in one form. A view keeps the places of its parts
// instead of values.
func (g *generator) decoder(d ir.Decl, form form) {
	spelt := g.types.decl(d, form)
	if form == viewed {
		spelt = g.types.view(d, "'a")
	}
	impl, generic := "impl<'a> wire::Decode<'a> for ", "'a "
	if !strings.Contains(spelt, "<'a>") {
		impl, generic = "impl wire::Decode<'_> for ", ""
	}
	inline := "inline"
	if _, isStruct := d.(*ir.Struct); isStruct && form != viewed {
		// An element is made where it stays in the loop over a list, which is a function
		// of its own.
		inline = "inline(always)"
	}
	g.Line("%s%s {", impl, spelt)
	g.In(func() {
		input := "input"
		if g.empty(d) && form != viewed {
			input = "_"
		}
		g.Line("#[%s]", inline)
		g.call("fn sdp_decode", []string{
			"d: &mut wire::Decoder", input + ": &mut &" + generic + "[u8]", "depth: usize",
		}, " -> Option<Self> {")
		g.In(func() { g.decoderBody(d, form) })
		g.Line("}")
	})
	g.Line("}")
	g.Line("")
}

func (g *generator) decoderBody(d ir.Decl, form form) {
	r := &reader{generator: g, form: form, source: "&mut s", rest: "s", read: map[*ir.Field]*target{}}
	g.Line("d.enter(depth)?;")
	if g.empty(d) && form != viewed {
		g.Line("Some(Self {})")
		return
	}
	var at *target
	if form == viewed && !isUnion(d) {
		r.view, r.bind = g.newView(d), "let "
		r.parts, at = r.view.parts, &target{isView: true}
		g.Line("let bytes = *input;")
	}
	g.Line("let mut s = *input;")
	lower.Body(r, at, g.bodyOf(d))
	g.Line("*input = s;")
	if isUnion(d) {
		g.Line("Some(value)")
	} else {
		g.literal("Some(Self", r.literalFields(d), ")")
	}
}

// literalFields are the fields of the literal of a struct or message.
func (r *reader) literalFields(d ir.Decl) []string {
	if r.form == viewed {
		return r.view.fields()
	}
	var fields []string
	for _, f := range ir.FieldsOf(d) {
		fields = append(fields, r.field(f, r.read[f].value))
	}
	switch _, isMessage := d.(*ir.Message); {
	case keeps(d):
		fields = append(fields, "unknown_fields")
	case isMessage && r.form == borrowed:
		fields = append(fields, "borrowed: core::marker::PhantomData")
	}
	return fields
}

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
		g.In(func() { g.decoderIntoBody(d) })
		g.Line("}")
	})
	g.Line("}")
	g.Line("")
}

func (g *generator) decoderIntoBody(d ir.Decl) {
	if isUnion(d) {
		g.Line("*self = wire::Decode::sdp_decode(d, input, depth)?;")
		g.Line("Some(())")
		return
	}
	r := &reader{generator: g, source: "input", rest: "input", into: true}
	g.Line("d.enter(depth)?;")
	if len(ir.FieldsOf(d)) > 0 {
		g.Line("let mut s = *input;")
		r.source, r.rest = "&mut s", "s"
	}
	lower.Body(r, there(place{"self", true}), g.bodyOf(d))
	if len(ir.FieldsOf(d)) > 0 {
		g.Line("*input = s;")
	}
	g.Line("Some(())")
}

// empty reports whether a declared type is a struct without fields.
func (g *generator) empty(d ir.Decl) bool {
	s, isStruct := d.(*ir.Struct)
	return isStruct && len(s.Fields) == 0
}

func (r *reader) Segment(dst *target, _ *ir.Message, s *plan.Segment, fields func()) {
	r.steps = 0
	switch {
	case dst.isThere():
		r.either("", func() {
			for _, f := range s.Fields {
				r.Line("self.%s = %s;", r.names.Of(f), r.missing(f, owned))
			}
		}, fields, "")
	case r.form == viewed:
		for _, p := range r.parts {
			if p.Segment == s.Number {
				r.Line("let mut %s: %s = &%s;", p.name, p.spell(), p.missing())
			}
		}
		if r.view.Defaulted(s.Number) {
			r.Line("let has%d = !s.is_empty();", s.Number)
		}
		r.bind = ""
		r.either("", func() {}, fields, "")
	default:
		r.variables(s, fields)
	}
}

// either prints what is done where a segment is missing, and where it isn't.
func (r *reader) either(prefix string, missing, fields func(), newer string) {
	r.Line("%sif %s.is_empty() {", prefix, r.rest)
	r.In(func() {
		r.Line("d.missing()?;")
		missing()
	})
	r.Line("} else {")
	r.In(fields)
	r.Line("}%s", newer)
}

// variables prints what makes variables of the fields of a segment that may be
// missing.
func (r *reader) variables(s *plan.Segment, fields func()) {
	var locals, missing []string
	for _, f := range s.Fields {
		locals = append(locals, r.names.Get(f, names.Local))
		missing = append(missing, unsized(r.missing(f, r.form)))
	}
	r.either("let "+tuple(locals)+" = ", func() { r.Line("%s", tuple(missing)) }, func() {
		fields()
		var values []string
		for i, f := range s.Fields {
			values = append(values, r.read[f].value)
			r.read[f] = &target{value: locals[i]}
		}
		r.Line("%s", tuple(values))
	}, ";")
}

// tuple is a tuple, or its only item by itself.
func tuple(items []string) string {
	if len(items) == 1 {
		return items[0]
	}
	return "(" + strings.Join(items, ", ") + ")"
}

func (r *reader) Tail(dst *target, m *ir.Message) {
	tail := "d.tail(" + r.source + ")?"
	switch {
	case !m.KeepUnknown:
		r.Line("%s;", tail)
	case dst.isThere():
		r.call("wire::assign_bytes", []string{"&mut self.unknown_fields", tail}, ";")
	case r.form == viewed:
		r.Line("let unknown = %s;", tail)
	default:
		r.Line("let unknown_fields = %s%s;", tail, pick(r.form, ".to_vec()", ""))
	}
}

func (r *reader) Union(_ *target, u *ir.Union, cases func()) {
	r.Line("let value = match wire::fixed::<u8>(&mut s)? {")
	r.In(func() {
		cases()
		if u.Closed {
			r.Line("_ => return None,")
			return
		}
		r.Emit(emit.Vars{"payload": pick(r.form, "payload: payload.to_vec()", "payload")}, `
			0 => return None,
			tag => {
				let payload = wire::window(&mut s)?;
				Self::Unknown { tag, $payload$ }
			}
		`)
	})
	r.Line("};")
}

func (r *reader) Case(_ *target, u *ir.Union, a *plan.Alternative, payload func(*target)) {
	name := "Self::" + r.names.Of(a.Alt)
	if a.Op == nil && u.Closed {
		r.arm(tagOf(a.Alt), name)
		return
	}
	r.Line("%d => {", a.Alt.Tag)
	r.In(func() {
		if a.Op == nil {
			r.end("wire::window(&mut s)?")
			r.Line("%s", name)
			return
		}
		if !u.Closed {
			r.Line("let mut body = wire::window(&mut s)?;")
			r.source, r.rest = "&mut body", "body"
		}
		made := r.payload(a.Alt.Type, payload)
		if !u.Closed {
			r.end("body")
			r.source, r.rest = "&mut s", "s"
		}
		if r.form != viewed && r.types.BoxedPayload(a.Alt.Type) {
			r.boxed(a.Alt.Type, "s", made)
		}
		r.Line("%s(%s)", name, made.value)
	})
	r.Line("}")
}

// end prints the way out where bytes are left of a window.
func (r *reader) end(window string) {
	r.Line("if !%s.is_empty() {", window)
	r.In(func() { r.Line("return None;") })
	r.Line("}")
}

// payload prints what reads an alternative's payload. A view keeps the place of a
// lazy one, and reads one that holds others once it is validated.
func (r *reader) payload(t *ir.Type, body func(*target)) *target {
	made := &target{name: "value", value: "value"}
	isLazy := r.form == viewed && r.types.lazy(t)
	if !isLazy && (r.form != viewed || t.Elem == nil || r.types.Fixed(t)) {
		body(made)
		return made
	}
	r.Line("let at = %s;", r.rest)
	body(nil)
	if isLazy {
		made.value = "view::Lazy::new(at)"
	} else {
		r.generic("let value = wire::read", r.types.viewShape(t, "'_"), "at", ";")
	}
	return made
}
