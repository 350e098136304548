package rust

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// messageView prints the dispatcher to views. A module whose messages are all of
// fixed size needs none: Message is what it would be.
func (g *generator) messageView(decls []ir.Decl) {
	bytes, parameter, anonymous, impl := "&[u8]", "", "", "impl"
	hasViews := false
	for _, d := range decls {
		hasViews = hasViews || !g.types.FixedDecl(d)
		if strings.Contains(g.messageOf(d), "<") {
			bytes, parameter, anonymous, impl = "&'a [u8]", "<'a>", "<'_>", "impl<'a>"
		}
	}
	if !hasViews {
		return
	}
	arms := func(arm func(variant string, d ir.Decl)) func() {
		return func() {
			for _, d := range decls {
				arm(g.names.Of(d), d)
			}
		}
	}
	g.Emit(emit.Vars{
		"parameter": parameter, "anonymous": anonymous, "impl": impl, "bytes": bytes,
		"variants": arms(func(variant string, d ir.Decl) {
			g.Line("/// A [`%s`].", variant)
			g.Line("%s(%s),", variant, g.messageOf(d))
		}),
		"debugs": arms(func(variant string, _ ir.Decl) {
			g.arm("Self::"+variant+"(value)", "wire::debug_variant(f, "+quote(variant)+", value)")
		}),
		"clones": arms(func(variant string, d ir.Decl) {
			copied := "*value"
			if g.types.FixedDecl(d) || isUnion(d) {
				copied = "value.clone()"
			}
			g.arm("Self::"+variant+"(value)", "Self::"+variant+"("+copied+")")
		}),
		"ids": arms(func(variant string, _ ir.Decl) { g.arm("Self::"+variant+"(_)", variant+"::TYPE_ID") }),
		"reads": arms(func(variant string, _ ir.Decl) {
			g.arm(variant+"::TYPE_ID", "wire::decode_message(bytes, options).map(Self::"+variant+")")
		}),
		"decode": func() {
			g.call("pub fn decode_with", []string{"bytes: " + bytes, "options: &sdp::DecodeOptions"}, " -> Result<Self, sdp::Error> {")
		},
	}, `
		/// The view of a [`+"`Message`"+`].
		#[non_exhaustive]
		pub enum MessageView$parameter$ {
			$variants$
		}

		impl fmt::Debug for MessageView$anonymous$ {
			fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
				match self {
					$debugs$
				}
			}
		}

		impl Clone for MessageView$anonymous$ {
			fn clone(&self) -> Self {
				match self {
					$clones$
				}
			}
		}

		$impl$ MessageView$parameter$ {
			/// Validates a message of any type of this module.
			pub fn decode(bytes: $bytes$) -> Result<Self, sdp::Error> {
				Self::decode_with(bytes, wire::DEFAULT)
			}

			/// Validates a message of any type of this module by options.
			$decode$
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
		}
	`)
	g.Line("")
}

// messageOf is what the dispatcher to views has of a type.
func (g *generator) messageOf(d ir.Decl) string {
	if g.types.FixedDecl(d) {
		return g.types.decl(d, owned)
	}
	return g.types.view(d, "'a")
}
