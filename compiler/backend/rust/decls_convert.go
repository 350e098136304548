package rust

import (
	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// conversions prints the table of a type of which the runtime makes how the owned and the
// borrowed form are made of each other.
func (g *generator) conversions(d ir.Decl) {
	own, ref := g.types.name(d, owned), g.types.name(d, borrowed)
	switch {
	case !g.Has(backend.Borrowed):
		return
	case own == ref:
		g.Line("wire::plain_form! { %s }", own)
		g.Line("")
		return
	}
	macro, rows := "wire::record_forms", func() { g.fieldForms(d) }
	if u, ok := d.(*ir.Union); ok {
		macro, rows = "wire::union_forms", func() {
			for _, a := range u.Alternatives {
				g.Line("%s%s,", g.names.Of(a), map[bool]string{true: "(payload)"}[a.Type != nil])
			}
			if !u.Closed {
				g.Line("..Unknown")
			}
		}
	}
	g.table(macro, own+", "+ref, rows)
}

func (g *generator) fieldForms(d ir.Decl) {
	for _, f := range ir.FieldsOf(d) {
		g.Line("%s,", g.names.Of(f))
	}
	m, isMessage := d.(*ir.Message)
	switch {
	case isMessage && m.KeepUnknown:
		g.Line("unknown_fields,")
	case isMessage:
		g.Line("..borrowed")
	}
}

func isUnion(d ir.Decl) bool { return ir.KindOf(d) == ir.UnionKind }
