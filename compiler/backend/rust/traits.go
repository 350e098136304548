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

// recordTraits prints what a struct or message can do as any Rust type.
func (g *generator) recordTraits(d ir.Decl, form form) {
	g.debugRecord(d, form)
	g.cloneRecord(d, form)
	g.equalRecord(d, form)
	g.hashRecord(d, form)
	g.defaultRecord(d, form)
	if m, ok := d.(*ir.Message); ok {
		g.setters(m, form)
	}
}

func (g *generator) debugRecord(d ir.Decl, form form) {
	name := quote(g.types.name(d, form))
	g.Emit(emit.Vars{"type": g.anonymous(d, form), "body": func() {
		if len(ir.FieldsOf(d)) == 0 && !keeps(d) {
			g.Line("f.write_str(%s)", name)
			return
		}
		g.Line("let mut out = f.debug_struct(%s);", name)
		for _, f := range ir.FieldsOf(d) {
			g.call("out.field", []string{quote(g.names.Get(f, names.Stem)), "&self." + g.names.Of(f)}, ";")
		}
		if keeps(d) {
			g.Line("out.field(%q, &self.unknown_fields);", "unknown_fields")
		}
		g.Line("out.finish()")
	}}, `
		impl fmt::Debug for $type$ {
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
func (g *generator) copied(t *ir.Type, p place, form form) string {
	switch {
	case !g.types.copies(t, form):
		return p.text + ".clone()"
	case t.Kind == ir.StrKind || t.Kind == ir.BytesKind:
		return p.text
	}
	return p.value()
}

// copies reports whether a form of a type is Copy.
func (t *types) copies(typ *ir.Type, form form) bool {
	typ = t.InPlace(typ)
	if typ.Kind == ir.StrKind || typ.Kind == ir.BytesKind {
		return form == borrowed
	}
	return typ.Scalar() != 0
}

func (g *generator) cloneRecord(d ir.Decl, form form) {
	var fields []string
	for _, f := range ir.FieldsOf(d) {
		fields = append(fields, g.names.Of(f)+": "+g.copied(f.Type, place{text: "self." + g.names.Of(f)}, form))
	}
	if m, ok := d.(*ir.Message); ok {
		for _, private := range g.privateFields(m, form) {
			copied := "self." + private[0]
			if form == owned {
				copied += ".clone()"
			}
			fields = append(fields, private[0]+": "+copied)
		}
	}
	g.Line("impl Clone for %s {", g.anonymous(d, form))
	g.In(func() {
		g.Line("fn clone(&self) -> Self {")
		g.In(func() { g.literal("Self", fields, "") })
		g.Line("}")
	})
	g.Line("}")
	g.Line("")
}

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

func (g *generator) equalRecord(d ir.Decl, form form) {
	other := "other"
	if len(ir.FieldsOf(d)) == 0 && !keeps(d) {
		other = "_"
	}
	g.Line("/// Floats are compared by their bits: values are equal if their encodings are.")
	g.Line("impl PartialEq for %s {", g.anonymous(d, form))
	g.In(func() {
		g.Line("fn eq(&self, %s: &Self) -> bool {", other)
		g.In(func() {
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
		g.Line("}")
	})
	g.Line("}")
	g.Line("")
	g.Line("impl Eq for %s {}", g.anonymous(d, form))
	g.Line("")
}

func (g *generator) hashRecord(d ir.Decl, form form) {
	g.Line("impl hash::Hash for %s {", g.anonymous(d, form))
	g.In(func() {
		if len(ir.FieldsOf(d)) == 0 && !keeps(d) {
			g.Line("fn hash<H: hash::Hasher>(&self, _: &mut H) {}")
			return
		}
		g.Line("fn hash<H: hash::Hasher>(&self, state: &mut H) {")
		g.In(func() {
			for _, f := range ir.FieldsOf(d) {
				g.hashValue(f.Type, place{text: "self." + g.names.Of(f)})
			}
			if keeps(d) {
				g.Line("self.unknown_fields.hash(state);")
			}
		})
		g.Line("}")
	})
	g.Line("}")
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
		g.Line("/// A message without content: zero values, and the defaults of the schema.")
		g.Line("#[must_use]")
		g.Line("pub fn new() -> Self {")
		g.In(func() { g.Line("Self::default()") })
		g.Line("}")
		for _, f := range m.Fields {
			g.Line("")
			g.Line("/// Sets `%s`.", g.names.Of(f))
			g.Line("#[must_use]")
			name := "with_" + g.names.Get(f, names.Stem)
			g.call("pub fn "+name, []string{"mut self", "value: " + g.types.spell(f.Type, form)}, " -> Self {")
			g.In(func() {
				g.Line("self.%s = value;", g.names.Of(f))
				g.Line("self")
			})
			g.Line("}")
		}
		if m.KeepUnknown {
			g.unknownFields(form)
		}
	})
	g.Line("}")
	g.Line("")
}

func (g *generator) unknownFields(form form) {
	g.Emit(emit.Vars{
		"slice": pick(form, "&[u8]", "&'a [u8]"), "expression": pick(form, "&self.unknown_fields", "self.unknown_fields"),
		"bytes": pick(form, "Vec<u8>", "&'a [u8]"),
	}, `

		/// The segments that this release doesn't know, as they were decoded.
		#[must_use]
		pub fn unknown_fields(&self) -> $slice$ {
			$expression$
		}

		/// Replaces the segments that this release doesn't know.
		pub fn set_unknown_fields(&mut self, bytes: $bytes$) {
			self.unknown_fields = bytes;
		}
	`)
}

// unionTraits prints what a union can do as any Rust type.
func (g *generator) unionTraits(u *ir.Union, form form) {
	name := g.anonymous(u, form)
	g.Line("impl fmt::Debug for %s {", name)
	g.In(func() {
		g.Line("fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {")
		g.In(func() {
			g.matchSelf(u, func(a *ir.Alternative) string {
				if a.Type == nil {
					return "f.write_str(" + quote(g.names.Of(a)) + ")"
				}
				return "wire::debug_variant(f, " + quote(g.names.Of(a)) + ", value)"
			}, func(pattern string) { g.arm(pattern, "wire::debug_unknown(f, *tag, payload)") })
		})
		g.Line("}")
	})
	g.Line("}")
	g.Line("")
	g.Line("impl Clone for %s {", name)
	g.In(func() {
		g.Line("fn clone(&self) -> Self {")
		g.In(func() {
			g.matchSelf(u, func(a *ir.Alternative) string {
				if a.Type == nil {
					return "Self::" + g.names.Of(a)
				}
				copied := "value.clone()"
				if !g.types.BoxedPayload(a.Type) {
					copied = g.copied(a.Type, place{"value", true}, form)
				}
				return "Self::" + g.names.Of(a) + "(" + copied + ")"
			}, func(pattern string) {
				g.literal(pattern+" => Self::Unknown", []string{"tag: *tag", pick(form, "payload: payload.clone()", "payload")}, ",")
			})
		})
		g.Line("}")
	})
	g.Line("}")
	g.Line("")
	g.equalUnion(u, name)
	g.hashUnion(u, name)
	g.defaultUnion(u, form)
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

func (g *generator) equalUnion(u *ir.Union, name string) {
	g.Line("/// Floats are compared by their bits: values are equal if their encodings are.")
	g.Line("impl PartialEq for %s {", name)
	g.In(func() {
		g.Line("fn eq(&self, other: &Self) -> bool {")
		g.In(func() {
			g.Line("match (self, other) {")
			g.In(func() {
				for _, a := range u.Alternatives {
					variant := "Self::" + g.names.Of(a)
					if a.Type == nil {
						g.arm("("+variant+", "+variant+")", "true")
						continue
					}
					same := "a == b"
					if holdsFloats(a.Type) {
						same = "wire::same(a, b)"
					}
					g.arm("("+variant+"(a), "+variant+"(b))", same)
				}
				if !u.Closed {
					g.Emit(nil, `
						(Self::Unknown { tag: a, payload: c }, Self::Unknown { tag: b, payload: d }) => a == b && c == d,
					`)
				}
				if len(u.Alternatives) > 1 || !u.Closed {
					g.Line("_ => false,")
				}
			})
			g.Line("}")
		})
		g.Line("}")
	})
	g.Line("}")
	g.Line("")
	g.Line("impl Eq for %s {}", name)
	g.Line("")
}

func (g *generator) hashUnion(u *ir.Union, name string) {
	g.Line("impl hash::Hash for %s {", name)
	g.In(func() {
		g.Line("fn hash<H: hash::Hasher>(&self, state: &mut H) {")
		g.In(func() {
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
		g.Line("}")
	})
	g.Line("}")
	g.Line("")
}

func (g *generator) defaultUnion(u *ir.Union, form form) {
	g.Line("impl Default for %s {", g.anonymous(u, form))
	g.In(func() {
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

// enumTraits prints what an enum can do as any Rust type.
func (g *generator) enumTraits(e *ir.Enum, name, base string) {
	first := "Self::" + g.names.Of(e.Members[0])
	for _, m := range e.Members {
		if m.Number == 0 {
			first = "Self::" + g.names.Of(m)
		}
	}
	valid, from := "", "Self::from_number(number)"
	if e.Closed {
		from = "Self::from_number(number).unwrap_or_default()"
		valid = "closed"
	} else if first == "Self::"+g.names.Of(e.Members[0]) && e.Members[0].Number != 0 {
		first = "Self::Unknown(0)"
	}
	bits := e.Base.Bytes()
	g.Emit(emit.Vars{
		"name": name, "base": base, "first": first, "size": bits, "from": from,
		"checks": func() {
			if valid == "" {
				return
			}
			g.Emit(emit.Vars{"base": base}, `
				const CHECKED: bool = true;

				#[inline(always)]
				fn sdp_valid(bytes: &[u8]) -> bool {
					Self::from_number($base$::sdp_from(bytes)).is_some()
				}
			`)
		},
		"conversion": func() { g.enumConversion(e, name, base) },
	}, `
		impl Clone for $name$ {
			fn clone(&self) -> Self {
				*self
			}
		}

		impl Copy for $name$ {}

		impl PartialEq for $name$ {
			fn eq(&self, other: &Self) -> bool {
				self.number() == other.number()
			}
		}

		impl Eq for $name$ {}

		impl PartialOrd for $name$ {
			fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
				Some(self.cmp(other))
			}
		}

		impl Ord for $name$ {
			fn cmp(&self, other: &Self) -> core::cmp::Ordering {
				self.number().cmp(&other.number())
			}
		}

		impl hash::Hash for $name$ {
			fn hash<H: hash::Hasher>(&self, state: &mut H) {
				self.number().hash(state);
			}
		}

		impl Default for $name$ {
			fn default() -> Self {
				$first$
			}
		}

		impl fmt::Debug for $name$ {
			fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
				fmt::Display::fmt(self, f)
			}
		}

		impl fmt::Display for $name$ {
			fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
				match self.name() {
					Some(name) => f.write_str(name),
					None => fmt::Display::fmt(&self.number(), f),
				}
			}
		}

		impl From<$name$> for $base$ {
			fn from(value: $name$) -> Self {
				value.number()
			}
		}

		$conversion$

		impl wire::Fixed for $name$ {
			type Bytes = [u8; $size$];
			const SCALAR: bool = true;
			$checks$

			#[inline(always)]
			fn sdp_bytes(&self) -> [u8; $size$] {
				self.number().to_le_bytes()
			}

			#[inline(always)]
			fn sdp_from(bytes: &[u8]) -> Self {
				let number = $base$::sdp_from(bytes);
				$from$
			}
		}
	`)
	g.Line("")
}

func (g *generator) enumConversion(e *ir.Enum, name, base string) {
	if !e.Closed {
		g.Emit(emit.Vars{"name": name, "base": base}, `
			impl From<$base$> for $name$ {
				fn from(number: $base$) -> Self {
					Self::from_number(number)
				}
			}
		`)
		return
	}
	g.Emit(emit.Vars{"name": name, "base": base}, `
		impl TryFrom<$base$> for $name$ {
			type Error = sdp::Error;

			fn try_from(number: $base$) -> Result<Self, sdp::Error> {
				Self::from_number(number).ok_or(sdp::Error::new(sdp::Kind::EnumUnknown))
			}
		}
	`)
}
