package rust

import (
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

func (g *generator) enum(e *ir.Enum) {
	base := scalars.Of(e.Base).name
	open := "It is open: numbers that have no name here are kept."
	if e.Closed {
		open = "It is closed: other numbers are refused."
	}
	doc(g.Printer, &e.Meta, "An enum of the schema. "+open)
	g.Line("#[derive(Clone, Copy)]")
	if !e.Closed {
		g.Line("#[non_exhaustive]")
	}
	name := g.names.Of(e)
	g.Line("pub enum %s {", name)
	g.In(func() {
		for _, m := range e.Members {
			doc(g.Printer, &m.Meta, "The member `"+m.Name+"`.")
			g.Line("%s,", g.names.Of(m))
		}
		if !e.Closed {
			g.Line("/// A number that has no name here.")
			g.Line("Unknown(%s),", base)
		}
	})
	g.Line("}")
	g.Line("")
	g.enumFunctions(e, name, base)
	g.enumTraits(e, name, base)
}

// enumNumber is a member's number as a literal of the base.
func enumNumber(e *ir.Enum, m *ir.EnumMember) string {
	if e.Base.Class() == ir.UnsignedClass {
		return integer(uint64(m.Number))
	}
	return signed(m.Number)
}

func (g *generator) enumFunctions(e *ir.Enum, name, base string) {
	result, other, unnamed := "Self", "number => Self::Unknown(number)", "Self::Unknown(_) => None"
	some := func(text string) string { return text }
	if e.Closed {
		result, other, unnamed = "Option<Self>", "_ => None", ""
		some = func(text string) string { return "Some(" + text + ")" }
	}
	g.Emit(emit.Vars{
		"name": name, "base": base, "result": result,
		"numbers": func() {
			for _, m := range e.Members {
				g.Line("Self::%s => %s,", g.names.Of(m), enumNumber(e, m))
			}
			if !e.Closed {
				g.Line("Self::Unknown(number) => number,")
			}
		},
		"members": func() {
			for _, m := range e.Members {
				g.Line("%s => %s,", enumNumber(e, m), some("Self::"+g.names.Of(m)))
			}
			g.Line("%s,", other)
		},
		"names": func() {
			for _, m := range e.Members {
				g.Line("Self::%s => Some(%s),", g.names.Of(m), quote(m.Name))
			}
			if !e.Closed {
				g.Line("%s,", unnamed)
			}
		},
	}, `
		impl $name$ {
			/// The number on the wire.
			#[must_use]
			pub const fn number(self) -> $base$ {
				match self {
					$numbers$
				}
			}

			/// The member of a number.
			#[must_use]
			pub const fn from_number(number: $base$) -> $result$ {
				match number {
					$members$
				}
			}

			/// The member's name in the schema.
			#[must_use]
			pub const fn name(self) -> Option<&'static str> {
				match self {
					$names$
				}
			}
		}
	`)
	g.Line("")
}

// enumTraits prints what an enum can do as any Rust type. Members are compared by
// their numbers, of which an open enum has some twice.
func (g *generator) enumTraits(e *ir.Enum, name, base string) {
	from := "Self::from_number(number)"
	if e.Closed {
		from += ".unwrap_or_default()"
	}
	g.Emit(emit.Vars{
		"name": name, "base": base, "first": g.firstMember(e), "size": e.Base.Bytes(), "from": from,
		"checks": func() {
			if !e.Closed {
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

// firstMember is the value of a new enum: the number 0, or else of a closed one
// its first member.
func (g *generator) firstMember(e *ir.Enum) string {
	for _, m := range e.Members {
		if m.Number == 0 {
			return "Self::" + g.names.Of(m)
		}
	}
	if e.Closed {
		return "Self::" + g.names.Of(e.Members[0])
	}
	return "Self::Unknown(0)"
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
