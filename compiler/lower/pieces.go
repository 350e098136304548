package lower

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
	// Op is the piece's step; nil for a field without bytes.
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
		p := pieceOf(program, op)
		for _, f := range append(p.Fields, p.Field) {
			seen[f] = true
		}
		if !p.IsRun() || p.Bytes > 0 {
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

// pieceOf is the piece that a step is for, whose fields are those with bytes.
func pieceOf(program *plan.Program, op plan.Op) Piece {
	p := Piece{Field: op.OpField(), Op: op}
	if run, isRun := op.(*plan.Run); isRun {
		p.Bytes = run.Bytes
		for i, item := range run.Items {
			if f := item.Path[0]; i == 0 || f != run.Items[i-1].Path[0] {
				p.Fields = append(p.Fields, f)
				p.Offsets = append(p.Offsets, item.Offset)
				p.Traits = p.With(program.Traits(f.Type))
			}
		}
	}
	return p
}
