package lower

import (
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// View is how a struct or message is read where it lies: the parts that its bytes
// consist of from front to back, and where its fields are in them.
type View struct {
	Body  *plan.Body
	Parts []*ViewPart
	// Fields are all fields in the schema's order.
	Fields []ViewField
	// Marks is how many ends of parts of varying size fields are counted from.
	Marks int
	// Passed is how many parts have to be passed to find all marks, and how many
	// segments are there.
	Passed int
	// IsMessage is true where the bytes end with the value, so that the last part's
	// end is known, and segments can be missing.
	IsMessage bool
	// Tail is the last part of a struct if its end has to be looked for; else nil.
	Tail *ViewPart
}

// Position is so many bytes behind a mark, of which 0 is the first byte.
type Position struct {
	Mark   int
	Offset uint64
}

// ViewPart is fields of fixed size beside each other, or one of varying size.
type ViewPart struct {
	Piece
	Position
	// Segment is the part's, from 1.
	Segment int
	// End is the mark at the part's end; 0 where no field is counted from there.
	End int
}

// ViewField is a field with where it lies.
type ViewField struct {
	*ir.Field
	Position
	// Part is the part around the field, nil if it has no bytes, and Index its number among the
	// fields of a run.
	Part  *ViewPart
	Index int
	// Missing is the value of the field where the bytes end before its segment.
	Missing Absence
}

// Absence is the value of a field whose segment isn't there.
type Absence int

// A field of the first segment is always there. Others have their type's zero
// value or the schema's default.
const (
	Never Absence = iota
	IsZero
	IsDefault
)

// NewView finds where fields lie for a language that holds values as fixed says
// as one piece of bytes.
func NewView(program *plan.Program, d ir.Decl, fixed func(*ir.Type) bool) *View {
	v := &View{Body: program.Body(d)}
	_, v.IsMessage = d.(*ir.Message)
	places := map[*ir.Field]ViewField{}
	segments := program.BodyBy(d, fixed).Segments
	for _, s := range segments {
		for _, op := range s.Ops {
			piece := pieceOf(op)
			if !piece.IsRun() && fixed(piece.Field.Type) {
				continue // it has no bytes
			}
			part := v.add(piece, s.Number)
			if !piece.IsRun() {
				places[piece.Field] = ViewField{Part: part, Position: part.Position}
			}
			for i, f := range piece.Fields {
				places[f] = ViewField{Part: part, Position: part.behind(piece.Offsets[i]), Index: i}
			}
		}
	}
	for i, p := range v.Parts {
		if p.End > 0 || p.Segment < len(segments) {
			v.Passed = i + 1
		}
	}
	if last := v.Last(); last != nil && !v.IsMessage && !last.IsRun() && endIsFar(last.Field.Type, fixed) {
		v.Tail = last
	}
	for _, f := range ir.FieldsOf(d) {
		field := places[f]
		field.Field, field.Missing = f, missing(f)
		v.Fields = append(v.Fields, field)
	}
	return v
}

// add appends a part. Its start is a mark if only what is
// before it tells where it ends.
func (v *View) add(piece Piece, segment int) *ViewPart {
	if piece.IsRun() && piece.Bytes == 0 {
		return nil
	}
	at, known := v.End()
	if !known {
		v.Marks++
		v.Last().End = v.Marks
		at = Position{Mark: v.Marks}
	}
	v.Parts = append(v.Parts, &ViewPart{Piece: piece, Position: at, Segment: segment})
	return v.Last()
}

// Last is the part at the end of the bytes; nil if there are none.
func (v *View) Last() *ViewPart {
	if len(v.Parts) == 0 {
		return nil
	}
	return v.Parts[len(v.Parts)-1]
}

// End is where the bytes end, if that is known from the marks; else it is the
// start of the last part, which has to be passed.
func (v *View) End() (p Position, isKnown bool) {
	switch last := v.Last(); {
	case last == nil:
		return Position{}, true
	case last.IsRun():
		return last.behind(last.Bytes), true
	default:
		return last.Position, false
	}
}

func (p Position) behind(bytes uint64) Position { return Position{p.Mark, p.Offset + bytes} }

func missing(f *ir.Field) Absence {
	switch {
	case f.Since == 1:
		return Never
	case f.Default == nil:
		return IsZero
	}
	return IsDefault
}

// endIsFar reports whether the end of a value isn't known from its first bytes.
func endIsFar(t *ir.Type, fixed func(*ir.Type) bool) bool {
	switch t.Kind {
	case ir.ListKind, ir.ArrayKind:
		return !fixed(t.Elem)
	case ir.StrKind, ir.BytesKind, ir.MessageKind:
		return false
	case ir.UnionKind:
		return t.Union().Closed
	case ir.OptionalKind, ir.MapKind, ir.StructKind:
	}
	return !fixed(t)
}

// Defaulted reports whether a field of a segment has another value than zero where
// the segment is missing.
func (v *View) Defaulted(segment int) bool {
	return slices.ContainsFunc(v.Fields, func(f ViewField) bool { return f.Since == segment && f.Missing == IsDefault })
}
