package rust

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// codecs prints what encodes and decodes a declared type.
func (g *generator) codecs(d ir.Decl) {
	for _, d := range ir.WithInline(d) {
		if _, isEnum := d.(*ir.Enum); isEnum {
			continue
		}
		g.declared(d)
		if s, ok := d.(*ir.Struct); ok && g.types.FixedDecl(d) {
			g.fixedStruct(s)
		}
		for _, form := range g.forms(d) {
			if form == borrowed {
				g.form(d, g.anonymous(d, form), g.types.name(d, owned)+"::MEMORY_FACTOR")
			}
			g.api(d, form)
			g.encoder(d, form)
			g.decoder(d, form)
		}
		if g.owns(d) {
			g.decoderInto(d)
			g.conversions(d)
		}
		g.view(d)
	}
}

// declared prints the table of a type, of which the runtime makes its constants.
func (g *generator) declared(d ir.Decl) {
	g.table("wire::declared", g.types.name(d, owned), func() {
		if id := ir.IDOf(d); id != nil {
			g.Line("TYPE_ID = %d;", id.Value)
		}
		prints := plan.FingerprintsOf(d)
		g.Line("FINGERPRINTS = [%s];", fingerprints(prints.Cumulative))
		g.Line("SEGMENT_FINGERPRINTS = [%s];", fingerprints(prints.Segments))
		g.Line("MEMORY_FACTOR = %s;", integer(uint64(g.types.Factor(d))))
		part := plan.LayoutPartOf(d)
		var types []string
		for _, named := range part.Types {
			types = append(types, g.types.name(named, owned))
		}
		g.Line("types = [%s];", strings.Join(types, ", "))
		g.Line(`layout = "\`)
		// A backslash skips the end of its line; the spaces of the others belong to the text.
		g.Raw(part.Text + "\";\n")
	})
}

func fingerprints(prints []uint64) string {
	var items []string
	for _, n := range prints {
		items = append(items, fingerprint(n))
	}
	return strings.Join(items, ", ")
}

// form prints what the runtime knows of a borrowed form of a type, or of its view, which
// allocates nothing.
func (g *generator) form(d ir.Decl, name, factor string) {
	parts := []string{name, g.types.name(d, owned), factor}
	if ir.IDOf(d) != nil {
		parts = append(parts, g.types.name(d, owned)+"::TYPE_ID")
	}
	g.Line("wire::form! { %s }", strings.Join(parts, ", "))
	g.Line("")
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
