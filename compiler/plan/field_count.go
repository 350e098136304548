package plan

import "github.com/serial-data-protocol/sdp/compiler/ir"

// HeldFields is how many fields there are in a value of a type, lists and maps aside: its own, and
// the fields of types that they hold by themselves, as optionals or in arrays. It stops counting
// beyond most, which a type that holds itself has.
func HeldFields(d ir.Decl, most int) int {
	n := 0
	for _, t := range held(d) {
		if n++; n > most {
			break
		}
		if t.Kind == ir.OptionalKind || t.Kind == ir.ArrayKind {
			t = t.Elem
		}
		if t.Decl != nil {
			n += HeldFields(t.Decl, most-n)
		}
	}
	return n
}

// held are the types of a value's parts: fields, or alternatives.
func held(d ir.Decl) []*ir.Type {
	var types []*ir.Type
	for _, f := range ir.FieldsOf(d) {
		types = append(types, f.Type)
	}
	if u, ok := d.(*ir.Union); ok {
		for _, a := range u.Alternatives {
			if a.Type != nil {
				types = append(types, a.Type)
			}
		}
	}
	return types
}
