// Package lower turns a plan into the procedures of generated code: reading,
// writing, measuring, stepping over. It says which statement stands where, and a
// language spells the statements. A statement that is new is a method that every
// language lacks until it spells it.
package lower

import (
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// Speller spells the statements of one procedure in one language. Each is about a
// value at a place: an expression, a variable to be made, or nowhere, as the
// language has it. Reading into nowhere is validating.
//
// Statements that hold others get them as functions, to be called where they belong,
// once each, with the place of the value that they are about.
type Speller[P any] interface {
	// Field is the place of a field of the value that is at a place.
	Field(p P, f *ir.Field) P

	// Charge takes levels and elements from the rest of the limits.
	Charge(p P, traits plan.Traits)
	// Run is fields, or one value, of fixed size that are there together or not at
	// all, and may have no bytes. Its charges are made.
	Run(p P, run *plan.Run)
	// Text is a str.
	Text(p P, t *ir.Type)
	// Blob is bytes.
	Blob(p P, t *ir.Type)
	// Items is a list whose elements are runs. Each visits an element in a loop, where the language
	// does not spell all elements as one.
	Items(p P, t *ir.Type, run *plan.Run, visit func(P))
	// List is a list whose elements take least bytes or more.
	List(p P, t *ir.Type, least uint64, visit func(P))
	// Array is one that is no part of a run.
	Array(p P, t *ir.Type, visit func(P))
	// Map is a map whose entries take least bytes or more.
	Map(p P, t *ir.Type, least uint64, key, value func(P))
	// Optional is a presence byte and the value that it announces.
	Optional(p P, t *ir.Type, there func(P))
	// Call leaves a struct or union to its own procedure.
	Call(p P, t *ir.Type)
	// Window leaves a message to its own procedure, within its length.
	Window(p P, t *ir.Type)

	// Segment is the fields of a message's later segment, which may be missing.
	Segment(p P, m *ir.Message, s *plan.Segment, there func())
	// Tail is the rest of a message behind its last segment.
	Tail(p P, m *ir.Message)
	// Union is a tag and the alternative that it chooses among the cases.
	Union(p P, u *ir.Union, cases func())
	// Case is one alternative of a union. Payload spells nothing where it has none.
	Case(p P, u *ir.Union, a *plan.Alternative, payload func(P))
}

// Plain is a part of the spellers of procedures that have all segments, and charge
// nothing.
type Plain[P any] struct{}

// Charge spells nothing.
func (Plain[P]) Charge(P, plan.Traits) {}

// Segment spells the fields.
func (Plain[P]) Segment(_ P, _ *ir.Message, _ *plan.Segment, there func()) { there() }

// Body spells what a struct, message or union consists of.
func Body[P any](s Speller[P], p P, body *plan.Body) {
	if u, ok := body.Decl.(*ir.Union); ok {
		s.Union(p, u, func() {
			for _, a := range body.Alternatives {
				s.Case(p, u, a, func(p P) {
					if a.Op != nil {
						Value(s, p, a.Op)
					}
				})
			}
		})
		return
	}
	m, isMessage := body.Decl.(*ir.Message)
	for _, segment := range body.Segments {
		fields := func() { Fields(s, p, segment) }
		if segment.Number == 1 {
			fields()
		} else {
			s.Segment(p, m, segment, fields)
		}
	}
	if isMessage {
		s.Tail(p, m)
	}
}

// Fields spells the ops of a segment of the value that is at a place.
func Fields[P any](s Speller[P], p P, segment *plan.Segment) {
	for _, op := range segment.Ops {
		if f := op.OpField(); f != nil {
			Value(s, s.Field(p, f), op)
		} else {
			Value(s, p, op)
		}
	}
}

// Value spells one op about the value that is at a place.
func Value[P any](s Speller[P], p P, op plan.Op) {
	switch op := op.(type) {
	case *plan.Run:
		s.Charge(p, op.Traits)
		s.Run(p, op)
	case *plan.Text:
		s.Text(p, op.Type)
	case *plan.Blob:
		s.Blob(p, op.Type)
	case *plan.List:
		each := func(p P) { Value(s, p, op.Elem) }
		if run, ok := op.Elem.(*plan.Run); ok {
			s.Items(p, op.Type, run, each)
		} else {
			s.List(p, op.Type, op.ElemSize.Min, each)
		}
	case *plan.Array:
		s.Charge(p, op.Traits)
		s.Array(p, op.Type, func(p P) {
			if run, ok := op.Elem.(*plan.Run); ok {
				s.Run(p, run)
			} else {
				Value(s, p, op.Elem)
			}
		})
	case *plan.Optional:
		s.Optional(p, op.Type, func(p P) { Value(s, p, op.Elem) })
	case *plan.Map:
		s.Map(p, op.Type, op.EntrySize.Min,
			func(p P) { Value(s, p, op.Key) }, func(p P) { Value(s, p, op.Value) })
	case *plan.NestedType:
		if op.Type.Kind == ir.MessageKind {
			s.Window(p, op.Type)
		} else {
			s.Call(p, op.Type)
		}
	default:
		panic("lower: no statement is for the op")
	}
}
