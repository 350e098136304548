package rust

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/memory"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// decoder prints what reads a type in one form.
func (g *generator) decoder(d ir.Decl, form form) {
	g.source, g.rest = "&mut s", "s"
	impl, generic := "impl<'a> wire::Decode<'a> for ", "'a "
	if g.lifetime(d, form) == "" {
		impl, generic = "impl wire::Decode<'_> for ", ""
	}
	g.Line("%s%s {", impl, g.types.decl(d, form))
	g.In(func() {
		input := "input"
		if g.empty(d) {
			input = "_"
		}
		g.Line("#[%s]", inlining(d))
		g.call("fn sdp_decode", []string{
			"d: &mut wire::Decoder", input + ": &mut &" + generic + "[u8]", "depth: usize",
		}, " -> Option<Self> {")
		g.In(func() {
			g.Line("d.enter(depth)?;")
			if g.empty(d) {
				g.Line("Some(Self {})")
				return
			}
			g.Line("let mut s = *input;")
			if u, ok := d.(*ir.Union); ok {
				g.decodeUnion(u, form)
			} else {
				g.decodeRecord(d, form)
			}
		})
		g.Line("}")
	})
	g.Line("}")
	g.Line("")
}

// inlining is the attribute of a decoder. A struct's is inlined into the loop over a list of it, so that an element is made
// where it stays; the loop itself is a function of its own.
func inlining(d ir.Decl) string {
	if _, isStruct := d.(*ir.Struct); isStruct {
		return "inline(always)"
	}
	return "inline"
}

// empty reports whether a declared type is a struct without fields.
func (g *generator) empty(d ir.Decl) bool {
	s, isStruct := d.(*ir.Struct)
	return isStruct && len(s.Fields) == 0
}

// decodeRecord prints what reads a struct or message and ends with its value.
func (g *generator) decodeRecord(d ir.Decl, form form) {
	var fields []string
	for _, segment := range g.segments(d) {
		if segment.Number > 1 {
			g.decodeLater(segment, form)
			for _, f := range segment.Fields {
				fields = append(fields, g.field(f, g.names.Get(f, names.Local)))
			}
			continue
		}
		values := g.decodeSegment(segment, form)
		for _, f := range segment.Fields {
			fields = append(fields, g.field(f, values[f]))
		}
	}
	if m, ok := d.(*ir.Message); ok {
		fields = append(fields, g.decodeTail(m, form)...)
	}
	g.Line("*input = s;")
	g.literal("Some(Self", fields, ")")
}

// field is one field of a struct literal.
func (g *generator) field(f *ir.Field, value string) string {
	if name := g.names.Of(f); name != value {
		return name + ": " + value
	}
	return value
}

// decodeSegment prints what reads a segment's fields into variables, and returns
// the expression of each field's value.
func (g *generator) decodeSegment(s backend.Segment, form form) map[*ir.Field]string {
	values := map[*ir.Field]string{}
	for i, p := range s.Pieces {
		if !p.IsRun() {
			values[p.Field] = g.decodeValue(p.Field.Type, g.names.Get(p.Field, names.Local), form)
			continue
		}
		g.charge(p.Traits)
		run := g.readRun(p, i)
		for j, f := range p.Fields {
			g.validate(f, run, p, j)
			values[f] = g.fromRun(f, run, p, j)
		}
	}
	return values
}

// readRun prints what takes a run's bytes, and returns their variable.
func (g *generator) readRun(p backend.Piece, i int) string {
	run := "run"
	if i > 0 {
		run = fmt.Sprintf("run%d", i+1)
	}
	g.Line("let %s = wire::run::<%d>(%s)?;", run, p.Bytes, g.source)
	return run
}

// decodeLater prints what reads a segment that may be missing into variables.
func (g *generator) decodeLater(s backend.Segment, form form) {
	var locals, missing, values []string
	for _, f := range s.Fields {
		locals = append(locals, g.names.Get(f, names.Local))
		missing = append(missing, unsized(g.missing(f, form)))
	}
	g.tuple("let ", locals, fmt.Sprintf(" = if %s.is_empty() {", g.rest))
	g.In(func() {
		g.Line("d.missing()?;")
		g.tuple("", missing, "")
	})
	g.Line("} else {")
	g.In(func() {
		read := g.decodeSegment(s, form)
		for _, f := range s.Fields {
			values = append(values, read[f])
		}
		g.tuple("", values, "")
	})
	g.Line("};")
}

// tuple prints a tuple, or its only item by itself.
func (g *generator) tuple(before string, items []string, after string) {
	if len(items) == 1 {
		g.Line("%s", before+items[0]+after)
		return
	}
	g.list(before+"(", items, ")"+after)
}

// charge prints the checks of levels and elements.
func (g *generator) charge(traits plan.Traits) {
	if traits.Levels > 0 {
		g.Line("d.enter(depth + %d)?;", traits.Levels)
	}
	if traits.Elements > 0 {
		g.Line("d.elements(%s)?;", integer(traits.Elements))
	}
}

// validate prints the check that a field in a run may need.
func (g *generator) validate(f *ir.Field, run string, p backend.Piece, i int) {
	if g.program.Traits(f.Type).Checked {
		g.Line("wire::valid::<%s>(%s)?;", g.types.spell(f.Type, owned), g.part(run, p, i))
	}
}

// fromRun is a field's value out of a run.
func (g *generator) fromRun(f *ir.Field, run string, p backend.Piece, i int) string {
	return g.fromBytes(f.Type, g.part(run, p, i))
}

// fromBytes is a value of fixed size out of its bytes.
func (g *generator) fromBytes(t *ir.Type, bytes string) string {
	spelt := g.types.spell(t, owned)
	if spelt[0] == '[' {
		spelt = "wire::Fixed" // the place for an array says its type
	} else {
		g.usesFixed = true
	}
	return spelt + "::sdp_from(" + bytes + ")"
}

// part is the bytes of a field in a run.
func (g *generator) part(run string, p backend.Piece, i int) string {
	return fmt.Sprintf("&%s[%d..%d]", run, p.Offsets[i], p.Offsets[i]+g.program.SizeOf(p.Fields[i].Type).Min)
}

// decodeTail prints what takes the rest of a message's body, and returns the
// fields of the literal for it.
func (g *generator) decodeTail(m *ir.Message, form form) []string {
	switch {
	case !m.KeepUnknown:
		g.Line("d.tail(%s)?;", g.source)
	case form == borrowed:
		g.Line("let unknown_fields = d.tail(%s)?;", g.source)
		return []string{"unknown_fields"}
	default:
		g.Line("let unknown_fields = d.tail(%s)?.to_vec();", g.source)
		return []string{"unknown_fields"}
	}
	if form == borrowed {
		return []string{"borrowed: core::marker::PhantomData"}
	}
	return nil
}

// decodeUnion prints what reads a union and ends with its value.
func (g *generator) decodeUnion(u *ir.Union, form form) {
	g.Line("let value = match wire::fixed::<u8>(&mut s)? {")
	g.In(func() {
		for _, a := range u.Alternatives {
			g.decodeAlternative(u, a, form)
		}
		if !u.Closed {
			g.Emit(emit.Vars{"unknown": func() {
				g.literal("Self::Unknown", []string{"tag", pick(form, "payload: payload.to_vec()", "payload")}, "")
			}}, `
				0 => return None,
				tag => {
					let payload = wire::window(&mut s)?;
					$unknown$
				}
			`)
			return
		}
		g.Line("_ => return None,")
	})
	g.Line("};")
	g.Line("*input = s;")
	g.Line("Some(value)")
}

// decodeAlternative prints one arm of a union's match.
func (g *generator) decodeAlternative(u *ir.Union, a *ir.Alternative, form form) {
	name := "Self::" + g.names.Of(a)
	switch {
	case u.Closed && a.Type == nil:
		g.Line("%d => %s,", a.Tag, name)
		return
	case a.Type == nil:
		g.Line("%d => {", a.Tag)
		g.In(func() {
			g.Line("if !wire::window(&mut s)?.is_empty() {")
			g.In(func() { g.Line("return None;") })
			g.Line("}")
			g.Line("%s", name)
		})
		g.Line("}")
		return
	}
	g.Line("%d => {", a.Tag)
	g.In(func() {
		if !u.Closed {
			g.Line("let mut body = wire::window(&mut s)?;")
			g.source, g.rest = "&mut body", "body"
		}
		value := g.decodeValue(a.Type, "value", form)
		if !u.Closed {
			g.Line("if !body.is_empty() {")
			g.In(func() { g.Line("return None;") })
			g.Line("}")
		}
		if g.types.BoxedPayload(a.Type) {
			g.Line("d.boxed::<%s>(s)?;", g.types.spell(a.Type, form))
			value = "Box::new(" + value + ")"
		}
		g.Line("%s(%s)", name, value)
		g.source, g.rest = "&mut s", "s"
	})
	g.Line("}")
}

// decodeValue prints what reads one value into a variable, and returns the
// expression of the value.
func (g *generator) decodeValue(t *ir.Type, name string, form form) string {
	if g.types.Fixed(t) {
		g.charge(g.program.Traits(t))
		g.Line("let %s = wire::fixed::<%s>(%s)?;", name, g.types.spell(t, owned), g.source)
		return name
	}
	switch t.Kind {
	case ir.StrKind:
		g.Line("let %s = wire::text::<%d>(%s, %s)?;", name, t.LenBytes, g.source, most(t.Max))
		return pick(form, "wire::string("+name+")", name)
	case ir.BytesKind:
		g.Line("let %s = wire::bytes::<%d>(%s, %s)?;", name, t.LenBytes, g.source, most(t.Max))
		return pick(form, name+".to_vec()", name)
	case ir.ListKind:
		g.decodeList(t, name, form)
	case ir.MapKind:
		g.decodeMap(t, name, form)
	case ir.ArrayKind:
		g.decodeArray(t, name, form)
	case ir.OptionalKind:
		g.decodeOptional(t, name, form)
	case ir.MessageKind:
		window := g.window(name)
		g.Line("let mut %s = wire::window(%s)?;", window, g.source)
		g.call("let "+name+" = "+g.decodeCall(t, form), []string{"d", "&mut " + window, "depth + 1"}, "?;")
	case ir.UnionKind, ir.StructKind:
		g.call("let "+name+" = "+g.decodeCall(t, form), []string{"d", g.source, "depth + 1"}, "?;")
	default:
		panic(unspelled(t))
	}
	return name
}

// decodeCall is the function that decodes a declared type. Only an impl of its
// trait has the trait in scope; elsewhere the place for the value says its type.
func (g *generator) decodeCall(t *ir.Type, form form) string {
	if g.reuses {
		return "wire::Decode::sdp_decode"
	}
	return g.types.name(t.Decl, form) + "::sdp_decode"
}

// window is the name of the variable for a window inside the one being read.
func (g *generator) window(name string) string {
	if g.rest == "body" || name == "body" {
		return "inner"
	}
	return "body"
}

func (g *generator) decodeList(t *ir.Type, name string, form form) {
	switch {
	case form == borrowed && memory.IsNumber(t.Elem):
		g.call(fmt.Sprintf("let %s = d.numbers::<%d, %s>", name, t.LenBytes, scalars.Of(t.Elem.Kind).name), []string{g.source, most(t.Max)}, "?;")
	case g.types.Fixed(t.Elem):
		before := fmt.Sprintf("let %s = d.fixed_list::<%d, %s>", name, t.LenBytes, g.types.spell(t.Elem, owned))
		g.call(before, []string{g.source, most(t.Max), "depth"}, "?;")
	default:
		g.Line("let n = d.count::<%d>(%s, %s, %s)?;", t.LenBytes, g.source, most(t.Max), integer(g.program.SizeOf(t.Elem).Min))
		if t.Elem.Kind == ir.StructKind || t.Elem.Kind == ir.UnionKind {
			g.call("let "+name+" = wire::list", []string{"n", "d", g.source, "depth + 1"}, "?;")
			return
		}
		g.Line("let mut %s = d.list(n, %s)?;", name, g.rest)
		g.Line("for _ in 0..n {")
		g.In(func() {
			inner := g.element(name)
			g.Line("%s.push(%s);", name, g.decodeValue(t.Elem, inner, form))
		})
		g.Line("}")
	}
}

// element is the name of the variable for an element of the list in a variable.
func (g *generator) element(list string) string {
	if list == "item" {
		return "item2"
	}
	if n := len(list) - 1; n > 3 && list[:4] == "item" && '2' <= list[n] && list[n] < '9' {
		return list[:n] + string(list[n]+1)
	}
	return "item"
}

func (g *generator) decodeMap(t *ir.Type, name string, form form) {
	least := g.program.EntrySize(t).Min
	g.maps++
	entries := "entries"
	if g.maps > 1 {
		entries = fmt.Sprintf("entries%d", g.maps)
	}
	g.Line("let n = d.count::<%d>(%s, %s, %s)?;", t.LenBytes, g.source, most(t.Max), integer(least))
	g.Line("let mut %s = d.entries(n, %s)?;", entries, g.rest)
	g.Line("for _ in 0..n {")
	g.In(func() {
		key := g.decodeValue(t.Key, "key", form)
		if key != "key" {
			g.Line("let key = %s;", key)
		}
		g.Line("wire::ascending(&%s, &key)?;", entries)
		value := g.decodeValue(t.Elem, "value", form)
		g.Line("%s.push((key, %s));", entries, value)
	})
	g.Line("}")
	g.Line("let %s = wire::map(%s);", name, entries)
	g.maps--
}

func (g *generator) decodeArray(t *ir.Type, name string, form form) {
	if g.types.OnHeap(t) && g.types.Fixed(t.Elem) {
		g.chargeArray(t)
		g.Line("let %s = d.boxed_array(%s)?;", name, g.source)
		return
	}
	g.chargeArray(t)
	g.Line("let mut %s = d.list(%s, %s)?;", name, integer(t.N), g.rest)
	g.Line("for _ in 0..%s {", integer(t.N))
	g.In(func() {
		inner := g.element(name)
		g.Line("%s.push(%s);", name, g.decodeValue(t.Elem, inner, form))
	})
	g.Line("}")
	if g.types.OnHeap(t) {
		g.Line("let %s = wire::array_in_box(%s)?;", name, name)
		return
	}
	g.Line("let %s = wire::array(%s)?;", name, name)
}

// chargeArray prints the checks of an array's elements before it is read.
func (g *generator) chargeArray(t *ir.Type) {
	if g.types.Fixed(t.Elem) {
		g.charge(g.program.Traits(t))
		return
	}
	g.charge(plan.Traits{Elements: plan.ArrayElements(t)})
}

func (g *generator) decodeOptional(t *ir.Type, name string, form form) {
	g.Line("let %s = if wire::present(%s)? {", name, g.source)
	g.In(func() {
		value := g.decodeValue(t.Elem, "value", form)
		if g.types.Boxed(t) {
			g.Line("d.boxed::<%s>(%s)?;", g.types.spell(t.Elem, form), g.rest)
			value = "Box::new(" + value + ")"
		}
		g.Line("Some(%s)", value)
	})
	g.Line("} else {")
	g.In(func() { g.Line("None") })
	g.Line("};")
}
