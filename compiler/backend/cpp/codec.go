package cpp

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// codec prints how a type lies in bytes: one struct for all of its forms.
func (g *generator) codec(d ir.Decl) {
	g.Line("/// How a `%s` lies in bytes.", d.DeclName())
	g.Line("struct %s {", g.names.Get(d, names.Codec))
	g.In(func() {
		switch d := d.(type) {
		case *ir.Enum:
			g.enumCodec(d)
		case *ir.Union:
			g.identity(d)
			g.unionCodec(d)
		default:
			g.identity(d)
			g.places(d)
			if g.types.FixedDecl(d) {
				g.fixedCodec(d)
			} else {
				g.recordCodec(d)
			}
			g.reset(d)
			g.showFields(d)
		}
	})
	g.Line("};")
	g.Line("")
}

// enumCodec prints which numbers an enum names.
func (g *generator) enumCodec(e *ir.Enum) {
	g.Emit(emit.Vars{
		"type": g.types.qualified(e, owned), "name": quote(ir.FullName(e)),
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

// identity prints the constants of a struct, message or union.
func (g *generator) identity(d ir.Decl) {
	g.Line("using type = %s;", g.types.qualified(d, owned))
	g.Line("using view = %s;", g.types.view(d))
	g.Line("template <class T>")
	g.Line("static constexpr bool is_view = std::is_same_v<T, view>;")
	g.Line("template <class T>")
	g.Line("static constexpr bool is_borrowed = %s;", g.isBorrowed(d))
	g.Line("static constexpr std::string_view name = %s;", quote(ir.FullName(d)))
	if id := ir.IDOf(d); id != nil {
		g.Line("static constexpr std::uint16_t type_id = %d;", id.Value)
	}
	prints := plan.FingerprintsOf(d)
	g.Line("static constexpr std::uint64_t fingerprint = %s;", hex(prints.Cumulative[len(prints.Cumulative)-1]))
	g.fingerprints("fingerprints", prints.Cumulative)
	g.fingerprints("segment_fingerprints", prints.Segments)
	g.Line("static constexpr std::string_view layout =")
	g.In(func() {
		lines := strings.SplitAfter(plan.Layout(d), "\n")
		for i, line := range lines {
			if line == "" {
				continue
			}
			end := ""
			if i == len(lines)-1 || lines[i+1] == "" {
				end = ";"
			}
			g.Line("%s%s", quote(line), end)
		}
	})
	g.Line("static constexpr std::size_t memory_factor = %d;", g.types.Factor(d))
	g.Line("/// The smallest size of the encoding.")
	g.Line("static constexpr std::size_t least = %d;", g.program.Body(d).Size.Min)
	u, isUnion := d.(*ir.Union)
	g.Line("/// Whether the length of a payload is written around the contents.")
	g.Line("static constexpr bool has_window = %t;", isUnion && !u.Closed)
	g.Line("static constexpr bool fixed = %t;", g.types.FixedDecl(d))
	g.Line("")
}

// isBorrowed tells whether T is the borrowed form, where that is a type of its own.
func (g *generator) isBorrowed(d ir.Decl) string {
	if g.types.plain(d) {
		return "false"
	}
	return "std::is_same_v<T, " + g.types.qualified(d, borrowed) + ">"
}

func (g *generator) fingerprints(name string, prints []uint64) {
	var list []string
	for _, n := range prints {
		list = append(list, hex(n))
	}
	g.Line("static constexpr std::array<std::uint64_t, %d> %s{%s};", len(list), name, strings.Join(list, ", "))
}

func (g *generator) segments(d ir.Decl) []backend.Segment {
	return backend.Segments(g.program, d, g.types.Fixed)
}

// shape is the name of a field's shape within its codec.
func (g *generator) shape(f *ir.Field) string { return "shapes::" + g.names.Of(f) }

// places prints the shapes of a type's fields, and where those of a view lie.
func (g *generator) places(d ir.Decl) {
	g.Line("struct shapes {")
	g.In(func() {
		for _, f := range ir.FieldsOf(d) {
			g.Line("using %s = %s;", g.names.Of(f), g.types.shape(f.Type))
		}
	})
	g.Line("};")
	g.Line("struct places {")
	g.In(func() {
		for _, f := range ir.FieldsOf(d) {
			g.Line("wire::place %s;", g.names.Of(f))
		}
		if keeps(d) {
			g.Line("wire::place unknown_fields;")
		}
	})
	g.Line("};")
	g.Line("")
}

// fixedCodec prints how a struct of fixed size is loaded and stored in one piece.
func (g *generator) fixedCodec(d ir.Decl) {
	fields := ir.FieldsOf(d)
	run := backend.Piece{}
	for _, p := range g.segments(d)[0].Pieces {
		if p.IsRun() {
			run = p
			continue
		}
		// A field without bytes has no place in a run.
		run.Fields, run.Offsets = append(run.Fields, p.Field), append(run.Offsets, run.Bytes)
	}
	traits := g.program.Body(d).Traits
	from, to, value := "from", "to", "value"
	if len(fields) == 0 {
		from, to, value = "", "", ""
	}
	if !traits.Checked {
		from = ""
	}
	encoded := "value"
	if !traits.Closed {
		encoded = ""
	}
	load := "from"
	if len(fields) == 0 {
		load = ""
	}
	each := func(print func(f *ir.Field, offset uint64)) func() {
		return func() {
			for i, f := range run.Fields {
				print(f, run.Offsets[i])
			}
		}
	}
	g.Emit(emit.Vars{
		"bytes": run.Bytes, "levels": traits.Levels, "elements": traits.Elements,
		"checked": fmt.Sprint(traits.Checked), "partial": fmt.Sprint(traits.Closed),
		"from": pad(from), "to": pad(to), "value": pad(value), "load": pad(load), "encoded": pad(encoded),
		"valid": func() {
			g.conjunction(each(func(f *ir.Field, offset uint64) {
				if g.program.Traits(f.Type).Checked {
					g.Line("%s::valid(%s)", g.shape(f), at("from", offset))
				}
			}))
		},
		"encodable": func() {
			g.conjunction(each(func(f *ir.Field, _ uint64) {
				if g.program.Traits(f.Type).Closed {
					g.Line("%s::encodable(value.%s)", g.shape(f), g.names.Of(f))
				}
			}))
		},
		"loads": each(func(f *ir.Field, offset uint64) {
			g.Line("wire::load<%s>(%s, value.%s);", g.shape(f), at("from", offset), g.names.Of(f))
		}),
		"stores": each(func(f *ir.Field, offset uint64) {
			g.Line("%s::store(%s, value.%s);", g.shape(f), at("to", offset), g.names.Of(f))
		}),
	}, `
		static constexpr std::size_t bytes = $bytes$;
		static constexpr std::size_t levels = $levels$;
		static constexpr std::size_t elements = $elements$;
		static constexpr bool checked = $checked$;
		static constexpr bool partial = $partial$;

		[[nodiscard]] static bool valid(const std::byte*$from$) noexcept {
			$valid$
		}

		template <class T>
		[[nodiscard]] static bool encodable(const T&$encoded$) noexcept {
			$encodable$
		}

		template <class T>
		static void load(const std::byte*$load$, T&$value$) noexcept {
			$loads$
		}

		template <class T>
		static void store(std::byte*$to$, const T&$value$) noexcept {
			$stores$
		}

		template <class T>
		[[nodiscard]] static std::size_t size(const T&, std::size_t) noexcept {
			return bytes;
		}
	`)
	g.Line("")
}

func pad(name string) string {
	if name == "" {
		return ""
	}
	return " " + name
}

func at(base string, offset uint64) string {
	if offset == 0 {
		return base
	}
	return fmt.Sprintf("%s + %d", base, offset)
}

// conjunction prints a return of all conditions that are printed, one a line.
func (g *generator) conjunction(conditions func()) {
	inner := &generator{Printer: emit.NewPrinter("    "), types: g.types, program: g.program, pkg: g.pkg}
	outer := g.Printer
	g.Printer = inner.Printer
	conditions()
	text := strings.TrimRight(g.String(), "\n")
	g.Printer = outer
	if text == "" {
		g.Line("return true;")
		return
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		start, end := "       ", " &&"
		if i == 0 {
			start = "return "
		}
		if i == len(lines)-1 {
			end = ";"
		}
		g.Line("%s%s%s", start, line, end)
	}
}

// recordCodec prints how a struct of varying size or a message is read, written
// and measured.
func (g *generator) recordCodec(d ir.Decl) {
	segments := g.segments(d)
	g.runs = 0
	_, isMessage := d.(*ir.Message)
	empty := len(ir.FieldsOf(d)) == 0 && !keeps(d)
	g.Line("template <class Decoder, class T>")
	g.Line("[[nodiscard]] static bool read(Decoder& d, wire::cursor& input, T&%s, std::size_t depth) {", pad(unless(empty, "value")))
	g.In(func() {
		g.refuseIf("!d.enter(depth)")
		g.Line("wire::cursor s = input;")
		for _, s := range segments {
			if s.Number > 1 {
				g.readLater(s)
			} else {
				g.readPieces(s.Pieces)
			}
		}
		if isMessage {
			g.refuseIf("d.exact() && !s.empty()")
			if keeps(d) {
				g.Line("wire::keep_tail(d, s, value.unknown_fields);")
			}
			g.Line("s.at = s.end;")
		}
		g.Line("input = s;")
		g.Line("return true;")
	})
	g.Line("}")
	g.Line("")

	g.Line("template <class T>")
	g.Line("static std::byte* write(wire::writer& w, std::byte* out, const T&%s, std::size_t depth) {", pad(unless(empty, "value")))
	g.In(func() {
		g.Line("if (!w.enter(depth)) {")
		g.In(func() { g.Line("return out;") })
		g.Line("}")
		for _, s := range segments {
			for _, p := range s.Pieces {
				g.writePiece(p)
			}
		}
		if keeps(d) {
			g.Line("out = w.raw(out, wire::data_of(value.unknown_fields), value.unknown_fields.size());")
		}
		g.Line("return out;")
	})
	g.Line("}")
	g.Line("")
	g.recordSize(d)
}

func unless(condition bool, text string) string {
	if condition {
		return ""
	}
	return text
}

func (g *generator) refuseIf(condition string) {
	g.Line("if (%s) {", condition)
	g.In(func() { g.Line("return false;") })
	g.Line("}")
}

func (g *generator) readPieces(pieces []backend.Piece) {
	for _, p := range pieces {
		if !p.IsRun() {
			g.refuseIf(fmt.Sprintf("!wire::read<%s>(d, s, value.%s, depth)", g.shape(p.Field), g.names.Of(p.Field)))
			continue
		}
		g.readRun(p)
	}
}

func (g *generator) readRun(p backend.Piece) {
	if p.Levels > 0 {
		g.refuseIf(fmt.Sprintf("!d.enter(depth + %d)", p.Levels))
	}
	if p.Elements > 0 {
		g.refuseIf(fmt.Sprintf("!d.elements(%d)", p.Elements))
	}
	g.runs++
	run := "run"
	if g.runs > 1 {
		run = fmt.Sprintf("run%d", g.runs)
	}
	g.Line("const std::byte* %s = s.take(%d);", run, p.Bytes)
	g.refuseIf(run + " == nullptr")
	checked := false
	for j, f := range p.Fields {
		if !g.program.Traits(f.Type).Checked {
			continue
		}
		if !checked {
			g.Line("if constexpr (!Decoder::trusts) {")
			checked = true
		}
		g.In(func() { g.refuseIf(fmt.Sprintf("!%s::valid(%s)", g.shape(f), at(run, p.Offsets[j]))) })
	}
	if checked {
		g.Line("}")
	}
	for j, f := range p.Fields {
		g.Line("wire::load<%s>(%s, value.%s);", g.shape(f), at(run, p.Offsets[j]), g.names.Of(f))
	}
}

// readLater prints what reads a segment that may be missing.
func (g *generator) readLater(s backend.Segment) {
	g.Line("if (s.empty()) {")
	g.In(func() {
		g.refuseIf("d.exact()")
		for _, f := range s.Fields {
			g.missing(f, "d.resource()")
		}
	})
	g.Line("} else {")
	g.In(func() { g.readPieces(s.Pieces) })
	g.Line("}")
}

// missing prints what gives a field the value that it has if its segment is
// missing, with memory from a resource.
func (g *generator) missing(f *ir.Field, resource string) {
	if f.Default == nil {
		g.Line("wire::clear(value.%s, %s);", g.names.Of(f), resource)
		return
	}
	t := f.Type
	if t.Kind == ir.OptionalKind {
		t = t.Elem
	}
	g.Line("wire::fall_back(value.%s, %s, %s);", g.names.Of(f), g.literal(t, *f.Default), resource)
}

func (g *generator) writePiece(p backend.Piece) {
	if !p.IsRun() {
		g.Line("out = wire::write<%s>(w, out, value.%s, depth);", g.shape(p.Field), g.names.Of(p.Field))
		return
	}
	var conditions []string
	if p.Levels > 0 {
		conditions = append(conditions, fmt.Sprintf("!w.enter(depth + %d)", p.Levels))
	}
	conditions = append(conditions, fmt.Sprintf("!w.room(out, %d)", p.Bytes))
	g.Line("if (%s) {", strings.Join(conditions, " || "))
	g.In(func() { g.Line("return out;") })
	g.Line("}")
	for j, f := range p.Fields {
		if g.program.Traits(f.Type).Closed {
			g.Line("if (!%s::encodable(value.%s)) {", g.shape(f), g.names.Of(f))
			g.In(func() { g.Line("w.refuse();") })
			g.Line("}")
		}
		g.Line("%s::store(%s, value.%s);", g.shape(f), at("out", p.Offsets[j]), g.names.Of(f))
	}
	g.Line("out += %d;", p.Bytes)
}

func (g *generator) recordSize(d ir.Decl) {
	constant := uint64(0)
	var varying []*ir.Field
	for _, f := range ir.FieldsOf(d) {
		if size := g.program.SizeOf(f.Type); size.Fixed && g.types.Fixed(f.Type) {
			constant += size.Min
		} else {
			varying = append(varying, f)
		}
	}
	value, depth := "value", "depth"
	if len(varying) == 0 {
		depth = ""
		if !keeps(d) {
			value = ""
		}
	}
	g.Line("template <class T>")
	g.Line("[[nodiscard]] static std::size_t size(const T&%s, std::size_t%s) {", pad(value), pad(depth))
	g.In(func() {
		g.Line("std::size_t n = %d;", constant)
		for _, f := range varying {
			g.Line("n += wire::size<%s>(value.%s, depth);", g.shape(f), g.names.Of(f))
		}
		if keeps(d) {
			g.Line("n += value.unknown_fields.size();")
		}
		g.Line("return n;")
	})
	g.Line("}")
	g.Line("")
}

// reset prints what makes a value that is there as it is when it is new.
func (g *generator) reset(d ir.Decl) {
	value, resource := "value", "resource"
	if len(ir.FieldsOf(d)) == 0 && !keeps(d) {
		value, resource = "", ""
	}
	g.Line("template <class T>")
	g.Line("static void reset(T&%s, std::pmr::memory_resource*%s) {", pad(value), pad(resource))
	g.In(func() {
		for _, f := range ir.FieldsOf(d) {
			g.missing(f, "resource")
		}
		if keeps(d) {
			g.Line("wire::clear(value.unknown_fields, resource);")
		}
	})
	g.Line("}")
	g.Line("")
}

// showFields prints what shows the fields to what looks at all of them.
func (g *generator) showFields(d ir.Decl) {
	visit, value := "visit", "value"
	if len(ir.FieldsOf(d)) == 0 && !keeps(d) {
		visit, value = "", ""
	}
	g.Line("template <class Visitor, class T>")
	g.Line("static bool fields(Visitor&%s, const T&%s) {", pad(visit), pad(value))
	g.In(func() {
		var shown []string
		for _, f := range ir.FieldsOf(d) {
			shown = append(shown, fmt.Sprintf("visit.template field<%s>(%s, value.%s)", g.shape(f), bothNames(f.Name, f.JSONName()), g.names.Of(f)))
		}
		if keeps(d) {
			shown = append(shown, "visit.kept(value.unknown_fields)")
		}
		g.conjunction(func() {
			for _, text := range shown {
				g.Line("%s", text)
			}
		})
	})
	g.Line("}")
}
