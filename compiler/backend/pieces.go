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

// Segments groups the fields of a struct or message as the plan's runs do. What a
// language doesn't hold as a value of fixed size interrupts a run, and fields that
// have no bytes are the last.
func Segments(program *plan.Program, d ir.Decl, fixed func(*ir.Type) bool) []Segment {
	var fields [][]*ir.Field
	switch d := d.(type) {
	case *ir.Struct:
		fields = [][]*ir.Field{d.Fields}
	case *ir.Message:
		fields = d.Segments()
	}
	var list []Segment
	for i, planned := range program.Body(d).Segments {
		list = append(list, Segment{planned.Number, fields[i], pieces(program, fields[i], planned.Ops, fixed)})
	}
	return list
}

func pieces(program *plan.Program, fields []*ir.Field, ops []plan.Op, fixed func(*ir.Type) bool) []Piece {
	var list []Piece
	seen := map[*ir.Field]bool{}
	alone := func(f *ir.Field) {
		if !seen[f] {
			seen[f] = true
			list = append(list, Piece{Field: f})
		}
	}
	for _, op := range ops {
		run, isRun := op.(*plan.Run)
		if !isRun {
			alone(op.OpField())
			continue
		}
		var open *Piece
		var start uint64
		for i, item := range run.Items {
			f, end := item.Path[0], run.Bytes
			if i+1 < len(run.Items) {
				end = run.Items[i+1].Offset
			}
			if !fixed(f.Type) {
				alone(f)
				open = nil
				continue
			}
			if open == nil {
				list = append(list, Piece{})
				open, start = &list[len(list)-1], item.Offset
			}
			if !seen[f] {
				seen[f] = true
				open.Fields = append(open.Fields, f)
				open.Offsets = append(open.Offsets, item.Offset-start)
				open.Traits = open.With(program.Traits(f.Type))
			}
			open.Bytes = end - start
		}
	}
	for _, f := range fields {
		alone(f)
	}
	return list
}
