package rust

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// fixedStruct prints the table by which a struct of fixed size is read and written by
// value.
func (g *generator) fixedStruct(s *ir.Struct) {
	body := g.program.Body(s)
	head := fmt.Sprintf("%s: %d, %d, %d", g.types.name(s, owned), body.Size.Min, body.Traits.Levels, body.Traits.Elements)
	g.table("wire::fixed_struct", head, func() {
		for _, f := range s.Fields {
			g.Line("%s: %s,", g.names.Of(f), g.types.spell(f.Type, owned))
		}
	})
}

// fromBytes is a value of fixed size out of its bytes.
func (g *generator) fromBytes(t *ir.Type, bytes string) string {
	spelt := g.types.spell(t, owned)
	if spelt[0] == '[' {
		spelt = "wire::Fixed" // the place for an array says its type
	} else {
		g.usesFixed = true
	}
	return spelt + "::sdp_from(" + bytes + ")"
}

// slice is the bytes of a field in a run.
func slice(run string, offset, bytes uint64) string {
	return fmt.Sprintf("&%s[%d..%d]", run, offset, offset+bytes)
}
