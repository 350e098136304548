package tests

import (
	"fmt"
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

// alternative is one that values of Go hold as a Type, with the path of its package, and
// that views read by Reader. It is Wrapped if the type is a struct around the payload.
type alternative struct {
	Type, Reader string
	Wrapped      bool
}

// goModel adds the alternatives of all unions that values of a package may hold.
func goModel(m *model, table *names.Table, pkg *ir.Package, options backend.Options) {
	if !m.Views {
		return
	}
	for _, pkg := range reached(pkg) {
		for _, d := range pkg.Decls {
			u, isUnion := d.(*ir.Union)
			if !isUnion {
				continue
			}
			for _, a := range u.Alternatives {
				name := fmt.Sprintf("%s.%s", options.Imports[pkg], table.Of(a))
				m.Alternatives = append(m.Alternatives, alternative{name, table.Get(a, names.Reader), a.Inline == nil})
			}
		}
	}
}

// reached are a package and all that it imports, and those import.
func reached(root *ir.Package) []*ir.Package {
	all := []*ir.Package{root}
	for i := 0; i < len(all); i++ {
		for _, imported := range all[i].Imports {
			if !slices.Contains(all, imported.Package) {
				all = append(all, imported.Package)
			}
		}
	}
	return all
}
