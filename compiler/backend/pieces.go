package backend

import (
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// Piece is what one group of statements reads or writes: fields of fixed size
// that share a bounds check, or one other field.
type Piece struct {
	// Fields are those of a run, each with its offset.
	Fields  []*ir.Field
	Offsets []uint64
	Bytes   uint64
	plan.Traits
	// Field is the one of a piece that is no run.
	Field *ir.Field
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

// Segments groups the fields of a struct or message as the plan does for what
// the language holds as values of fixed size. Fields that have no bytes are the
// last.
func Segments(program *plan.Program, d ir.Decl, fixed func(*ir.Type) bool) []Segment {
	var fields [][]*ir.Field
	switch d := d.(type) {
	case *ir.Struct:
		fields = [][]*ir.Field{d.Fields}
	case *ir.Message:
		fields = d.Segments()
	}
	var list []Segment
	for i, planned := range program.SegmentsOf(d, fixed) {
		list = append(list, Segment{planned.Number, fields[i], pieces(program, fields[i], planned.Ops)})
	}
	return list
}

func pieces(program *plan.Program, fields []*ir.Field, ops []plan.Op) []Piece {
	var list []Piece
	seen := map[*ir.Field]bool{}
	for _, op := range ops {
		run, isRun := op.(*plan.Run)
		switch {
		case !isRun:
			seen[op.OpField()] = true
			list = append(list, Piece{Field: op.OpField()})
		case run.Bytes > 0:
			p := Piece{Bytes: run.Bytes}
			for _, item := range run.Items {
				if f := item.Path[0]; !seen[f] {
					seen[f] = true
					p.Fields = append(p.Fields, f)
					p.Offsets = append(p.Offsets, item.Offset)
					p.Traits = p.With(program.Traits(f.Type))
				}
			}
			list = append(list, p)
		}
	}
	for _, f := range fields {
		if !seen[f] {
			list = append(list, Piece{Field: f})
		}
	}
	return list
}
