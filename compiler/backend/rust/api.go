package rust

import (
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// codecs prints what encodes and decodes a declared type.
func (g *generator) codecs(d ir.Decl) {
	for _, d := range ir.WithInline(d) {
		if _, isEnum := d.(*ir.Enum); isEnum {
			continue
		}
		if s, ok := d.(*ir.Struct); ok && g.types.FixedDecl(d) {
			g.fixedStruct(s)
		}
		for _, form := range g.forms(d) {
			g.identity(d, g.anonymous(d, form), g.types.name(d, owned)+"::MEMORY_FACTOR")
			g.api(d, form)
			g.encoder(d, form)
			g.decoder(d, form)
		}
		g.decoderInto(d)
		if len(g.forms(d)) > 1 {
			g.conversions(d)
		}
		g.view(d)
	}
}

// identity prints what the runtime knows of a form of a type, or of its view, which
// allocates nothing.
func (g *generator) identity(d ir.Decl, name, factor string) {
	g.Emit(emit.Vars{"name": name, "type": g.types.name(d, owned), "factor": factor, "id": func() {
		if ir.IDOf(d) != nil {
			g.Emit(emit.Vars{"name": name, "type": g.types.name(d, owned)}, `
				impl wire::Identified for $name$ {
					const TYPE_ID: u16 = $type$::TYPE_ID;
				}

			`)
		}
	}}, `
		impl wire::Value for $name$ {
			const LAYOUT: &'static str = $type$::LAYOUT;
			const FACTOR: usize = $factor$;
		}

		$id$
	`)
}

// api prints the functions that users call.
func (g *generator) api(d ir.Decl, form form) {
	impl := "impl"
	if form == borrowed {
		impl = "impl<'a>"
	}
	g.Line("%s %s {", impl, g.ownName(d, form))
	g.In(func() {
		if form == owned {
			g.constants(d)
			g.Line("")
		}
		g.encodeAPI(d)
		g.Line("")
		g.decodeAPI(d, form)
		if form == owned {
			g.Line("")
			g.reuseAPI(d)
		}
		if ir.IDOf(d) != nil {
			g.Line("")
			g.messageAPI(d, form)
		}
	})
	g.Line("}")
	g.Line("")
}

func (g *generator) constants(d ir.Decl) {
	if id := ir.IDOf(d); id != nil {
		g.Line("/// The type id in message mode.")
		g.Line("pub const TYPE_ID: u16 = %d;", id.Value)
		g.Line("")
	}
	prints := plan.FingerprintsOf(d)
	g.Line("/// Identifies the layout, all segments together.")
	g.Line("pub const FINGERPRINT: u64 = %s;", fingerprint(prints.Cumulative[len(prints.Cumulative)-1]))
	g.Line("")
	g.Line("/// The layout's fingerprints up to and with each segment: two peers understand each")
	g.Line("/// other if one's list begins with the other's.")
	g.fingerprintList("FINGERPRINTS", prints.Cumulative)
	g.Line("")
	g.Line("/// The fingerprint of each segment by itself.")
	g.fingerprintList("SEGMENT_FINGERPRINTS", prints.Segments)
	g.Line("")
	g.Line("/// Decoding n bytes allocates at most `MEMORY_FACTOR`·n bytes and 64 KiB,")
	g.Line("/// and once, to name a refusal, at most 16 bytes for each byte of `LAYOUT`.")
	g.Line("pub const MEMORY_FACTOR: usize = %s;", integer(uint64(g.types.Factor(d))))
	g.Line("")
	g.Line("/// The canonical text of the layout, from which a peer can tell which field differs.")
	g.Line(`pub const LAYOUT: &'static str = "\`)
	// A backslash skips the end of its line; the spaces of the others belong to the text.
	g.Raw(plan.Layout(d) + "\";\n")
}

func (g *generator) fingerprintList(name string, prints []uint64) {
	var items []string
	for _, n := range prints {
		items = append(items, fingerprint(n))
	}
	g.table("pub const "+name+": &'static [u64] =", "", items, "")
}

func (g *generator) encodeAPI(d ir.Decl) {
	vars := emit.Vars{
		"vec": "wire::encode_to_vec(self)", "slice": "wire::encode_to_slice(self, out)",
		"append": func() { g.Line("wire::append(self, out)") },
	}
	if g.types.FixedDecl(d) {
		vars = emit.Vars{
			"vec": "Ok(wire::fixed_to_vec(self))", "slice": "wire::fixed_to_slice(self, out)",
			"append": func() {
				g.Line("wire::append_fixed(self, out);")
				g.Line("Ok(())")
			},
		}
	}
	g.Emit(vars, `
		/// How many bytes the encoding has. Of a value that can't be encoded it means
		/// nothing.
		#[must_use]
		pub fn encoded_size(&self) -> usize {
			wire::Encode::sdp_size(self, 1)
		}

		/// Returns the encoding in memory of its own.
		#[inline]
		pub fn encode_to_vec(&self) -> Result<Vec<u8>, sdp::Error> {
			$vec$
		}

		/// Writes the encoding to the front of a slice and returns its length.
		#[inline]
		pub fn encode_to_slice(&self, out: &mut [u8]) -> Result<usize, sdp::Error> {
			$slice$
		}

		/// Appends the encoding. It allocates only if there is no room; an error leaves
		/// the vector as it was.
		#[inline]
		pub fn append(&self, out: &mut Vec<u8>) -> Result<(), sdp::Error> {
			$append$
		}

		/// Reports the first thing that encoding would refuse.
		pub fn validate(&self) -> Result<(), sdp::Error> {
			wire::validate(self)
		}
	`)
}

func (g *generator) decodeAPI(d ir.Decl, form form) {
	bytes := "&[u8]"
	if form == borrowed {
		bytes = "&'a [u8]"
	}
	decode := "wire::decode"
	if g.types.FixedDecl(d) {
		decode = "wire::decode_fixed"
	}
	g.Emit(emit.Vars{"bytes": bytes, "decode": decode}, `
		/// Decodes bytes that are one value and nothing else.
		#[inline]
		pub fn decode(bytes: $bytes$) -> Result<Self, sdp::Error> {
			Self::decode_with(bytes, wire::DEFAULT)
		}

		/// Decodes only bytes that encode to the same bytes again: no segment may be
		/// missing or unknown. It is for what is signed or hashed.
		pub fn decode_exact(bytes: $bytes$) -> Result<Self, sdp::Error> {
			Self::decode_with(bytes, &sdp::DecodeOptions::new().with_exact(true))
		}

		/// Decodes by options.
		#[inline]
		pub fn decode_with(bytes: $bytes$, options: &sdp::DecodeOptions) -> Result<Self, sdp::Error> {
			$decode$(bytes, options)
		}

		/// Decodes a value from the start of bytes, and says how many it has. A message
		/// has no end of its own and takes all of them.
		pub fn decode_prefix(bytes: $bytes$) -> Result<(Self, usize), sdp::Error> {
			Self::decode_prefix_with(bytes, wire::DEFAULT)
		}

		/// Decodes a value from the start of bytes by options.
		pub fn decode_prefix_with(bytes: $bytes$, options: &sdp::DecodeOptions) -> Result<(Self, usize), sdp::Error> {
			wire::decode_prefix(bytes, options)
		}
	`)
}

func (g *generator) reuseAPI(d ir.Decl) {
	body := func() { g.Line("wire::decode_into(self, bytes, options)") }
	if g.types.FixedDecl(d) {
		body = func() {
			g.Line("*self = wire::decode_fixed(bytes, options)?;")
			g.Line("Ok(())")
		}
	}
	g.Emit(emit.Vars{"body": body}, `
		/// Decodes into this value and reuses its memory. After an error it holds a part
		/// of the value.
		#[inline]
		pub fn decode_into(&mut self, bytes: &[u8]) -> Result<(), sdp::Error> {
			self.decode_into_with(bytes, wire::DEFAULT)
		}

		/// Decodes into this value by options.
		pub fn decode_into_with(&mut self, bytes: &[u8], options: &sdp::DecodeOptions) -> Result<(), sdp::Error> {
			$body$
		}
	`)
}

func (g *generator) messageAPI(d ir.Decl, form form) {
	bytes := "&[u8]"
	if form == borrowed {
		bytes = "&'a [u8]"
	}
	vars := emit.Vars{"bytes": bytes, "slice": "wire::message_to_slice", "decode": "wire::decode_message"}
	if g.types.FixedDecl(d) {
		vars["slice"], vars["decode"] = "wire::fixed_message_to_slice", "wire::decode_fixed_message"
	}
	g.Emit(vars, `
		/// Returns the value in message mode in memory of its own.
		pub fn message_to_vec(&self) -> Result<Vec<u8>, sdp::Error> {
			wire::message_to_vec(self)
		}

		/// Writes the value in message mode to the front of a slice and returns its
		/// length.
		pub fn message_to_slice(&self, out: &mut [u8]) -> Result<usize, sdp::Error> {
			$slice$(self, out)
		}

		/// Appends the value in message mode: the header, then the encoding.
		pub fn append_message(&self, out: &mut Vec<u8>) -> Result<(), sdp::Error> {
			wire::append_message(self, out)
		}

		/// Decodes a message that must be of this type.
		pub fn decode_message(bytes: $bytes$) -> Result<Self, sdp::Error> {
			Self::decode_message_with(bytes, wire::DEFAULT)
		}

		/// Decodes a message that must be of this type by options.
		pub fn decode_message_with(bytes: $bytes$, options: &sdp::DecodeOptions) -> Result<Self, sdp::Error> {
			$decode$(bytes, options)
		}
	`)
}
