package cpp

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// constants prints constants, enums, and the declarations of all other names.
func (g *generator) constants() {
	g.Line("/// Identifies the schema's text without its comments and layout.")
	g.Line("inline constexpr std::uint64_t source_fingerprint = %s;", hex(plan.SourceFingerprint(g.pkg)))
	g.Line("")
	for _, d := range g.pkg.Decls {
		if e, ok := d.(*ir.Enum); ok {
			g.enum(e)
		}
	}
	for _, c := range g.pkg.Consts {
		g.doc(&c.Meta, "A constant of the schema.")
		typ := g.types.spell(c.Type, owned)
		if c.Type.Kind == ir.StrKind {
			typ = "std::string_view"
		}
		g.Line("%sinline constexpr %s %s = %s;", deprecated(&c.Meta), typ, g.names.Of(c), g.literal(c.Type, c.Value))
		g.Line("")
	}
}

// forward declares all types, and defines aliases of them.
func (g *generator) forward() {
	g.Line("namespace detail {")
	for _, d := range g.pkg.Decls {
		for _, d := range ir.WithInline(d) {
			g.Line("struct %s;", g.names.Get(d, names.Codec))
		}
	}
	g.Line("}  // namespace detail")
	g.Line("")
	for _, d := range g.decls {
		g.Line("struct %s;", g.types.name(d, owned))
		if g.makes(d, borrowed) {
			g.Line("struct %s;", g.types.name(d, borrowed))
		}
		if g.Has(backend.Views) {
			for _, d := range ir.WithInline(d) {
				g.Line("class %s;", g.names.Get(d, names.View))
			}
		}
	}
	if g.Has(backend.Pooled) {
		g.Line("namespace pmr {")
		for _, d := range g.decls {
			if g.types.plain(d) {
				g.Line("using %s;", g.types.qualified(d, owned))
			} else {
				g.Line("struct %s;", g.types.name(d, pooled))
			}
		}
		g.Line("}  // namespace pmr")
	}
	g.Line("")
	for _, a := range orderedAliases(g.pkg) {
		g.doc(&a.Meta, "Another name of a type.")
		behind := g.types.spellUnnamed(a.Type, owned)
		if a.Type.Alias != nil && a.Type.Alias != a {
			behind = g.types.spell(a.Type, owned)
		}
		g.Line("using %s = %s;", g.names.Of(a), behind)
		g.Line("")
	}
}

func (g *generator) enum(e *ir.Enum) {
	open := "It is open: other numbers are kept."
	if e.Closed {
		open = "It is closed: other numbers are refused."
	}
	g.doc(&e.Meta, "An enum of the schema. "+open)
	name := g.names.Of(e)
	g.Line("enum class %s%s : %s {", deprecated(&e.Meta), name, scalars.Of(e.Base).name)
	g.In(func() {
		for _, m := range e.Members {
			g.doc(&m.Meta)
			attribute := ""
			if text := deprecated(&m.Meta); text != "" {
				attribute = " " + text[:len(text)-1]
			}
			g.Line("%s%s = %s,", g.names.Of(m), attribute, enumNumber(e, m))
		}
	})
	g.Line("};")
	g.Line("")
	g.Emit(emit.Vars{"name": name, "cases": func() {
		for _, m := range e.Members {
			g.Line("case %s:", enumNumber(e, m))
			g.In(func() { g.Line("return %s;", quote(m.Name)) })
		}
	}}, `
		/// The name of a member in the schema; empty for a number that has none.
		[[nodiscard]] constexpr std::string_view to_string($name$ value) noexcept {
			switch (static_cast<std::underlying_type_t<$name$>>(value)) {
				$cases$
				default:
					return {};
			}
		}
	`)
	g.Line("")
}

// enumNumber is a member's number as a literal.
func enumNumber(e *ir.Enum, m *ir.EnumMember) string {
	if e.Base.Class() == ir.UnsignedClass && e.Base.Bytes() == 8 {
		return fmt.Sprintf("%dU", uint64(m.Number))
	}
	return signed(m.Number)
}

// typeDecls prints the types that are made in a form.
func (g *generator) typeDecls(form form) {
	g.begun = map[ir.Decl]bool{}
	for _, d := range g.decls {
		g.begun[d] = true
		if g.makes(d, form) {
			g.typeDecl(d, form)
		}
	}
}

// typeDecl prints a type in one form.
func (g *generator) typeDecl(d ir.Decl, form form) {
	switch {
	case form == borrowed:
		g.Line("/// `%s`, borrowed from the bytes that it was decoded from.", g.types.name(d, owned))
	case form == pooled:
		g.Line("/// `%s`, which takes its memory from a resource.", g.types.name(d, owned))
	default:
		g.doc(d.DeclMeta(), "A "+ir.KindOf(d).String()+" of the schema.")
	}
	attribute := ""
	if form == owned {
		attribute = deprecated(d.DeclMeta())
	}
	g.Line("struct %s%s {", attribute, g.types.name(d, form))
	g.In(func() {
		if u, ok := d.(*ir.Union); ok {
			g.union(u, form)
		} else {
			g.record(d, form)
		}
	})
	g.Line("};")
	g.Line("")
	if u, ok := d.(*ir.Union); ok {
		for _, a := range u.Alternatives {
			if g.types.later(a) {
				g.doc(&a.Meta)
				g.Line("struct %s%s {", deprecated(&a.Meta), g.types.name(a.Inline, form))
				g.In(func() { g.record(a.Inline, form) })
				g.Line("};")
				g.Line("")
			}
		}
	}
}

// later reports whether an inline alternative may contain its own union, so that
// it is held in memory of its own and defined behind the union.
func (t *types) later(a *ir.Alternative) bool { return a.Inline != nil && t.BoxedPayload(a.Type) }

// record prints the members of a struct or message.
func (g *generator) record(d ir.Decl, form form) {
	g.Line("using sdp_codec = %s;", g.types.codec(d))
	pooled := g.types.pooledDecl(d, form)
	if pooled {
		g.Line("using allocator_type = sdp::wire::resource_allocator;")
	}
	if len(ir.FieldsOf(d)) > 0 || keeps(d) {
		g.Line("")
	}
	for _, f := range ir.FieldsOf(d) {
		g.doc(&f.Meta)
		g.Line("%s%s %s%s;", deprecated(&f.Meta), g.types.spell(f.Type, form), g.names.Of(f), g.initial(f))
	}
	if keeps(d) {
		g.Line("/// The fields of a later release that were in the bytes, as they were.")
		typ := pick(form, "std::vector<std::byte>", "sdp::bytes_view", "std::pmr::vector<std::byte>")
		g.Line("%s unknown_fields{};", typ)
	}
	if pooled {
		g.constructors(d, form)
	}
}

// initial is what stands behind a field's name: its default.
func (g *generator) initial(f *ir.Field) string {
	if f.Default == nil {
		return g.empty(f.Type)
	}
	return "{" + g.defaultOf(f) + "}"
}

// empty makes a member an empty value. A list whose elements are defined later is one
// without it, and compilers would look into the elements for it.
func (g *generator) empty(t *ir.Type) string {
	held := g.types.listed(t)
	if held != nil && held.DeclPackage() == g.pkg && ir.KindOf(held) != ir.EnumKind && !g.begun[held] {
		return ""
	}
	return "{}"
}

// constructors prints the constructors of a type that takes memory from a resource: for each kind
// one that gets a resource. They are templates, so that they cost nothing where nobody makes such a
// value.
func (g *generator) constructors(d ir.Decl, form form) {
	name := g.names.Of(d)
	if s, ok := d.(*ir.Struct); !ok || s.Owner == nil {
		name = g.types.name(d, form)
	}
	allocator, source := g.unlikeFields(d, "allocator"), g.unlikeFields(d, "source")
	var members []string
	parameter, known := "int", allocator
	for _, f := range ir.FieldsOf(d) {
		if !g.types.pooledField(f, form) {
			continue
		}
		field := g.names.Of(f)
		switch {
		case f.Type.Kind == ir.ArrayKind && !g.types.OnHeap(f.Type):
			members = append(members, fmt.Sprintf("%s(sdp::wire::made<decltype(%s)>(%s.resource()))", field, field, allocator))
		case f.Default != nil && f.Type.Kind == ir.StrKind:
			members = append(members, fmt.Sprintf("%s(%s, %s)", field, g.literal(f.Type, *f.Default), allocator))
		case f.Default != nil && isMaybeString(f.Type):
			text := g.literal(f.Type.Elem, *f.Default)
			members = append(members, fmt.Sprintf("%s(std::in_place, %s, %s)", field, text, allocator))
		case g.empty(f.Type) == "":
			parameter, known = "int Later", "sdp::wire::later<Later>("+allocator+")"
			members = append(members, field+"("+known+")")
		default:
			members = append(members, field+"("+allocator+")")
		}
	}
	if keeps(d) && form == pooled {
		members = append(members, "unknown_fields("+allocator+")")
	}
	g.Emit(emit.Vars{"name": name, "allocator": allocator, "source": source, "parameter": parameter, "known": known, "members": func() {
		g.chain(": ", members, ",", " {}")
	}}, `

		$name$() = default;
		template <$parameter$ = 0>
		explicit $name$(const allocator_type& $allocator$)
			$members$
		template <$parameter$ = 0>
		$name$(const $name$& $source$, const allocator_type& $allocator$) : $name$($known$) {
			sdp::wire::assign_apart(*this, $source$);
		}
		template <$parameter$ = 0>
		$name$($name$&& $source$, const allocator_type& $allocator$) : $name$($known$) {
			sdp::wire::assign_apart(*this, std::move($source$));
		}
	`)
}

// unlikeFields is a name for a parameter that no field has.
func (g *generator) unlikeFields(d ir.Decl, name string) string {
	for _, f := range ir.FieldsOf(d) {
		if g.names.Of(f) == name {
			return g.unlikeFields(d, "the_"+name)
		}
	}
	return name
}

// union prints the members of a union: a struct for each alternative, and the present alternative.
func (g *generator) union(u *ir.Union, form form) {
	g.Line("using sdp_codec = %s;", g.types.codec(u))
	g.Line("")
	held := []string{"std::monostate"}
	for _, a := range u.Alternatives {
		name := g.names.Of(a)
		if g.types.later(a) {
			g.Line("struct %s;", name)
			held = append(held, g.types.indirect(form, "indirect")+"<"+name+">")
			continue
		}
		held = append(held, name)
		g.doc(&a.Meta)
		if a.Type == nil {
			g.Line("struct %s%s {};", deprecated(&a.Meta), name)
			continue
		}
		g.Line("struct %s%s {", deprecated(&a.Meta), name)
		g.In(func() {
			if a.Inline != nil {
				g.record(a.Inline, form)
			} else {
				g.Line("%s value%s;", g.payload(a.Type, form), g.empty(a.Type))
			}
		})
		g.Line("};")
	}
	if !u.Closed {
		held = append(held, pick(form, "sdp::unknown", "sdp::unknown_ref", "sdp::pmr::unknown"))
	}
	g.Line("/// The alternative that is there. A union without one can't be encoded.")
	g.list("std::variant<", held, "> value{};")
}

// payload is the type of what an alternative holds.
func (g *generator) payload(t *ir.Type, form form) string {
	if g.types.BoxedPayload(t) {
		return g.types.indirect(form, "indirect") + "<" + g.types.spell(t, form) + ">"
	}
	return g.types.spell(t, form)
}
