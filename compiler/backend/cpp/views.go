package cpp

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

// views prints the lazy form of all types: first the classes, which may return
// each other, then their functions.
func (g *generator) views() {
	for _, d := range g.decls {
		for _, d := range ir.WithInline(d) {
			g.view(d)
		}
	}
	for _, d := range g.decls {
		for _, d := range ir.WithInline(d) {
			for _, a := range g.accessors(d) {
				g.Line("inline auto %s::%s() const noexcept -> %s {", g.names.Get(d, names.View), a.name, a.result)
				g.In(func() { g.Line("return %s;", a.value) })
				g.Line("}")
				g.Line("")
			}
		}
	}
}

// accessor is a function of a view.
type accessor struct {
	meta *ir.Meta
	// remarks stand below the comment of the schema.
	remarks []string
	// result is the type and value the expression that is returned, both as within
	// the class.
	result, name, value string
}

func (g *generator) view(d ir.Decl) {
	name, accessors := g.names.Get(d, names.View), g.accessors(d)
	g.Line("/// `%s`, read where it lies in the bytes that it was decoded from, which have to outlive it.", d.DeclName())
	g.Line("class %s {", name)
	g.Line("   public:")
	g.In(func() {
		g.Line("using sdp_codec = %s;", g.types.codec(d))
		g.Line("")
		for _, a := range accessors {
			g.doc(a.meta)
			comment(g.Printer, "///", a.remarks...)
			g.Line("%s[[nodiscard]] %s %s() const noexcept SDP_NONBLOCKING;", deprecated(a.meta), a.result, a.name)
		}
	})
	g.Line("")
	g.Line("   private:")
	g.In(func() {
		g.Line("friend struct sdp::wire::access;")
		unused := ""
		if len(accessors) == 0 {
			unused = "[[maybe_unused]] " // clang warns of members that only friends know
		}
		g.Line("%ssdp_codec::places where_;", unused)
	})
	g.Line("};")
	g.Line("")
}

func (g *generator) accessors(d ir.Decl) []accessor {
	if u, ok := d.(*ir.Union); ok {
		return g.unionAccessors(u)
	}
	var list []accessor
	for _, f := range ir.FieldsOf(d) {
		shape := "sdp_codec::" + g.shape(f)
		otherwise := ""
		if f.Default != nil {
			otherwise = ", " + g.defaultOf(f)
		}
		list = append(list, accessor{
			meta: &f.Meta, remarks: g.types.remarks(f.Type),
			result: g.types.viewItem(f.Type, shape), name: g.names.Of(f),
			value: fmt.Sprintf("sdp::view::get<%s>(where_.%s%s)", shape, g.names.Of(f), otherwise),
		})
	}
	if keeps(d) {
		list = append(list, accessor{
			meta: &ir.Meta{}, remarks: []string{"The fields of a later release that are in the bytes."},
			result: "sdp::bytes_view", name: "unknown_fields",
			value: "sdp::view::bytes_of(where_.unknown_fields)",
		})
	}
	return list
}

func (g *generator) unionAccessors(u *ir.Union) []accessor {
	list := []accessor{{
		meta: &ir.Meta{}, remarks: []string{"Says which alternative it is."},
		result: "std::uint8_t", name: "tag",
		value: "static_cast<std::uint8_t>(where_.tag)",
	}}
	for i, a := range u.Alternatives {
		one := accessor{meta: &a.Meta, name: g.names.Get(a, names.Reader)}
		if a.Type == nil {
			one.remarks = []string{"Whether it is `" + a.Name + "`."}
			one.result = "bool"
			one.value = fmt.Sprintf("where_.index == %d", i+1)
		} else {
			shape := "sdp_codec::" + g.shapeName(a)
			one.remarks = append([]string{"The payload of `" + a.Name + "`, if it is that."}, g.types.remarks(a.Type)...)
			one.result = "std::optional<" + g.types.viewItem(a.Type, shape) + ">"
			one.value = fmt.Sprintf("sdp::view::chosen<%s>(where_, %d)", shape, i+1)
		}
		list = append(list, one)
	}
	if !u.Closed {
		list = append(list, accessor{
			meta: &ir.Meta{}, remarks: []string{"An alternative that has no name here, if it is one."},
			result: "std::optional<sdp::unknown_ref>", name: "unknown",
			value: "sdp::view::unknown_of(where_)",
		})
	}
	return list
}
