package rust

import "github.com/serial-data-protocol/sdp/compiler/ir"

// enum prints an enum, whose functions and traits the runtime makes of a table.
func (g *generator) enum(e *ir.Enum) {
	base := scalars.Of(e.Base).name
	open := map[bool]string{true: "It is closed: other numbers are refused.", false: "It is open: numbers that have no name here are kept."}[e.Closed]
	doc(g.Printer, &e.Meta, "An enum of the schema. "+open)
	g.Line("#[derive(Clone, Copy)]")
	if !e.Closed {
		g.Line("#[non_exhaustive]")
	}
	g.Line("pub enum %s {", g.names.Of(e))
	g.In(func() {
		for _, m := range e.Members {
			doc(g.Printer, &m.Meta, "The member `"+m.Name+"`.")
			g.Line("%s,", g.names.Of(m))
		}
		if !e.Closed {
			g.Line("/// A number that has no name here.")
			g.Line("Unknown(%s),", base)
		}
	})
	g.Line("}")
	g.Line("")
	g.table("wire::"+openness(e.Closed)+"_enum", g.names.Of(e)+": "+base+", "+quote(ir.FullName(e)), func() {
		for _, m := range e.Members {
			g.Line("%s = %s %s,", g.names.Of(m), enumNumber(e, m), quote(m.Name))
		}
	})
}

// enumNumber is a member's number as a literal of the base.
func enumNumber(e *ir.Enum, m *ir.EnumMember) string {
	if e.Base.Class() == ir.UnsignedClass {
		return integer(uint64(m.Number))
	}
	return signed(m.Number)
}
