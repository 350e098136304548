package lower

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// ViewForm is how a view hands out a value of a type.
type ViewForm uint8

// The forms of values in views.
const (
	ViewValue ViewForm = iota // as a value, which is one piece of bytes
	ViewStr
	ViewBytes
	ViewItems     // a list of values
	ViewList      // a list of views
	ViewItemArray // an array of values that isn't one itself
	ViewArray
	ViewMap
	ViewOptional
	ViewDeclared // a struct or union
	ViewMessage
	viewForms int = iota
)

// ViewFormOf is the form of a type in a language that holds values as fixed says
// as one piece of bytes.
func ViewFormOf(t *ir.Type, fixed func(*ir.Type) bool) ViewForm {
	if fixed(t) {
		return ViewValue
	}
	switch t.Kind {
	case ir.StrKind:
		return ViewStr
	case ir.BytesKind:
		return ViewBytes
	case ir.ListKind:
		if fixed(t.Elem) {
			return ViewItems
		}
		return ViewList
	case ir.ArrayKind:
		if fixed(t.Elem) {
			return ViewItemArray
		}
		return ViewArray
	case ir.MapKind:
		return ViewMap
	case ir.OptionalKind:
		return ViewOptional
	case ir.StructKind, ir.UnionKind:
		return ViewDeclared
	case ir.MessageKind:
		return ViewMessage
	}
	panic(fmt.Sprintf("lower: a view hands out no kind %d", t.Kind))
}

// IsArray reports whether there are as many elements as the type says.
func (f ViewForm) IsArray() bool { return f == ViewItemArray || f == ViewArray }

// PerViewForm is a table of forms in views.
type PerViewForm[T any] = Table[ViewForm, T]

// MustPerViewForm makes a table, and panics where a form has no row.
func MustPerViewForm[T any](rows map[ViewForm]T) PerViewForm[T] { return mustTable(viewForms, rows) }
