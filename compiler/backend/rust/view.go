package rust

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
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
	if g.types.FixedDecl(d) {
		return // it is its own view
	}
	if u, ok := d.(*ir.Union); ok {
		g.unionView(u)
	} else {
		g.recordView(d)
	}
	g.viewIdentity(d)
	g.viewAPI(d)
}

// part is a piece of a struct or message with the field of the view that refers
// to its bytes.
type part struct {
	backend.Piece
	name    string
	segment int
}

// parts are those of a struct or message. Fields that take no bytes have none.
func (g *generator) parts(d ir.Decl) []part {
	var list []part
	for _, s := range g.segments(d) {
		for _, p := range s.Pieces {
			switch {
			case p.IsRun():
				list = append(list, part{p, fmt.Sprintf("run%d", len(list)+1), s.Number})
			case !g.types.Fixed(p.Field.Type):
				list = append(list, part{p, "at_" + g.names.Get(p.Field, names.Stem), s.Number})
			}
		}
	}
	return list
}

// spell is the type of the view's field.
func (p part) spell() string {
	if p.IsRun() {
		return fmt.Sprintf("&'a [u8; %d]", p.Bytes)
	}
	return "&'a [u8]"
}

// missing is what the view's field refers to where its segment is missing.
func (p part) missing() string {
	if p.IsRun() {
		return fmt.Sprintf("[0; %d]", p.Bytes)
	}
	return "[]"
}

// defaulted are the segments of which some fields have another value than zero
// where they are missing.
func defaulted(d ir.Decl) []int {
	var numbers []int
	for _, f := range ir.FieldsOf(d) {
		if f.Default != nil && (len(numbers) == 0 || numbers[len(numbers)-1] < f.Since) {
			numbers = append(numbers, f.Since)
		}
	}
	return numbers
}

func isDefaulted(d ir.Decl, segment int) bool {
	for _, number := range defaulted(d) {
		if number == segment {
			return true
		}
	}
	return false
}

// recordView prints the view of a struct or message.
func (g *generator) recordView(d ir.Decl) {
	name := g.types.view(d, "")
	g.Line("/// A window on the bytes of a [`%s`], which were validated once: fields are read", g.names.Of(d))
	g.Line("/// where they lie when they are asked for, without errors and without allocation.")
	g.Line("pub struct %s<'a> {", name)
	g.In(func() {
		g.Line("bytes: &'a [u8],")
		for _, p := range g.parts(d) {
			g.Line("%s: %s,", p.name, p.spell())
		}
		for _, number := range defaulted(d) {
			g.Line("has%d: bool,", number)
		}
		if keeps(d) {
			g.Line("unknown: &'a [u8],")
		}
	})
	g.Line("}")
	g.Line("")
	g.Emit(emit.Vars{"name": name, "debug": func() { g.debugView(d) }}, `
		impl Clone for $name$<'_> {
			fn clone(&self) -> Self {
				*self
			}
		}

		impl Copy for $name$<'_> {}

		impl fmt::Debug for $name$<'_> {
			fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
				$debug$
			}
		}
	`)
	g.Line("")
	g.openRecord(d)
	g.recordValidator(d)
	g.viewConversion(d, owned)
	if !g.types.plain(d) {
		g.viewConversion(d, borrowed)
	}
}

func (g *generator) debugView(d ir.Decl) {
	name := quote(g.types.view(d, ""))
	if len(ir.FieldsOf(d)) == 0 && !keeps(d) {
		g.Line("f.write_str(%s)", name)
		return
	}
	g.Line("let mut out = f.debug_struct(%s);", name)
	for _, f := range ir.FieldsOf(d) {
		g.call("out.field", []string{quote(g.names.Get(f, names.Stem)), "&self." + g.names.Get(f, names.Reader) + "()"}, ";")
	}
	if keeps(d) {
		g.Line("out.field(%q, &self.unknown_fields());", "unknown_fields")
	}
	g.Line("out.finish()")
}

// viewConversion prints how a form is made of a view of a struct or message: its
// bytes are decoded once more.
func (g *generator) viewConversion(d ir.Decl, form form) {
	impl, view := "impl", g.types.view(d, "'_")
	if form == borrowed {
		impl, view = "impl<'a>", g.types.view(d, "'a")
	}
	g.Emit(emit.Vars{"impl": impl, "view": view, "form": g.types.decl(d, form)}, `
		$impl$ From<$view$> for $form$ {
			fn from(view: $view$) -> Self {
				wire::known_owned(view.bytes)
			}
		}
	`)
	g.Line("")
}

// viewIdentity prints what the runtime knows of a view.
func (g *generator) viewIdentity(d ir.Decl) {
	vars := emit.Vars{"view": g.types.view(d, "'_"), "type": g.types.name(d, owned)}
	g.Emit(vars, `
		impl wire::Value for $view$ {
			const LAYOUT: &'static str = $type$::LAYOUT;
			const FACTOR: usize = 0;
		}
	`)
	g.Line("")
	if ir.IDOf(d) != nil {
		g.Emit(vars, `
			impl wire::Identified for $view$ {
				const TYPE_ID: u16 = $type$::TYPE_ID;
			}
		`)
		g.Line("")
	}
}

// viewAPI prints the functions that users call.
func (g *generator) viewAPI(d ir.Decl) {
	impl, bytes := "impl<'a>", "&'a [u8]"
	if g.types.view(d, "'a") == g.types.view(d, "") {
		impl, bytes = "impl", "&[u8]"
	}
	g.Line("%s %s {", impl, g.types.view(d, "'a"))
	g.In(func() {
		g.Emit(emit.Vars{"bytes": bytes}, `
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
		`)
		if ir.IDOf(d) != nil {
			g.Line("")
			g.viewMessageAPI(bytes)
		}
		if !isUnion(d) {
			g.accessors(d)
		}
	})
	g.Line("}")
	g.Line("")
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
	`)
	g.call("pub fn from_message_with", []string{"bytes: " + bytes, "options: &sdp::DecodeOptions"}, " -> Result<Self, sdp::Error> {")
	g.In(func() { g.Line("wire::decode_message(bytes, options)") })
	g.Line("}")
}

// accessors prints the functions that read fields.
func (g *generator) accessors(d ir.Decl) {
	whole := "wire::front::<Self>(self.bytes)"
	if _, isMessage := d.(*ir.Message); isMessage {
		whole = "self.bytes"
	}
	g.Emit(emit.Vars{"whole": whole}, `

		/// The bytes of the value.
		#[must_use]
		pub fn as_bytes(&self) -> &'a [u8] {
			$whole$
		}
	`)
	read := map[*ir.Field]func(){}
	for _, p := range g.parts(d) {
		if !p.IsRun() {
			read[p.Field] = func() { g.readPart(p) }
		}
		for i, f := range p.Fields {
			read[f] = func() { g.Line("%s", g.fromRun(f, "self."+p.name, p.Piece, i)) }
		}
	}
	for _, f := range ir.FieldsOf(d) {
		g.accessor(f, read[f])
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

// accessor prints the function that reads a field; read is nil for one without
// bytes.
func (g *generator) accessor(f *ir.Field, read func()) {
	g.Line("")
	doc(g.Printer, &f.Meta, "The field `"+f.Name+"`.")
	g.Line("#[inline]")
	g.Line("#[must_use]")
	g.Line("pub fn %s(&self) -> %s {", g.names.Get(f, names.Reader), g.viewType(f.Type))
	g.In(func() {
		if f.Default != nil {
			g.Line("if !self.has%d {", f.Since)
			g.In(func() { g.Line("return %s;", g.missing(f, borrowed)) })
			g.Line("}")
		}
		if read == nil {
			g.Line("%s", g.zero(f.Type, owned))
			return
		}
		read()
	})
	g.Line("}")
}
