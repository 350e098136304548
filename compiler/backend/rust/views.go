package rust

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

// view prints the lazy view of a struct, message or union: bytes that are
// validated once, and read where they lie.
//
// A view of a struct or message keeps a slice for each run of fields of fixed
// size, whose fields then need no check of bounds, and one for each other field.
// They are found once, front to back: by the validator, which passes them all, or
// where a nested view is opened. Only for the last field of a struct its end need
// not be known, and is looked for when the next element of a list is.
func (g *generator) view(d ir.Decl) {
	if g.types.FixedDecl(d) || !g.Has(backend.Views) {
		return // what is fixed is its own view
	}
	if u, ok := d.(*ir.Union); ok {
		g.unionView(u)
	} else {
		g.recordView(d)
	}
	g.viewConversions(d)
	g.form(d, g.types.view(d, "'_"), "0")
	g.viewAPI(d)
}

// view is a struct or message with where its fields lie.
type view struct {
	*lower.View
	parts []part
}

// part is the target of a view's field.
type part struct {
	*lower.ViewPart
	name string
}

func (g *generator) newView(d ir.Decl) *view {
	v := &view{View: lower.NewView(g.program, d, g.types.Fixed)}
	for i, p := range v.Parts {
		name := fmt.Sprintf("run%d", i+1)
		if !p.IsRun() {
			name = "at_" + g.names.Get(p.Field, names.Stem)
		}
		v.parts = append(v.parts, part{p, name})
	}
	return v
}

// spell is the type of the view's field.
func (p part) spell() string {
	if p.IsRun() {
		return fmt.Sprintf("&'a [u8; %d]", p.Bytes)
	}
	return "&'a [u8]"
}

// missing is the target of the view's field where its segment is missing.
func (p part) missing() string {
	if p.IsRun() {
		return fmt.Sprintf("[0; %d]", p.Bytes)
	}
	return "[]"
}

// presences are the fields of the view that say whether a segment is there.
func (v *view) presences() []string {
	var list []string
	for _, s := range v.Body.Segments {
		if v.Defaulted(s.Number) {
			list = append(list, fmt.Sprintf("has%d", s.Number))
		}
	}
	return list
}

// fields are the fields of the view's literal.
func (v *view) fields() []string {
	fields := []string{"bytes"}
	for _, p := range v.parts {
		fields = append(fields, p.name)
	}
	fields = append(fields, v.presences()...)
	if keeps(v.Body.Decl) {
		fields = append(fields, "unknown")
	}
	return fields
}

// recordView prints the view of a struct or message.
func (g *generator) recordView(d ir.Decl) {
	name, v := g.types.view(d, ""), g.newView(d)
	g.Line("/// A window on the bytes of a [`%s`], which were validated once: fields are read", g.names.Of(d))
	g.Line("/// where they lie when they are asked for, without errors and without allocation.")
	g.Line("#[derive(Clone, Copy)]")
	g.Line("pub struct %s<'a> {", name)
	g.In(func() {
		g.Line("bytes: &'a [u8],")
		for _, p := range v.parts {
			g.Line("%s: %s,", p.name, p.spell())
		}
		for _, name := range v.presences() {
			g.Line("%s: bool,", name)
		}
		if keeps(d) {
			g.Line("unknown: &'a [u8],")
		}
	})
	g.Line("}")
	g.Line("")
	g.Emit(emit.Vars{"name": name, "debug": func() { g.debugView(d) }}, `
		impl fmt::Debug for $name$<'_> {
			#[inline]
			fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
				$debug$
			}
		}
	`)
	g.Line("")
	g.openRecord(d, v)
	g.decoder(d, viewed)
}

func (g *generator) debugView(d ir.Decl) {
	name := quote(g.types.view(d, ""))
	if len(ir.FieldsOf(d)) == 0 && !keeps(d) {
		g.Line("f.write_str(%s)", name)
		return
	}
	g.Line("let mut out = f.debug_struct(%s);", name)
	for _, f := range ir.FieldsOf(d) {
		g.call("out.field", []string{quote(g.names.Get(f, names.Shown)), "&self." + g.names.Get(f, names.Reader) + "()"}, ";")
	}
	if keeps(d) {
		g.Line("out.field(%q, &self.unknown_fields());", "unknown_fields")
	}
	g.Line("out.finish()")
}

// viewImpl is how an implementation of a view begins, and the bytes that it is of.
func (g *generator) viewImpl(d ir.Decl) (impl, bytes string) {
	if g.types.view(d, "'a") == g.types.view(d, "") {
		return "impl", "&[u8]"
	}
	return "impl<'a>", "&'a [u8]"
}

// viewAPI prints the functions that users call.
func (g *generator) viewAPI(d ir.Decl) {
	impl, bytes := g.viewImpl(d)
	g.Emit(emit.Vars{"impl": impl, "view": g.types.view(d, "'a"), "bytes": bytes, "more": func() {
		if ir.IDOf(d) != nil {
			g.Line("")
			g.viewMessageAPI(bytes)
		}
		if !isUnion(d) {
			g.accessors(d)
		}
	}}, `
		$impl$ $view$ {
			/// Validates bytes that are one value and nothing else.
			#[inline]
			pub fn new(bytes: $bytes$) -> Result<Self, sdp::Error> {
				Self::with(bytes, wire::DEFAULT)
			}

			/// Validates by options. A view allocates nothing, so that no limit of memory
			/// applies.
			#[inline]
			pub fn with(bytes: $bytes$, options: &sdp::DecodeOptions) -> Result<Self, sdp::Error> {
				wire::decode(bytes, options)
			}
			$more$
		}

	`)
}

func (g *generator) viewMessageAPI(bytes string) {
	g.Emit(emit.Vars{"bytes": bytes}, `
		/// Validates a message that must be of this type.
		#[inline]
		pub fn from_message(bytes: $bytes$) -> Result<Self, sdp::Error> {
			Self::from_message_with(bytes, wire::DEFAULT)
		}

		/// Validates a message that must be of this type by options.
		#[inline]
		pub fn from_message_with(bytes: $bytes$, options: &sdp::DecodeOptions) -> Result<Self, sdp::Error> {
			wire::decode_message(bytes, options)
		}
	`)
}

// accessors prints the functions that read fields.
func (g *generator) accessors(d ir.Decl) {
	v, whole := g.newView(d), "wire::front::<Self>(self.bytes)"
	if v.IsMessage {
		whole = "self.bytes"
	}
	g.Emit(emit.Vars{"whole": whole}, `

		/// The bytes of the value.
		#[inline]
		#[must_use]
		pub fn as_bytes(&self) -> &'a [u8] {
			$whole$
		}
	`)
	named := map[*lower.ViewPart]string{}
	for _, p := range v.parts {
		named[p.ViewPart] = "self." + p.name
	}
	for _, f := range v.Fields {
		g.accessor(f, named[f.Part])
	}
	if keeps(d) {
		g.Emit(nil, `

			/// The segments that this release doesn't know.
			#[inline]
			#[must_use]
			pub fn unknown_fields(&self) -> &'a [u8] {
				self.unknown
			}
		`)
	}
}

// accessor prints the function that reads a field from the part that it lies in.
func (g *generator) accessor(f lower.ViewField, part string) {
	g.Line("")
	doc(g.Printer, &f.Meta, "The field `"+f.Name+"`.")
	g.Line("#[inline]")
	g.Line("#[must_use]")
	g.Line("pub fn %s(&self) -> %s {", g.names.Get(f.Field, names.Reader), g.types.viewType(f.Type))
	g.In(func() {
		if f.Missing == lower.IsDefault {
			g.Line("if !self.has%d {", f.Since)
			g.In(func() { g.Line("return %s;", g.missing(f.Field, borrowed)) })
			g.Line("}")
		}
		switch {
		case f.Part == nil:
			g.Line("%s", g.zero(f.Type, owned))
		case f.Part.IsRun():
			g.Line("%s", g.fromBytes(f.Type, slice(part, f.Part.Offsets[f.Index], g.program.SizeOf(f.Type).Min)))
		default:
			g.Line("%s", g.types.viewText(viewSpellings.Of(g.types.viewForm(f.Type)).read, f.Type, "'_", part))
		}
	})
	g.Line("}")
}
