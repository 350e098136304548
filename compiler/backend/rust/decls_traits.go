package rust

import (
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

// derived are the traits of which derive makes what ours mean: Debug where a type
// hides no field, Eq and Hash where no float is compared by its bits, Default where
// the schema has no other value.
func (g *generator) derived(d ir.Decl, form form) []string {
	traits := []string{"Clone"}
	if form == owned || ir.KindOf(d) != ir.MessageKind || keeps(d) {
		traits = append(traits, "Debug")
	}
	if !slices.ContainsFunc(heldBy(d), holdsFloats) {
		traits = append(traits, "PartialEq", "Eq", "Hash")
	}
	ours := func(f *ir.Field) bool { return f.Default != nil || isLongArray(f.Type) }
	if ir.KindOf(d) != ir.UnionKind && !slices.ContainsFunc(ir.FieldsOf(d), ours) {
		traits = append(traits, "Default")
	}
	return traits
}

func (g *generator) derives(d ir.Decl, form form, trait string) bool {
	return slices.Contains(g.derived(d, form), trait)
}

// heldBy are the types within a value: of fields, or of payloads.
func heldBy(d ir.Decl) (types []*ir.Type) {
	for _, f := range ir.FieldsOf(d) {
		types = append(types, f.Type)
	}
	if u, ok := d.(*ir.Union); ok {
		for _, a := range u.Alternatives {
			if a.Type != nil {
				types = append(types, a.Type)
			}
		}
	}
	return types
}

// isLongArray reports whether a type is an array that has no Default.
func isLongArray(t *ir.Type) bool {
	const lengthMax = 32
	return t.Kind == ir.ArrayKind && (t.N > lengthMax || isLongArray(t.Elem))
}

// recordTraits prints what a struct or message can do as any Rust type.
func (g *generator) recordTraits(d ir.Decl, form form) {
	if !g.derives(d, form, "Debug") {
		g.debugRecord(d, form)
	}
	if !g.derives(d, form, "Eq") {
		g.table("wire::record_by_bits", g.anonymous(d, form), func() {
			for _, f := range ir.FieldsOf(d) {
				g.Line("%s %s,", compared(f.Type), g.names.Of(f))
			}
			if keeps(d) {
				g.Line("value unknown_fields,")
			}
		})
	}
	if !g.derives(d, form, "Default") {
		g.defaultRecord(d, form)
	}
	if m, ok := d.(*ir.Message); ok {
		g.setters(m, form)
	}
}

// debugRecord prints Debug of a borrowed message, whose marker is not shown.
func (g *generator) debugRecord(d ir.Decl, form form) {
	g.Emit(emit.Vars{"type": g.anonymous(d, form), "body": func() {
		g.Line("let mut out = f.debug_struct(%s);", quote(g.types.name(d, form)))
		for _, f := range ir.FieldsOf(d) {
			g.call("out.field", []string{quote(g.names.Get(f, names.Shown)), "&self." + g.names.Of(f)}, ";")
		}
		g.Line("out.finish()")
	}}, `
		impl fmt::Debug for $type$ {
			#[inline]
			fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
				$body$
			}
		}
	`)
	g.Line("")
}

func keeps(d ir.Decl) bool {
	m, ok := d.(*ir.Message)
	return ok && m.KeepUnknown
}

// copies reports whether a type without anything to borrow is Copy.
func (t *types) copies(typ *ir.Type) bool { return t.InPlace(typ).Scalar() != 0 }

// holdsFloats reports whether a value has floats that aren't in a declared type
// of their own.
func holdsFloats(t *ir.Type) bool { return lower.Innermost(t).Kind.IsFloat() }

// compared is how values of a type are compared.
func compared(t *ir.Type) string {
	return map[bool]string{true: "bits", false: "value"}[t != nil && holdsFloats(t)]
}

func (g *generator) defaultRecord(d ir.Decl, form form) {
	var fields []string
	for _, f := range ir.FieldsOf(d) {
		fields = append(fields, g.names.Of(f)+": "+g.missing(f, form))
	}
	if m, ok := d.(*ir.Message); ok {
		for _, private := range g.privateFields(m, form) {
			value := pick(form, "Vec::new()", "&[]")
			if private[0] == "borrowed" {
				value = "core::marker::PhantomData"
			}
			fields = append(fields, private[0]+": "+value)
		}
	}
	g.Line("impl Default for %s {", g.anonymous(d, form))
	g.In(func() {
		g.Line("#[inline]")
		g.Line("fn default() -> Self {")
		g.In(func() { g.literal("Self", fields, "") })
		g.Line("}")
	})
	g.Line("}")
	g.Line("")
}

// setters prints what makes a message, whose fields later releases add to.
func (g *generator) setters(m *ir.Message, form form) {
	impl := "impl " + g.anonymous(m, form)
	borrows := func(f *ir.Field) bool { return !g.types.plainType(f.Type) }
	if form == borrowed && (m.KeepUnknown || slices.ContainsFunc(m.Fields, borrows)) {
		impl = "impl<'a> " + g.ownName(m, form)
	}
	g.Line("%s {", impl)
	g.In(func() {
		if len(m.Fields) == 0 {
			g.Line("wire::setters! {}")
		} else {
			g.setterTable(m, form)
		}
		if m.KeepUnknown {
			g.unknownFields(form)
		}
	})
	g.Line("}")
	g.Line("")
}

func (g *generator) setterTable(m *ir.Message, form form) {
	g.Line("wire::setters! {")
	g.In(func() {
		for _, f := range m.Fields {
			g.Line("with_%s(%s: %s),", g.names.Get(f, names.Stem), g.names.Of(f), g.types.spell(f.Type, form))
		}
	})
	g.Line("}")
}

func (g *generator) unknownFields(form form) {
	g.Emit(emit.Vars{
		"slice": pick(form, "&[u8]", "&'a [u8]"), "expression": pick(form, "&self.unknown_fields", "self.unknown_fields"),
		"bytes": pick(form, "Vec<u8>", "&'a [u8]"),
	}, `

		/// The segments that this release doesn't know, as they were decoded.
		#[inline]
		#[must_use]
		pub fn unknown_fields(&self) -> $slice$ {
			$expression$
		}

		/// Replaces the segments that this release doesn't know.
		#[inline]
		pub fn set_unknown_fields(&mut self, bytes: $bytes$) {
			self.unknown_fields = bytes;
		}
	`)
}

// unionTraits prints what a union can do as any Rust type.
func (g *generator) unionTraits(u *ir.Union, form form) {
	if !g.derives(u, form, "Eq") {
		g.table("wire::union_by_bits", g.anonymous(u, form), func() {
			for _, a := range u.Alternatives {
				payload := map[bool]string{true: "(a, b)"}[a.Type != nil]
				g.Line("%s %du8 %s%s,", compared(a.Type), a.Tag, g.names.Of(a), payload)
			}
			if !u.Closed {
				g.Line("..Unknown")
			}
		})
	}
	g.defaultUnion(u, form)
}

func (g *generator) defaultUnion(u *ir.Union, form form) {
	g.Line("impl Default for %s {", g.anonymous(u, form))
	g.In(func() {
		g.Line("#[inline]")
		g.Line("fn default() -> Self {")
		g.In(func() {
			if !u.Closed {
				g.Emit(emit.Vars{"payload": pick(form, "Vec::new()", "&[]")}, `
					Self::Unknown { tag: 0, payload: $payload$ }
				`)
				return
			}
			g.Line("%s", g.defaultAlternative(u, form))
		})
		g.Line("}")
	})
	g.Line("}")
	g.Line("")
}

// defaultAlternative is the value of a new closed union.
func (g *generator) defaultAlternative(u *ir.Union, form form) string {
	a := g.firstAlternative(u)
	if a.Type == nil {
		return "Self::" + g.names.Of(a)
	}
	value := g.zero(a.Type, form)
	switch boxed := g.types.BoxedPayload(a.Type); {
	case boxed && strings.HasSuffix(value, "::default()"):
		value = "Box::default()"
	case boxed:
		value = "Box::new(" + value + ")"
	}
	return "Self::" + g.names.Of(a) + "(" + value + ")"
}

// firstAlternative is the value of a new closed union: the first alternative without a payload, or
// else the first whose payload does not hold the union.
func (g *generator) firstAlternative(u *ir.Union) *ir.Alternative {
	for _, a := range u.Alternatives {
		if a.Type == nil {
			return a
		}
	}
	for _, a := range u.Alternatives {
		if !g.program.Recursive(a.Type) {
			return a
		}
	}
	panic("rust: no alternative of " + u.Name + " has a finite value")
}
