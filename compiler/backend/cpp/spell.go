package cpp

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
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
			g.equal(d)
		default:
			g.identity(d)
			g.places(d)
			if g.types.FixedDecl(d) {
				g.fixedCodec(d)
			} else {
				g.recordCodec(d)
			}
			g.cold(d)
			g.equal(d)
		}
	})
	g.Line("};")
	g.Line("")
}

// heldInline is how many fields a value may have that is read and written where
// another holds it. Else a type costs compilers all that it holds, at each level.
const heldInline = 16

// identity prints the constants of a struct, message or union.
func (g *generator) identity(d ir.Decl) {
	g.Line("using type = %s;", g.types.qualified(d, owned))
	isView, isBorrowed := "false", "false"
	if g.Has(backend.Views) {
		g.Line("using view = %s;", g.types.view(d))
		isView = "std::is_same_v<T, view>"
	}
	if g.makes(d, borrowed) {
		isBorrowed = "std::is_same_v<T, " + g.types.qualified(d, borrowed) + ">"
	}
	g.Line("template <class T>")
	g.Line("static constexpr bool is_view = %s;", isView)
	g.Line("template <class T>")
	g.Line("static constexpr bool is_borrowed = %s;", isBorrowed)
	g.Line("static constexpr std::string_view name = %s;", quote(ir.FullName(d)))
	if id := ir.IDOf(d); id != nil {
		g.Line("static constexpr std::uint16_t type_id = %d;", id.Value)
	}
	prints := plan.FingerprintsOf(d)
	g.Line("static constexpr std::uint64_t fingerprint = %s;", hex(prints.Cumulative[len(prints.Cumulative)-1]))
	g.fingerprints("fingerprints", prints.Cumulative)
	g.fingerprints("segment_fingerprints", prints.Segments)
	g.layoutPart(d)
	g.Line("static constexpr std::size_t memory_factor = %d;", g.types.Factor(d))
	g.Line("/// The smallest size of the encoding.")
	g.Line("static constexpr std::size_t least = %d;", g.program.Body(d).Size.Min)
	if plan.HeldFields(d, heldInline) > heldInline {
		g.Line("/// Functions of its own read and write it behind a pointer.")
		g.Line("static constexpr bool apart = true;")
	}
	u, isUnion := d.(*ir.Union)
	g.Line("/// Whether the length of a payload is written around the contents.")
	g.Line("static constexpr bool has_window = %t;", isUnion && !u.Closed)
	g.Line("static constexpr bool fixed = %t;", g.types.FixedDecl(d))
	g.Line("")
}

// layoutPart prints what layout texts say of a type, of which the runtime puts them
// together.
func (g *generator) layoutPart(d ir.Decl) {
	part := plan.LayoutPartOf(d)
	g.Line("static constexpr std::string_view layout =")
	var lines []string
	for line := range strings.Lines(part.Text) {
		lines = append(lines, quote(line))
	}
	g.In(func() { g.chain("", lines, "", ";") })
	var codecs []string
	for _, named := range part.Types {
		codecs = append(codecs, g.types.codec(named))
	}
	g.list("using layout_types = wire::codec_list<", codecs, ">;")
}

func (g *generator) fingerprints(name string, prints []uint64) {
	var list []string
	for _, n := range prints {
		list = append(list, hex(n))
	}
	g.Line("static constexpr std::array<std::uint64_t, %d> %s{%s};", len(list), name, strings.Join(list, ", "))
}

// shape is the name of a field's shape within its codec.
func (g *generator) shape(f *ir.Field) string { return "shapes::" + g.names.Of(f) }

// places prints the shapes of a type's fields, and the places of a view's fields.
func (g *generator) places(d ir.Decl) {
	g.Line("struct shapes {")
	g.In(func() {
		for _, f := range ir.FieldsOf(d) {
			g.Line("using %s = %s;", g.names.Of(f), g.types.shape(f.Type))
		}
	})
	g.Line("};")
	if g.Has(backend.Views) {
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
	}
	g.Line("")
}

// isEmpty reports whether a type has nothing that code could be about.
func isEmpty(d ir.Decl) bool { return len(ir.FieldsOf(d)) == 0 && !keeps(d) }

// parameter is a parameter's name behind its type, if it is used.
func parameter(isUsed bool, name string) string {
	if isUsed {
		return " " + name
	}
	return ""
}

// fixedCodec prints how a struct of fixed size is loaded and stored in one piece.
func (g *generator) fixedCodec(d ir.Decl) {
	run := lower.Piece{}
	for _, p := range lower.Segments(g.program, d, g.types.Fixed)[0].Pieces {
		if p.IsRun() {
			run = p
			continue
		}
		// A field without bytes has no place in a run.
		run.Fields, run.Offsets = append(run.Fields, p.Field), append(run.Offsets, run.Bytes)
	}
	var valid, encodable []string
	for i, f := range run.Fields {
		traits := g.program.Traits(f.Type)
		if traits.Checked {
			valid = append(valid, fmt.Sprintf("%s::valid(%s)", g.shape(f), at("input", run.Offsets[i])))
		}
		if traits.Closed {
			encodable = append(encodable, fmt.Sprintf("%s::encodable(value.%s)", g.shape(f), g.names.Of(f)))
		}
	}
	each := func(format, base string) func() {
		return func() {
			for i, f := range run.Fields {
				g.Line(format, g.shape(f), at(base, run.Offsets[i]), g.names.Of(f))
			}
		}
	}
	traits, used := g.program.Body(d).Traits, !isEmpty(d)
	g.Emit(emit.Vars{
		"bytes": run.Bytes, "levels": traits.Levels, "elements": traits.Elements,
		"checked": traits.Checked, "partial": traits.Closed,
		"input": parameter(traits.Checked, "input"), "encoded": parameter(traits.Closed, "value"),
		"load": parameter(used, "input"), "output": parameter(used, "output"), "value": parameter(used, "value"),
		"valid":     func() { g.conjunction(valid) },
		"encodable": func() { g.conjunction(encodable) },
		"loads":     each("wire::load<%s>(%s, value.%s);", "input"),
		"stores":    each("%s::store(%s, value.%s);", "output"),
	}, `
		static constexpr std::size_t bytes = $bytes$;
		static constexpr std::size_t levels = $levels$;
		static constexpr std::size_t elements = $elements$;
		static constexpr bool checked = $checked$;
		static constexpr bool partial = $partial$;

		[[nodiscard]] static bool valid(const std::byte*$input$) noexcept {
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
		static void store(std::byte*$output$, const T&$value$) noexcept {
			$stores$
		}

		template <class T>
		[[nodiscard]] static std::size_t size(const T&, std::size_t) noexcept {
			return bytes;
		}

	`)
}

func at(base string, offset uint64) string {
	if offset == 0 {
		return base
	}
	return fmt.Sprintf("%s + %d", base, offset)
}

// conjunction prints a return of all conditions, one a line.
func (g *generator) conjunction(conditions []string) {
	if len(conditions) == 0 {
		conditions = []string{"true"}
	}
	g.chain("return ", conditions, " &&", ";")
}

// chain prints parts below each other, between a start and an end.
func (g *generator) chain(start string, parts []string, separator, end string) {
	for i, part := range parts {
		if i == len(parts)-1 {
			separator = end
		}
		g.Line("%s%s%s", start, part, separator)
		start = strings.Repeat(" ", len(start))
	}
}

// list prints a list between a start and an end, with a line for each item if one
// isn't enough.
func (g *generator) list(start string, items []string, end string) {
	line := start + strings.Join(items, ", ") + end
	if g.Width()+len(line) <= lineMax || len(items) == 0 {
		g.Line("%s", line)
		return
	}
	g.Line("%s", start)
	g.In(func() { g.chain("", items, ",", end) })
}

// recordCodec prints how a struct of varying size or a message is read, written
// and measured.
func (g *generator) recordCodec(d ir.Decl) {
	g.runs = 0
	segments := lower.Segments(g.program, d, g.types.Fixed)
	var constant uint64
	var varying []*ir.Field
	for _, f := range ir.FieldsOf(d) {
		if size := g.program.SizeOf(f.Type); size.Fixed && g.types.Fixed(f.Type) {
			constant += size.Min
		} else {
			varying = append(varying, f)
		}
	}
	g.Emit(emit.Vars{
		"value": parameter(!isEmpty(d), "value"), "constant": constant,
		"sized": parameter(len(varying) > 0 || keeps(d), "value"), "depth": parameter(len(varying) > 0, "depth"),
		"read": func() { g.readSegments(d, segments) },
		"write": func() {
			for _, s := range segments {
				for _, p := range s.Pieces {
					g.writePiece(p)
				}
			}
			if keeps(d) {
				g.Line("output = w.raw(output, wire::data_of(value.unknown_fields), value.unknown_fields.size());")
			}
		},
		"size": func() {
			for _, f := range varying {
				g.Line("n += wire::size<%s>(value.%s, depth);", g.shape(f), g.names.Of(f))
			}
			if keeps(d) {
				g.Line("n += value.unknown_fields.size();")
			}
		},
	}, `
		template <class Decoder, class T>
		[[nodiscard]] static bool read(Decoder& d, wire::cursor& input, T&$value$, std::size_t depth) {
			if (!d.enter(depth)) {
				return false;
			}
			wire::cursor s = input;
			$read$
			input = s;
			return true;
		}

		template <class T>
		static std::byte* write(wire::writer& w, std::byte* output, const T&$value$, std::size_t depth) {
			if (!w.enter(depth)) {
				return output;
			}
			$write$
			return output;
		}

		template <class T>
		[[nodiscard]] static std::size_t size(const T&$sized$, std::size_t$depth$) {
			std::size_t n = $constant$;
			$size$
			return n;
		}

	`)
}

func (g *generator) refuseIf(condition string) {
	g.Line("if (%s) {", condition)
	g.In(func() { g.Line("return false;") })
	g.Line("}")
}

func (g *generator) readSegments(d ir.Decl, segments []lower.Segment) {
	for _, s := range segments {
		if s.Number == 1 {
			g.readPieces(s.Pieces)
			continue
		}
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
	if _, isMessage := d.(*ir.Message); isMessage {
		g.refuseIf("d.exact() && !s.empty()")
		if keeps(d) {
			g.Line("wire::keep_tail(d, s, value.unknown_fields);")
		}
		g.Line("s.at = s.end;")
	}
}

func (g *generator) readPieces(pieces []lower.Piece) {
	for _, p := range pieces {
		if p.IsRun() {
			g.readRun(p)
		} else {
			g.refuseIf(fmt.Sprintf("!wire::read<%s>(d, s, value.%s, depth)", g.shape(p.Field), g.names.Of(p.Field)))
		}
	}
}

func (g *generator) readRun(p lower.Piece) {
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
	if p.Checked {
		g.Line("if constexpr (!Decoder::trusts) {")
		for i, f := range p.Fields {
			if g.program.Traits(f.Type).Checked {
				g.In(func() { g.refuseIf(fmt.Sprintf("!%s::valid(%s)", g.shape(f), at(run, p.Offsets[i]))) })
			}
		}
		g.Line("}")
	}
	for i, f := range p.Fields {
		g.Line("wire::load<%s>(%s, value.%s);", g.shape(f), at(run, p.Offsets[i]), g.names.Of(f))
	}
}

// missing prints what gives a field the value that it has if its segment is
// missing, with memory from a resource.
func (g *generator) missing(f *ir.Field, resource string) {
	if f.Default == nil {
		g.Line("wire::clear(value.%s, %s);", g.names.Of(f), resource)
	} else {
		g.Line("wire::fall_back(value.%s, %s, %s);", g.names.Of(f), g.defaultOf(f), resource)
	}
}

func (g *generator) writePiece(p lower.Piece) {
	if !p.IsRun() {
		g.Line("output = wire::write<%s>(w, output, value.%s, depth);", g.shape(p.Field), g.names.Of(p.Field))
		return
	}
	condition := fmt.Sprintf("!w.room(output, %d)", p.Bytes)
	if p.Levels > 0 {
		condition = fmt.Sprintf("!w.enter(depth + %d) || %s", p.Levels, condition)
	}
	g.Line("if (%s) {", condition)
	g.In(func() { g.Line("return output;") })
	g.Line("}")
	for i, f := range p.Fields {
		if g.program.Traits(f.Type).Closed {
			g.Line("if (!%s::encodable(value.%s)) {", g.shape(f), g.names.Of(f))
			g.In(func() { g.Line("w.refuse();") })
			g.Line("}")
		}
		g.Line("%s::store(%s, value.%s);", g.shape(f), at("output", p.Offsets[i]), g.names.Of(f))
	}
	g.Line("output += %d;", p.Bytes)
}

// cold prints what makes a value that is there as it is when it is new, and what
// shows the fields to what looks at all of them.
func (g *generator) cold(d ir.Decl) {
	used := !isEmpty(d)
	var shown []string
	for _, f := range ir.FieldsOf(d) {
		shown = append(shown, fmt.Sprintf("visit.template field<%s>(%s, value.%s)", g.shape(f), bothNames(f.Name, f.JSONName()), g.names.Of(f)))
	}
	if keeps(d) {
		shown = append(shown, "visit.kept(value.unknown_fields)")
	}
	g.Emit(emit.Vars{
		"value": parameter(used, "value"), "resource": parameter(used, "resource"), "visit": parameter(used, "visit"),
		"shown": func() { g.conjunction(shown) },
		"reset": func() {
			for _, f := range ir.FieldsOf(d) {
				g.missing(f, "resource")
			}
			if keeps(d) {
				g.Line("wire::clear(value.unknown_fields, resource);")
			}
		},
	}, `
		template <class T>
		static void reset(T&$value$, std::pmr::memory_resource*$resource$) {
			$reset$
		}

		template <class Visitor, class T>
		static bool fields(Visitor&$visit$, const T&$value$) {
			$shown$
		}
	`)
}
