package vectors

import "github.com/serial-data-protocol/sdp/compiler/interp"

// nestedMost is how many values of declared types an item that is damaged lies in, the
// outermost among them. A type has vectors of its own, so that within another only its own items are
// damaged, and not once more the items of all types below: their number would be multiplied with
// each level.
const nestedMost = 2

// nest follows which values a walk has open.
type nest struct {
	open []openValue
	// levels is how many of them are structs, messages and unions, and types is how many
	// have vectors of their own: all but inline alternatives.
	levels, types int
}

// openValue is a value that is open.
type openValue struct {
	item          int // its index, or -1 where it is none
	window        int // the offset of its length, or -1
	levels, types int // its part of the sums
}

// opens adds a value that an event opens.
func (n *nest) opens(e *interp.Event, item int) {
	one := openValue{item: item, window: -1}
	switch e.Kind {
	case interp.StructEvent, interp.MessageEvent, interp.UnionEvent:
		one.levels, one.types = 1, 1
		if e.Kind == interp.StructEvent && e.Type.Struct().Owner != nil {
			one.types = 0
		}
		if e.Kind == interp.MessageEvent && len(e.Raw) > 0 {
			one.window = int(e.Offset)
		}
	case interp.ListEvent, interp.ArrayEvent, interp.MapEvent:
	default:
		return
	}
	n.levels, n.types = n.levels+one.levels, n.types+one.types
	n.open = append(n.open, one)
}

// closes takes the value that an end closes.
func (n *nest) closes() openValue {
	last := n.open[len(n.open)-1]
	n.open = n.open[:len(n.open)-1]
	n.levels, n.types = n.levels-last.levels, n.types-last.types
	return last
}

// windows are the offsets of the lengths that the open values have, outermost first.
func (n *nest) windows() []int {
	var all []int
	for _, o := range n.open {
		if o.window >= 0 {
			all = append(all, o.window)
		}
	}
	return all
}
