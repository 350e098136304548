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

// api prints the functions that users call, which are the runtime's but for names.
func (g *generator) api(d ir.Decl, form form) {
	impl, bytes := "impl", "&[u8]"
	if form == borrowed {
		impl, bytes = "impl<'a>", "&'a [u8]"
	}
	size, more := "", ""
	if g.types.FixedDecl(d) {
		size, more = "fixed", ", fixed"
	}
	g.Line("%s %s {", impl, g.ownName(d, form))
	g.In(func() {
		if form == owned {
			g.constants(d)
			g.Line("")
		}
		g.Line("wire::encoding!(%s);", size)
		g.Line("wire::decoding!(%s%s);", bytes, more)
		if form == owned {
			g.Line("wire::decoding_into!(%s);", size)
		}
		if ir.IDOf(d) != nil {
			g.Line("wire::messages!(%s%s);", bytes, more)
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
