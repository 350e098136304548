package rust

import (
	"fmt"
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

// heldBy are the types of what a value has in it: of fields, or of payloads.
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
		g.equalRecord(d, form)
		g.hashRecord(d, form)
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
			g.call("out.field", []string{quote(g.names.Get(f, names.Stem)), "&self." + g.names.Of(f)}, ";")
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

// copied is a copy of a value.
func (g *generator) copied(t *ir.Type, p place) string {
	if g.types.copies(t) {
		return p.value()
	}
	return p.text + ".clone()"
}

// copies reports whether a type without anything to borrow is Copy.
func (t *types) copies(typ *ir.Type) bool { return t.InPlace(typ).Scalar() != 0 }

// holdsFloats reports whether a value has floats that aren't in a declared type
// of their own.
func holdsFloats(t *ir.Type) bool { return lower.Innermost(t).Kind.IsFloat() }

// differ is the condition that two values are not the same.
func differ(t *ir.Type, a, b place) string {
	switch {
	case t.Kind.IsFloat():
		return a.text + ".to_bits() != " + b.text + ".to_bits()"
	case holdsFloats(t):
		return "!wire::same(" + a.shared() + ", " + b.shared() + ")"
	}
	return a.text + " != " + b.text
}

// equalRecord prints the comparison of a struct or message that has floats.
func (g *generator) equalRecord(d ir.Decl, form form) {
	g.equality(g.anonymous(d, form), func() {
		for _, f := range ir.FieldsOf(d) {
			a, b := place{text: "self." + g.names.Of(f)}, place{text: "other." + g.names.Of(f)}
			g.Line("if %s {", differ(f.Type, a, b))
			g.In(func() { g.Line("return false;") })
			g.Line("}")
		}
		if keeps(d) {
			g.Line("self.unknown_fields == other.unknown_fields")
		} else {
			g.Line("true")
		}
	})
}

// equality prints PartialEq and Eq of a type that has floats.
func (g *generator) equality(name string, body func()) {
	g.Emit(emit.Vars{"name": name, "body": body}, `
		/// Floats are compared by their bits: values are equal if their encodings are.
		impl PartialEq for $name$ {
			#[inline]
			fn eq(&self, other: &Self) -> bool {
				$body$
			}
		}

		impl Eq for $name$ {}
	`)
	g.Line("")
}

func (g *generator) hashRecord(d ir.Decl, form form) {
	g.hashing(g.anonymous(d, form), func() {
		for _, f := range ir.FieldsOf(d) {
			g.hashValue(f.Type, place{text: "self." + g.names.Of(f)})
		}
		if keeps(d) {
			g.Line("self.unknown_fields.hash(state);")
		}
	})
}

// hashing prints Hash of a type that has floats.
func (g *generator) hashing(name string, body func()) {
	g.Emit(emit.Vars{"name": name, "body": body}, `
		impl hash::Hash for $name$ {
			#[inline]
			fn hash<H: hash::Hasher>(&self, state: &mut H) {
				$body$
			}
		}
	`)
	g.Line("")
}

func (g *generator) hashValue(t *ir.Type, p place) {
	if holdsFloats(t) {
		g.call("wire::hash", []string{p.shared(), "state"}, ";")
		return
	}
	g.Line("%s.hash(state);", p.text)
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
		g.equalUnion(u, g.anonymous(u, form))
		g.hashUnion(u, g.anonymous(u, form))
	}
	g.defaultUnion(u, form)
}

func (g *generator) equalUnion(u *ir.Union, name string) {
	g.equality(name, func() {
		g.Line("match (self, other) {")
		g.In(func() {
			for _, a := range u.Alternatives {
				variant, same := "Self::"+g.names.Of(a), "a == b"
				switch {
				case a.Type == nil:
					g.arm("("+variant+", "+variant+")", "true")
					continue
				case holdsFloats(a.Type):
					same = "wire::same(a, b)"
				}
				g.arm("("+variant+"(a), "+variant+"(b))", same)
			}
			if !u.Closed {
				g.arm("(Self::Unknown { tag: a, payload: c }, Self::Unknown { tag: b, payload: d })", "a == b && c == d")
			}
			if len(u.Alternatives) > 1 || !u.Closed {
				g.Line("_ => false,")
			}
		})
		g.Line("}")
	})
}

func (g *generator) hashUnion(u *ir.Union, name string) {
	g.hashing(name, func() {
		g.matchSelf(u, func(a *ir.Alternative) string {
			switch {
			case a.Type == nil:
				return fmt.Sprintf("%du8.hash(state)", a.Tag)
			case holdsFloats(a.Type):
				return fmt.Sprintf("wire::hash(&(%du8, value), state)", a.Tag)
			}
			return fmt.Sprintf("(%du8, value).hash(state)", a.Tag)
		}, func(pattern string) { g.arm(pattern, "(tag, payload).hash(state)") })
	})
}

// matchSelf prints a match with an arm for each alternative.
func (g *generator) matchSelf(u *ir.Union, arm func(*ir.Alternative) string, unknown func(pattern string)) {
	g.Line("match self {")
	g.In(func() {
		for _, a := range u.Alternatives {
			pattern := "Self::" + g.names.Of(a)
			if a.Type != nil {
				pattern += "(value)"
			}
			g.arm(pattern, arm(a))
		}
		if !u.Closed {
			unknown("Self::Unknown { tag, payload }")
		}
	})
	g.Line("}")
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

// firstAlternative is what a new closed union is: the first alternative without a
// payload, or else the first whose payload does not hold the union.
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
