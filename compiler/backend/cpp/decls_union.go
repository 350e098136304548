package cpp

import (
	"fmt"
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// enumCodec prints which numbers an enum names.
func (g *generator) enumCodec(e *ir.Enum) {
	g.Emit(emit.Vars{
		"type": g.types.qualified(e, owned), "name": quote(ir.FullName(e)), "layout": func() { g.layoutPart(e) },
		"cases": func() {
			for _, m := range e.Members {
				g.Line("case %s:", enumNumber(e, m))
			}
			if len(e.Members) > 0 {
				g.In(func() { g.Line("return true;") })
			}
		},
		"names": func() {
			for _, m := range e.Members {
				g.Line("case %s:", enumNumber(e, m))
				g.In(func() { g.Line("return %s;", stringView(jsonName(&m.Meta, m.Name))) })
			}
		},
	}, `
		using type = $type$;
		static constexpr std::string_view name = $name$;
		$layout$

		[[nodiscard]] static constexpr bool is_known(type value) noexcept {
			switch (static_cast<std::underlying_type_t<type>>(value)) {
				$cases$
				default:
					return false;
			}
		}

		/// The name of a number in JSON; empty if it has none.
		[[nodiscard]] static constexpr std::string_view json_name(type value) noexcept {
			switch (static_cast<std::underlying_type_t<type>>(value)) {
				$names$
				default:
					return {};
			}
		}
	`)
}

// unionCodec prints how a union is read, written, measured and shown. The index of an alternative
// counts from 1 on; 0 is none, and the last one belongs to unknown alternatives.
func (g *generator) unionCodec(u *ir.Union) {
	g.Line("struct shapes {")
	g.In(func() {
		for _, a := range u.Alternatives {
			if a.Type != nil {
				g.Line("using %s = %s;", g.names.Of(a), g.types.payloadShape(a.Type))
			}
		}
	})
	g.Line("};")
	if g.Has(backend.Views) {
		g.Line("using places = wire::choice;")
	}
	g.Line("")
	g.Emit(emit.Vars{"cases": func() {
		for _, a := range u.Alternatives {
			g.Line("case %d:", a.Tag)
		}
		if len(u.Alternatives) > 0 {
			g.In(func() { g.Line("return true;") })
		}
	}}, `
		/// Whether a tag is that of an alternative that has a name.
		[[nodiscard]] static constexpr bool is_known(unsigned tag) noexcept {
			switch (tag) {
				$cases$
				default:
					return false;
			}
		}
	`)
	g.Line("")
	g.readUnion(u)
	g.writeUnion(u)
	g.sizeUnion(u)
	g.Emit(nil, `
		template <class T>
		static void reset(T& value, std::pmr::memory_resource*) {
			value = T{};
		}
	`)
	g.Line("")
	g.showUnion(u)
}

func (g *generator) readUnion(u *ir.Union) {
	source := "payload"
	if u.Closed {
		source = "s"
	}
	g.Emit(emit.Vars{
		"tag": plan.TagBytes,
		"window": func() {
			if !u.Closed {
				g.Line("wire::cursor payload;")
				g.refuseIf("!s.window(payload)")
			}
		},
		"cases": func() {
			for i, a := range u.Alternatives {
				g.Line("case %d:", a.Tag)
				g.In(func() { g.readAlternative(a, i+1, source) })
			}
		},
		"other": func() {
			if u.Closed {
				g.Line("return false;")
				return
			}
			g.refuseIf("tag == 0")
			g.Line("wire::keep_unknown(d, payload, tag, value);")
			g.Line("break;")
		},
		"end": func() {
			if !u.Closed {
				g.refuseIf("!payload.empty()")
			}
		},
	}, `
		template <class Decoder, class T>
		[[nodiscard]] static bool read(Decoder& d, wire::cursor& input, T& value, std::size_t depth) {
			if (!d.enter(depth)) {
				return false;
			}
			wire::cursor s = input;
			const std::byte* head = s.take($tag$);
			if (head == nullptr) {
				return false;
			}
			const unsigned tag = std::to_integer<unsigned>(*head);
			$window$
			switch (tag) {
				$cases$
				default:
					$other$
			}
			$end$
			input = s;
			return true;
		}
	`)
	g.Line("")
}

func (g *generator) readAlternative(a *ir.Alternative, index int, source string) {
	if a.Type == nil {
		g.Line("wire::choose<%d>(d, %s, tag, value);", index, source)
	} else {
		g.refuseIf(fmt.Sprintf("!wire::read_alternative<%d, %s>(d, %s, tag, value, depth)", index, g.shapeName(a), source))
	}
	g.Line("break;")
}

// shapeName is the name of an alternative's shape within its union's codec.
func (g *generator) shapeName(a *ir.Alternative) string { return "shapes::" + g.names.Of(a) }

func (g *generator) writeUnion(u *ir.Union) {
	g.Emit(emit.Vars{"cases": func() {
		for i, a := range u.Alternatives {
			g.Line("case %d:", i+1)
			g.In(func() { g.writeAlternative(u, a, i+1) })
		}
		if !u.Closed {
			g.Line("case %d:", len(u.Alternatives)+1)
			g.In(func() {
				g.Line("return wire::write_unknown<%s>(w, output, *std::get_if<%d>(&value.value));", g.names.Get(u, names.Codec), len(u.Alternatives)+1)
			})
		}
	}}, `
		template <class T>
		static std::byte* write(wire::writer& w, std::byte* output, const T& value, std::size_t depth) {
			if (!w.enter(depth)) {
				return output;
			}
			switch (value.value.index()) {
				$cases$
				default:
					w.refuse();
					return output;
			}
		}
	`)
	g.Line("")
}

func (g *generator) writeAlternative(u *ir.Union, a *ir.Alternative, index int) {
	g.Line("output = w.octet(output, %d);", a.Tag)
	if a.Type == nil {
		if !u.Closed {
			g.Line("return w.length<%d>(output, 0, wire::any);", plan.WindowBytes)
		} else {
			g.Line("return output;")
		}
		return
	}
	call := "write_payload"
	if u.Closed {
		call = "write_contents"
	}
	g.Line("return wire::%s<%s>(w, output, *std::get_if<%d>(&value.value), depth);", call, g.shapeName(a), index)
}

func (g *generator) sizeUnion(u *ir.Union) {
	head := plan.UnionHead(u)
	uses := slices.ContainsFunc(u.Alternatives, func(a *ir.Alternative) bool { return a.Type != nil })
	g.Emit(emit.Vars{"depth": parameter(uses, "depth"), "head": head, "cases": func() {
		for i, a := range u.Alternatives {
			if a.Type == nil {
				continue
			}
			g.Line("case %d:", i+1)
			g.In(func() {
				payload := fmt.Sprintf("wire::payload_of(*std::get_if<%d>(&value.value))", i+1)
				g.Line("return %d + wire::size<%s>(%s, depth);", head, g.shapeName(a), payload)
			})
		}
		if !u.Closed {
			g.Line("case %d:", len(u.Alternatives)+1)
			g.In(func() {
				g.Line("return %d + std::get_if<%d>(&value.value)->payload.size();", head, len(u.Alternatives)+1)
			})
		}
	}}, `
		template <class T>
		[[nodiscard]] static std::size_t size(const T& value, std::size_t$depth$) {
			switch (value.value.index()) {
				$cases$
				default:
					return $head$;
			}
		}
	`)
	g.Line("")
}

func (g *generator) showUnion(u *ir.Union) {
	g.Emit(emit.Vars{"cases": func() {
		for i, a := range u.Alternatives {
			g.Line("case %d:", i+1)
			name := bothNames(a.Name, jsonName(&a.Meta, a.Name))
			g.In(func() {
				if a.Type == nil {
					g.Line("return visit.empty_alternative(%s, %d);", name, a.Tag)
					return
				}
				g.Line("return visit.template alternative<%s>(", g.shapeName(a))
				g.In(func() {
					g.Line("%s, %d, wire::payload_of(*std::get_if<%d>(&value.value)));", name, a.Tag, i+1)
				})
			})
		}
		if !u.Closed {
			n := len(u.Alternatives) + 1
			g.Line("case %d:", n)
			g.In(func() {
				g.Line("return visit.unknown(*std::get_if<%d>(&value.value),", n)
				g.Line("                     is_known(std::get_if<%d>(&value.value)->tag));", n)
			})
		}
	}}, `
		template <class Visitor, class T>
		static bool fields(Visitor& visit, const T& value) {
			switch (value.value.index()) {
				$cases$
				default:
					return visit.unset();
			}
		}
	`)
}

// jsonName is the name of a member or an alternative in JSON.
func jsonName(meta *ir.Meta, name string) string {
	if given, ok := meta.Names["json"]; ok {
		return given
	}
	return name
}
