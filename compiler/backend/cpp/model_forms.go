package cpp

import (
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// forms are the forms that a type is generated in; plain ones have only the owned one.
func (g *generator) forms(d ir.Decl) []form {
	all := []form{owned}
	for i, name := range []backend.Form{borrowed: backend.Borrowed, pooled: backend.Pooled} {
		if !g.types.plain(d) && g.Has(name) {
			all = append(all, form(i))
		}
	}
	return all
}

// makes reports whether a type is generated in a form of its own.
func (g *generator) makes(d ir.Decl, form form) bool { return slices.Contains(g.forms(d), form) }
