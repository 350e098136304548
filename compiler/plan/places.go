package plan

import "github.com/serial-data-protocol/sdp/compiler/ir"

// Place is where a field lies in the bytes of what it is in.
type Place struct {
	Field *ir.Field
	// Before is the size of the fields before it, so that its offset is from the smallest
	// to the largest of that.
	Before, Size Size
}

// Places are those of all fields of a struct or message.
func (p *Program) Places(d ir.Decl) []Place {
	var places []Place
	before := fixedSize(0)
	for _, f := range ir.FieldsOf(d) {
		size := p.SizeOf(f.Type)
		places = append(places, Place{f, before, size})
		before = before.With(size)
	}
	return places
}
