package cpp

import (
	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// messages prints the dispatchers of the package.
func (g *generator) messages() {
	var decls []ir.Decl
	for _, d := range g.decls {
		if ir.IDOf(d) != nil {
			decls = append(decls, d)
		}
	}
	if len(decls) == 0 {
		return
	}
	variant := func(name string, spell func(ir.Decl) string) {
		var spelled []string
		for _, d := range decls {
			spelled = append(spelled, spell(d))
		}
		g.Line("using %s = std::variant<", name)
		g.In(func() { g.chain("", spelled, ",", ">;") })
	}
	g.Line("/// A message of any type of this package that has a type id.")
	variant("Message", func(d ir.Decl) string { return g.types.qualified(d, owned) })
	if g.Has(backend.Borrowed) {
		g.Line("/// `Message`, borrowed from the bytes that it was decoded from.")
		variant("MessageRef", func(d ir.Decl) string { return g.types.qualified(d, borrowed) })
	}
	if g.Has(backend.Views) {
		g.Line("/// `Message`, validated and read where it lies.")
		variant("MessageView", g.types.view)
	}
	if g.Has(backend.Pooled) {
		g.Line("namespace pmr {")
		g.Line("/// `Message`, which takes its memory from a resource.")
		variant("Message", func(d ir.Decl) string { return g.types.qualified(d, pooled) })
		g.Line("}  // namespace pmr")
	}
	g.Line("")
	g.Emit(emit.Vars{"cases": func() {
		for i, d := range decls {
			g.Line("case %s::type_id:", g.types.codec(d))
			g.In(func() {
				g.Line("return sdp::wire::visit_one<std::variant_alternative_t<%d, Any>>(", i)
				g.Line("    std::forward<Visitor>(visitor), input, options);")
			})
		}
	}}, `
		/// Decodes a message of any type of the package, and calls `+"`visitor`"+` with the value. `+"`Any`"+`, one of
		/// the variants above, says in which form.
		template <class Any = Message, class Visitor>
		[[nodiscard]] sdp::result<void> visit_message(Visitor&& visitor, sdp::bytes_view input,
													  const sdp::decode_options& options = {}) {
			const auto type_id = sdp::wire::read_type_id(input);
			if (!type_id) {
				return sdp::unexpected(type_id.error());
			}
			switch (*type_id) {
				$cases$
				default:
					return sdp::unexpected(sdp::wire::unknown_type_id());
			}
		}

		/// Decodes a message of any type of the package. `+"`Any`"+`, one of the variants above, says in which form.
		template <class Any = Message>
		[[nodiscard]] sdp::result<Any> decode_message(sdp::bytes_view input,
													  const sdp::decode_options& options = {}) {
			return sdp::wire::any_message<Any>(
				[&](auto keep) { return visit_message<Any>(keep, input, options); });
		}
	`)
	g.Line("")
}
