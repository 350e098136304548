package rust

import (
	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// bodyOf is the plan of a declared type. An array too large to be read by value
// interrupts a run.
func (g *generator) bodyOf(d ir.Decl) *plan.Body { return g.program.BodyBy(d, g.types.Fixed) }

// forms are the forms that a type is generated in, the owned one first. It is the only one of a plain type.
func (g *generator) forms(d ir.Decl) (list []form) {
	if g.owns(d) {
		list = append(list, owned)
	}
	if !g.types.plain(d) && g.Has(backend.Borrowed) {
		list = append(list, borrowed)
	}
	return list
}

// owns reports whether a type has its owned form.
func (g *generator) owns(d ir.Decl) bool { return g.Has(backend.Owned) || g.types.plain(d) }
