package lower

import (
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// ItemSpeller spells the statements that a run consists of, in a language that
// loads and stores its values one by one.
type ItemSpeller[P any] interface {
	// Item is the place of an item of the run at a place.
	Item(p P, item plan.Item) P
	// Bools is about all bools of a run together, each of which is a Scalar too.
	Bools(bools []P)
	// Scalar is one scalar.
	Scalar(p P, t *ir.Type)
	// Scalars is an array of scalars. Each visits an element in a loop.
	Scalars(p P, t *ir.Type, elem *plan.Run, visit func(P))
	// Elements is an array of anything else of fixed size.
	Elements(p P, t *ir.Type, elem *plan.Run, visit func(P))
	// Struct is one that is too large to be items itself.
	Struct(p P, body *plan.Body)
}

// Items spells the items of a run whose bytes are there.
func Items[P any](s ItemSpeller[P], p P, run *plan.Run) {
	var bools []P
	for _, item := range run.Items {
		if item.Type.Kind == ir.Bool {
			bools = append(bools, s.Item(p, item))
		}
	}
	if len(bools) > 0 {
		s.Bools(bools)
	}
	for _, item := range run.Items {
		place := s.Item(p, item)
		each := func(p P) { Items(s, p, item.Elem) }
		switch {
		case item.Body != nil:
			s.Struct(place, item.Body)
		case item.Elem == nil:
			s.Scalar(place, item.Type)
		case item.Type.Elem.Scalar() != 0:
			s.Scalars(place, item.Type, item.Elem, each)
		default:
			s.Elements(place, item.Type, item.Elem, each)
		}
	}
}
