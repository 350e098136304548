package rust

import (
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// messages prints the module's dispatchers.
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
	g.dispatcher(decls, owned)
	g.dispatcher(decls, borrowed)
	g.messageView(decls)
}

func (g *generator) dispatcher(decls []ir.Decl, form form) {
	generic, bytes, anonymous, impl := "", "&[u8]", "", "impl"
	borrows := false
	for _, d := range decls {
		borrows = borrows || g.lifetime(d, form) != ""
	}
	name := "Message"
	if form == borrowed {
		if !borrows {
			return // nothing here is borrowed: Message is what MessageRef would be
		}
		name, generic, bytes, anonymous, impl = "MessageRef", "<'a>", "&'a [u8]", "<'_>", "impl<'a>"
	}
	about := "A message of any type of this module that has a type id."
	if form == borrowed {
		about = "[`Message`], borrowed from the bytes that it was decoded from."
	}
	arms := func(arm func(variant string, d ir.Decl)) func() {
		return func() {
			for _, d := range decls {
				arm(g.names.Of(d), d)
			}
		}
	}
	g.Emit(emit.Vars{
		"about": about, "name": name, "generic": generic, "anonymous": anonymous, "impl": impl, "bytes": bytes,
		"variants": arms(func(variant string, d ir.Decl) {
			g.Line("/// A [`%s`].", variant)
			g.Line("%s(%s),", variant, g.types.decl(d, form))
		}),
		"debugs": arms(func(variant string, _ ir.Decl) {
			g.Line("Self::%s(value) => wire::debug_variant(f, %s, value),", variant, quote(variant))
		}),
		"clones": arms(func(variant string, _ ir.Decl) {
			g.Line("Self::%s(value) => Self::%s(value.clone()),", variant, variant)
		}),
		"equals": arms(func(variant string, _ ir.Decl) { g.Line("(Self::%s(a), Self::%s(b)) => a == b,", variant, variant) }),
		"others": func() {
			if len(decls) > 1 {
				g.Line("_ => false,")
			}
		},
		"ids": arms(func(variant string, _ ir.Decl) { g.Line("Self::%s(_) => %s::TYPE_ID,", variant, variant) }),
		"appends": arms(func(variant string, _ ir.Decl) {
			g.Line("Self::%s(value) => wire::append_message(value, out),", variant)
		}),
		"reads": arms(func(variant string, d ir.Decl) {
			g.Line("%s::TYPE_ID => {", variant)
			g.In(func() {
				g.Line("let message = wire::decode_message(bytes, options)?;")
				g.Line("Ok(Self::%s(message))", variant)
			})
			g.Line("}")
		}),
	}, `
		/// $about$
		#[non_exhaustive]
		pub enum $name$$generic$ {
			$variants$
		}

		impl fmt::Debug for $name$$anonymous$ {
			fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
				match self {
					$debugs$
				}
			}
		}

		impl Clone for $name$$anonymous$ {
			fn clone(&self) -> Self {
				match self {
					$clones$
				}
			}
		}

		impl PartialEq for $name$$anonymous$ {
			fn eq(&self, other: &Self) -> bool {
				match (self, other) {
					$equals$
					$others$
				}
			}
		}

		impl Eq for $name$$anonymous$ {}

		$impl$ $name$$generic$ {
			/// Decodes a message of any type of this module.
			pub fn decode(bytes: $bytes$) -> Result<Self, sdp::Error> {
				Self::decode_with(bytes, &sdp::DecodeOptions::new())
			}

			/// Decodes a message of any type of this module by options.
			pub fn decode_with(bytes: $bytes$, options: &sdp::DecodeOptions) -> Result<Self, sdp::Error> {
				match sdp::read_type_id(bytes)? {
					$reads$
					_ => Err(sdp::unknown_type_id()),
				}
			}

			/// The type id of the message.
			#[must_use]
			pub fn type_id(&self) -> u16 {
				match self {
					$ids$
				}
			}

			/// Appends the message: the header, then the encoding.
			pub fn append_message(&self, out: &mut Vec<u8>) -> Result<(), sdp::Error> {
				match self {
					$appends$
				}
			}
		}

		impl sdp::AppendMessage for $name$$anonymous$ {
			fn append_message(&self, out: &mut Vec<u8>) -> Result<(), sdp::Error> {
				$name$::append_message(self, out)
			}
		}
	`)
	g.Line("")
	if form == owned {
		g.streamable(decls)
	}
}

// streamable prints what lets streams of messages be read.
func (g *generator) streamable(decls []ir.Decl) {
	var ids []string
	for _, d := range decls {
		ids = append(ids, g.names.Of(d)+"::TYPE_ID")
	}
	g.Emit(emit.Vars{"known": func() { g.table("const KNOWN: &[u16] =", "", ids, "") }}, `
		impl sdp::Dispatch for Message {
			fn knows(type_id: u16) -> bool {
				$known$
				KNOWN.contains(&type_id)
			}

			fn decode_message(message: &[u8], options: &sdp::DecodeOptions) -> Result<Self, sdp::Error> {
				Self::decode_with(message, options)
			}
		}
	`)
	g.Line("")
}
