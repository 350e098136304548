package rust

import (
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// messages prints the module's dispatchers: of types, of borrowed types where some
// borrow, and of views where some types have one that is not the type itself.
func (g *generator) messages() {
	var decls []ir.Decl
	for _, d := range g.pkg.Decls {
		if ir.IDOf(d) != nil {
			decls = append(decls, d)
		}
	}
	if len(decls) == 0 {
		return
	}
	about := "A message of any type of this module that has a type id"
	if !slices.ContainsFunc(decls, func(d ir.Decl) bool { return !g.owns(d) }) {
		g.dispatcher(decls, dispatcher{
			name: "Message", about: about + ".",
			of: func(d ir.Decl) string { return g.types.decl(d, owned) },
		})
		g.streamable(decls)
		about = "[`Message`]"
	}
	if slices.ContainsFunc(decls, func(d ir.Decl) bool { return slices.Contains(g.forms(d), borrowed) }) {
		g.dispatcher(decls, dispatcher{
			name: "MessageRef", about: about + ", borrowed from the bytes that it was decoded from.",
			of: func(d ir.Decl) string { return g.types.decl(d, borrowed) },
		})
	}
	if g.Has(backend.Views) && slices.ContainsFunc(decls, func(d ir.Decl) bool { return !g.types.FixedDecl(d) }) {
		g.dispatcher(decls, dispatcher{
			name: "MessageView", about: "The view of a " + strings.TrimPrefix(about, "A ") + ".", isView: true,
			of: func(d ir.Decl) string {
				if g.types.FixedDecl(d) {
					return g.types.decl(d, owned)
				}
				return g.types.view(d, "'a")
			},
		})
	}
}

// dispatcher is an enum of all messages in one of their forms, or of their views.
type dispatcher struct {
	name, about string
	of          func(ir.Decl) string // the type that a message has in it
	isView      bool
}

func (g *generator) dispatcher(decls []ir.Decl, e dispatcher) {
	generic, anonymous, impl, bytes := "", "", "impl", "&[u8]"
	if slices.ContainsFunc(decls, func(d ir.Decl) bool { return strings.HasSuffix(e.of(d), "<'a>") }) {
		generic, anonymous, impl, bytes = "<'a>", "<'_>", "impl<'a>", "&'a [u8]"
	}
	verb, options, derived := "Decodes", "&sdp::DecodeOptions::new()", "Clone, Debug, PartialEq, Eq"
	if e.isView {
		verb, options, derived = "Validates", "wire::DEFAULT", "Clone, Debug"
	}
	arms := func(arm func(variant string, d ir.Decl)) func() {
		return func() {
			for _, d := range decls {
				arm(g.names.Of(d), d)
			}
		}
	}
	g.Emit(emit.Vars{
		"about": e.about, "name": e.name, "generic": generic, "impl": impl, "bytes": bytes,
		"Decodes": verb, "default": options, "derived": derived,
		"variants": arms(func(variant string, d ir.Decl) {
			g.Line("/// A [`%s`].", variant)
			g.Line("%s(%s),", variant, e.of(d))
		}),
		"reads": arms(func(variant string, _ ir.Decl) {
			if e.isView {
				g.arm(variant+"::TYPE_ID", "wire::decode_message(bytes, options).map(Self::"+variant+")")
				return
			}
			g.Line("%s::TYPE_ID => {", variant)
			g.In(func() {
				g.Line("let message = wire::decode_message(bytes, options)?;")
				g.Line("Ok(Self::%s(message))", variant)
			})
			g.Line("}")
		}),
		"ids": arms(func(variant string, _ ir.Decl) { g.arm("Self::"+variant+"(_)", variant+"::TYPE_ID") }),
		"appending": func() {
			if e.isView {
				return
			}
			g.Line("")
			g.Emit(emit.Vars{"appends": arms(func(variant string, _ ir.Decl) {
				g.arm("Self::"+variant+"(value)", "wire::append_message(value, output)")
			})}, `
				/// Appends the message: the header, then the encoding.
				#[inline]
				pub fn append_message(&self, output: &mut Vec<u8>) -> Result<(), sdp::Error> {
					match self {
						$appends$
					}
				}
			`)
		},
	}, `
		/// $about$
		#[derive($derived$)]
		#[non_exhaustive]
		pub enum $name$$generic$ {
			$variants$
		}

		$impl$ $name$$generic$ {
			/// $Decodes$ a message of any type of this module.
			#[inline]
			pub fn decode(bytes: $bytes$) -> Result<Self, sdp::Error> {
				Self::decode_with(bytes, $default$)
			}

			/// $Decodes$ a message of any type of this module by options.
			#[inline]
			pub fn decode_with(bytes: $bytes$, options: &sdp::DecodeOptions) -> Result<Self, sdp::Error> {
				match sdp::read_type_id(bytes)? {
					$reads$
					_ => Err(sdp::unknown_type_id()),
				}
			}

			/// The type id of the message.
			#[inline]
			#[must_use]
			pub fn type_id(&self) -> u16 {
				match self {
					$ids$
				}
			}
			$appending$
		}

	`)
	if e.isView {
		return
	}
	g.Emit(emit.Vars{"name": e.name, "anonymous": anonymous}, `
		impl sdp::AppendMessage for $name$$anonymous$ {
			#[inline]
			fn append_message(&self, output: &mut Vec<u8>) -> Result<(), sdp::Error> {
				$name$::append_message(self, output)
			}
		}

	`)
}

// streamable prints what lets streams of messages be read.
func (g *generator) streamable(decls []ir.Decl) {
	g.table("wire::streamable", "Message", func() {
		for _, d := range decls {
			g.Line("%s,", g.names.Of(d))
		}
	})
}
