package rust

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// piece is what one group of statements reads or writes: fields of fixed size
// that share a bounds check, or one other field.
type piece struct {
	// fields are those of a run, each with its offset.
	fields  []*ir.Field
	offsets []uint64
	bytes   uint64
	// field is the one of a piece that is no run.
	field *ir.Field
}

// isRun reports whether the piece is a run.
func (p *piece) isRun() bool { return p.field == nil }

// pieces groups the fields of a segment as the plan's runs do. An array too large
// to be read by value interrupts a run, and fields that have no bytes are the last.
func (g *generator) pieces(fields []*ir.Field, ops []plan.Op) []piece {
	var list []piece
	seen := map[*ir.Field]bool{}
	alone := func(f *ir.Field) {
		if !seen[f] {
			seen[f] = true
			list = append(list, piece{field: f})
		}
	}
	for _, op := range ops {
		run, isRun := op.(*plan.Run)
		if !isRun {
			alone(op.OpField())
			continue
		}
		open := false
		for _, item := range run.Items {
			f := item.Path[0]
			switch {
			case seen[f]:
			case !g.types.fixed(f.Type):
				alone(f)
				open = false
			default:
				seen[f] = true
				if !open {
					list = append(list, piece{})
					open = true
				}
				p := &list[len(list)-1]
				p.fields = append(p.fields, f)
				p.offsets = append(p.offsets, p.bytes)
				p.bytes += g.program.SizeOf(f.Type).Min
			}
		}
	}
	for _, f := range fields {
		alone(f)
	}
	return list
}

// segment is the fields and ops of one segment.
type segment struct {
	number int
	fields []*ir.Field
	pieces []piece
}

// segments are those of a struct, which has one, or a message.
func (g *generator) segments(d ir.Decl) []segment {
	fields := [][]*ir.Field{fieldsOf(d)}
	if m, ok := d.(*ir.Message); ok {
		fields = m.Segments()
	}
	var list []segment
	for i, planned := range g.program.Body(d).Segments {
		list = append(list, segment{planned.Number, fields[i], g.pieces(fields[i], planned.Ops)})
	}
	return list
}

// lifetime is the generic argument of a form.
func (g *generator) lifetime(d ir.Decl, form form) string {
	if form == borrowed && !g.types.plain(d) {
		return "<'a>"
	}
	return ""
}

// forms are the forms that a type is generated in.
func (g *generator) forms(d ir.Decl) []form {
	if g.types.plain(d) {
		return []form{owned}
	}
	return []form{owned, borrowed}
}

// path is a type as the start of an expression's path: `Vec::<f32>` for Vec<f32>,
// `<[u8; 4]>` for an array.
func path(spelt string) string {
	if spelt[0] == '[' {
		return "<" + spelt + ">"
	}
	return strings.Replace(spelt, "<", "::<", 1)
}
