package rust

import (
	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// bodyOf is the plan of a declared type. An array too large to be read by value
// interrupts a run.
func (g *generator) bodyOf(d ir.Decl) *plan.Body { return g.program.BodyBy(d, g.types.Fixed) }

// forms are the forms that a type is generated in.
func (g *generator) forms(d ir.Decl) []form {
	if g.types.plain(d) || !g.Has(backend.Borrowed) {
		return []form{owned}
	}
	return []form{owned, borrowed}
}
