package golang

import (
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// jsons prints what users call for the canonical JSON of types, which the runtime
// writes and reads by their tags and tables.
func (g *generator) jsons() {
	for _, d := range g.pkg.Decls {
		if _, isEnum := d.(*ir.Enum); !isEnum {
			g.jsonEntry(g.names.Of(d))
		}
	}
}

func (g *generator) jsonEntry(name string) {
	g.block(emit.Vars{"name": name}, `
		// AppendJSON appends the canonical JSON of v to b. An error leaves the length of
		// b as it was.
		func (v *$name$) AppendJSON(b []byte) ([]byte, error) { return sdp.AppendJSON(b, v) }

		// MarshalJSON returns the canonical JSON of v. encoding/json escapes some
		// characters of it once more; AppendJSON doesn't.
		func (v $name$) MarshalJSON() ([]byte, error) { return sdp.AppendJSON(nil, &v) }

		// String returns the canonical JSON of v, or what keeps v from having one.
		func (v $name$) String() string { return sdp.Text(&v) }

		// UnmarshalJSON reads v from JSON. It replaces all of v.
		func (v *$name$) UnmarshalJSON(text []byte) error { return sdp.ReadJSON(text, v) }
	`)
}
