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
	Field(at P, f *ir.Field) P

	// Charge takes levels and elements from what the limits leave.
	Charge(at P, traits plan.Traits)
	// Run is fields, or one value, of fixed size that are there together or not at
	// all, and may have no bytes. What it charges is charged.
	Run(at P, run *plan.Run)
	// Text is a str.
	Text(at P, t *ir.Type)
	// Blob is bytes.
	Blob(at P, t *ir.Type)
	// Items is a list whose elements are runs. Each is what a loop over them repeats,
	// where the language does not spell them as one.
	Items(at P, t *ir.Type, run *plan.Run, each func(P))
	// List is a list whose elements take least bytes or more.
	List(at P, t *ir.Type, least uint64, each func(P))
	// Array is one that is no part of a run.
	Array(at P, t *ir.Type, each func(P))
	// Map is a map whose entries take least bytes or more.
	Map(at P, t *ir.Type, least uint64, key, value func(P))
	// Optional is a presence byte and what is there or not.
	Optional(at P, t *ir.Type, there func(P))
	// Call leaves a struct or union to its own procedure.
	Call(at P, t *ir.Type)
	// Window leaves a message to its own procedure, within its length.
	Window(at P, t *ir.Type)

	// Segment is the fields of a message's later segment, which may be missing.
	Segment(at P, m *ir.Message, s *plan.Segment, there func())
	// Tail is what a message has behind its last segment.
	Tail(at P, m *ir.Message)
	// Union is a tag and the alternative that it chooses among the cases.
	Union(at P, u *ir.Union, cases func())
	// Case is one alternative of a union. Payload spells nothing where it has none.
	Case(at P, u *ir.Union, a *plan.Alternative, payload func(P))
}

// Plain is a part of the spellers of procedures that have all segments, and charge
// nothing.
type Plain[P any] struct{}

// Charge spells nothing.
func (Plain[P]) Charge(P, plan.Traits) {}

// Segment spells the fields.
func (Plain[P]) Segment(_ P, _ *ir.Message, _ *plan.Segment, there func()) { there() }

// Body spells what a struct, message or union consists of.
func Body[P any](s Speller[P], at P, body *plan.Body) {
	if u, ok := body.Decl.(*ir.Union); ok {
		s.Union(at, u, func() {
			for _, a := range body.Alternatives {
				s.Case(at, u, a, func(at P) {
					if a.Op != nil {
						Value(s, at, a.Op)
					}
				})
			}
		})
		return
	}
	m, isMessage := body.Decl.(*ir.Message)
	for _, segment := range body.Segments {
		fields := func() { Fields(s, at, segment) }
		if segment.Number == 1 {
			fields()
		} else {
			s.Segment(at, m, segment, fields)
		}
	}
	if isMessage {
		s.Tail(at, m)
	}
}

// Fields spells the ops of a segment of the value that is at a place.
func Fields[P any](s Speller[P], at P, segment *plan.Segment) {
	for _, op := range segment.Ops {
		if f := op.OpField(); f != nil {
			Value(s, s.Field(at, f), op)
		} else {
			Value(s, at, op)
		}
	}
}

// Value spells one op about the value that is at a place.
func Value[P any](s Speller[P], at P, op plan.Op) {
	switch op := op.(type) {
	case *plan.Run:
		s.Charge(at, op.Traits)
		s.Run(at, op)
	case *plan.Text:
		s.Text(at, op.Type)
	case *plan.Blob:
		s.Blob(at, op.Type)
	case *plan.List:
		each := func(at P) { Value(s, at, op.Elem) }
		if run, ok := op.Elem.(*plan.Run); ok {
			s.Items(at, op.Type, run, each)
		} else {
			s.List(at, op.Type, op.ElemSize.Min, each)
		}
	case *plan.Array:
		s.Charge(at, op.Traits)
		s.Array(at, op.Type, func(at P) {
			if run, ok := op.Elem.(*plan.Run); ok {
				s.Run(at, run)
			} else {
				Value(s, at, op.Elem)
			}
		})
	case *plan.Optional:
		s.Optional(at, op.Type, func(at P) { Value(s, at, op.Elem) })
	case *plan.Map:
		s.Map(at, op.Type, op.EntrySize.Min,
			func(at P) { Value(s, at, op.Key) }, func(at P) { Value(s, at, op.Value) })
	case *plan.Nested:
		if op.Type.Kind == ir.MessageKind {
			s.Window(at, op.Type)
		} else {
			s.Call(at, op.Type)
		}
	default:
		panic("lower: no statement is for the op")
	}
}
