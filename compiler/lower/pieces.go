package lower

import (
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// Piece is the part of a value that one group of statements reads or writes: fields of fixed size
// that share a bounds check, or one other field.
type Piece struct {
	// Fields are the fields of a run, each with its offset.
	Fields  []*ir.Field
	Offsets []uint64
	Bytes   uint64
	plan.Traits
	// Field is the only field of a piece that is no run.
	Field *ir.Field
	// Op is the piece's step.
	Op plan.Op
}

// IsRun reports whether the piece is a run.
func (p *Piece) IsRun() bool { return p.Field == nil }

// Segment is the fields and pieces of one segment of a message, or of a struct,
// which has one.
type Segment struct {
	Number int
	Fields []*ir.Field
	Pieces []Piece
}

// Segments groups the fields of a struct or message as the plan does for the types that the
// language holds as values of fixed size.
func Segments(program *plan.Program, d ir.Decl, fixed func(*ir.Type) bool) []Segment {
	var list []Segment
	for _, s := range program.BodyBy(d, fixed).Segments {
		segment := Segment{Number: s.Number, Fields: s.Fields}
		for _, op := range s.Ops {
			segment.Pieces = append(segment.Pieces, pieceOf(op))
		}
		list = append(list, segment)
	}
	return list
}

// pieceOf is the piece that a step is for.
func pieceOf(op plan.Op) Piece {
	p := Piece{Field: op.OpField(), Op: op}
	if run, isRun := op.(*plan.Run); isRun {
		p.Bytes, p.Traits = run.Bytes, run.Traits
		for _, part := range run.Parts {
			p.Fields = append(p.Fields, part.Field)
			p.Offsets = append(p.Offsets, part.Offset)
		}
	}
	return p
}
