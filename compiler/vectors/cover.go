package vectors

import (
	"fmt"
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// Coverage is the coverage of a type by its vectors. Types within it have their own.
type Coverage struct {
	Type ir.Decl
	// Items are the places of the type with their possible contents, Refusals the possible refusals
	// at them.
	Items, Refusals int
	// Missed are the items and refusals that no vector reaches, as "path: what".
	MissedItems, MissedRefusals []string
}

// point is something that can be at a place, or be refused there.
type point struct{ place, what string }

func (p point) String() string {
	if p.place == "" {
		return p.what
	}
	return p.place + ": " + p.what
}

// survey lists the points of a type.
type survey struct {
	program *plan.Program
	items   []point
	refused []point
	known   map[point]bool // of what is refused
	window  interp.Kind    // refuses what the innermost window cuts
}

func (s *survey) item(place, subject string) { s.items = append(s.items, point{place, subject}) }

func (s *survey) refuse(place string, kinds ...interp.Kind) {
	for _, kind := range kinds {
		if p := (point{place, kind.String()}); !s.known[p] {
			s.known[p] = true
			s.refused = append(s.refused, p)
		}
	}
}

// root surveys a declaration.
func (s *survey) root(d ir.Decl) {
	if size := s.program.Body(d).Size; !size.Bounded || size.Max > 1 {
		s.refuse("", interp.ErrLimitMessageBytes)
	}
	s.window = interp.ErrTruncated
	switch d := d.(type) {
	case *ir.Struct:
		s.refuse("", interp.ErrTrailingBytes)
		s.fields("", d.Fields)
	case *ir.Message:
		s.window = interp.ErrSegmentPartial
		s.refuse("", interp.ErrTrailingBytes) // decoded exactly
		s.fields("", d.Fields)
	case *ir.Union:
		s.refuse("", interp.ErrTrailingBytes)
		s.union("", d)
	}
	if ir.IDOf(d) != nil {
		s.refuse("", interp.ErrMagicInvalid, interp.ErrVersionUnsupported, interp.ErrTypeIDMismatch, interp.ErrPayloadLength, interp.ErrTruncated)
	}
}

func (s *survey) fields(place string, fields []*ir.Field) {
	since := 1
	for _, f := range fields {
		// The first byte of a later segment is there or the segment is not.
		first := f.Since > since
		since = f.Since
		s.value(under(place, f.Name), f.Type, first && s.head(f.Type) == 1)
	}
}

// head is how many bytes the first item of a type has.
func (s *survey) head(t *ir.Type) uint64 {
	switch {
	case t.Scalar() != 0:
		return uint64(t.Scalar().Bytes())
	case t.Kind == ir.ArrayKind && t.N > 0:
		return s.head(t.Elem)
	case t.Kind == ir.StructKind && len(t.Struct().Fields) > 0:
		return s.head(t.Struct().Fields[0].Type)
	case t.Kind == ir.UnionKind:
		return plan.TagBytes
	}
	return plan.Prefix(t)
}

func under(place, name string) string {
	if place == "" {
		return name
	}
	return place + "." + name
}

// value surveys one value. A whole value is never cut.
func (s *survey) value(place string, t *ir.Type, whole bool) {
	if t.Kind != ir.ArrayKind && t.Kind != ir.StructKind && !whole {
		s.refuse(place, s.window)
	}
	switch t.Kind {
	case ir.StrKind:
		s.item(place, "str")
		s.length(place, t, interp.ErrLengthExceedsInput)
		if plan.LengthMax(t) > 0 {
			s.refuse(place, interp.ErrUTF8Invalid)
		}
	case ir.BytesKind:
		s.item(place, "bytes")
		s.length(place, t, interp.ErrLengthExceedsInput)
	case ir.ListKind:
		s.item(place, "list")
		s.length(place, t, interp.ErrCountExceedsInput)
		s.inner(place, t, plan.LengthMax(t))
	case ir.MapKind:
		s.item(place, "map")
		s.length(place, t, interp.ErrCountExceedsInput)
		// Entries of fixed size that are cut show in the count.
		if whole := s.program.EntrySize(t).Fixed; plan.LengthMax(t) > 0 {
			s.value(place+"[].key", t.Key, whole)
			s.value(place+"[].value", t.Elem, whole)
		}
		if plan.LengthMax(t) > 1 {
			s.refuse(place, interp.ErrLimitElements)
			s.refuse(place+"[].key", interp.ErrMapOrder)
		}
	case ir.ArrayKind:
		s.item(place, "array")
		if plan.ArrayElements(t) > 0 && plan.LengthAny > t.N {
			s.refuse(place, interp.ErrLimitElements)
		}
		if t.N > 0 {
			s.value(place+"[]", t.Elem, whole)
		}
	case ir.OptionalKind:
		s.item(place, "absent")
		s.item(place, "present")
		s.refuse(place, interp.ErrPresenceInvalid)
		s.value(place, t.Elem, false)
	case ir.StructKind:
		s.item(place, "struct")
		s.refuse(place, interp.ErrLimitDepth)
	case ir.MessageKind:
		s.item(place, "message")
		s.refuse(place, interp.ErrLimitDepth, interp.ErrLengthExceedsInput)
	case ir.UnionKind:
		s.item(place, "union")
		s.refuse(place, interp.ErrLimitDepth)
	default:
		s.item(place, "scalar")
		if t.Kind == ir.Bool {
			s.refuse(place, interp.ErrBoolInvalid)
		}
		if t.Kind == ir.EnumKind && t.Enum().Closed {
			if _, ok := undeclared(t.Enum()); ok {
				s.refuse(place, interp.ErrEnumUnknown)
			}
		}
	}
}

// length surveys what a length or count can be.
func (s *survey) length(place string, t *ir.Type, exceeds interp.Kind) {
	if plan.LengthMax(t) > 0 {
		s.refuse(place, exceeds)
	}
	if t.Max != nil && *t.Max < plan.WidthMax(t.LenBytes) {
		s.refuse(place, interp.ErrLimitMax)
	}
}

func (s *survey) inner(place string, t *ir.Type, most uint64) {
	if most > 0 {
		s.value(place+"[]", t.Elem, s.program.SizeOf(t.Elem).Fixed)
	}
	if most > 1 {
		s.refuse(place, interp.ErrLimitElements)
	}
}

func (s *survey) union(place string, u *ir.Union) {
	s.refuse(place, interp.ErrUnionUnknown, s.window)
	outer := s.window
	if !u.Closed {
		s.item(place, "unknown tag")
		s.refuse(place, interp.ErrLengthExceedsInput)
		s.window = interp.ErrUnionLength
	}
	for _, a := range u.Alternatives {
		s.item(place, "alternative "+a.Name)
		if !u.Closed {
			s.refuse(place, interp.ErrUnionLength)
		}
		switch {
		case a.Inline != nil:
			s.fields(under(place, a.Name), a.Inline.Fields)
		case a.Type != nil:
			s.value(under(place, a.Name), a.Type, false)
		}
	}
	s.window = outer
}

// cover compares the points of a type with what its cases reach.
func (m *maker) cover(d ir.Decl, cases []Case) Coverage {
	s := survey{program: m.program, known: map[point]bool{}}
	s.root(d)
	items, refused := map[point]bool{}, map[point]bool{}
	for _, c := range cases {
		if a := c.Reads[0]; a.Error != "" {
			refused[point{place(a.Path), a.Error}] = true
			continue
		}
		if c.Mode == Bytes {
			m.reached(d, c.Bytes, items)
		}
	}
	return Coverage{
		Type: d, Items: len(s.items), Refusals: len(s.refused),
		MissedItems: missed(s.items, items), MissedRefusals: missed(s.refused, refused),
	}
}

func missed(list []point, reached map[point]bool) []string {
	var names []string
	for _, p := range list {
		if !reached[p] {
			names = append(names, p.String())
		}
	}
	return names
}

var eventItems = map[interp.EventKind]string{
	interp.ScalarEvent: "scalar", interp.TextEvent: "str", interp.BlobEvent: "bytes", interp.ListEvent: "list", interp.ArrayEvent: "array",
	interp.MapEvent: "map", interp.StructEvent: "struct", interp.MessageEvent: "message", interp.UnionEvent: "union", interp.UnknownEvent: "unknown tag",
}

// reached notes the items of accepted bytes.
func (m *maker) reached(d ir.Decl, data []byte, items map[point]bool) {
	var around nest
	_, _ = m.judges[d].codec.Walk(interp.FromBytes(data), interp.Options{}, func(e *interp.Event) error {
		switch {
		case e.Missing:
			return nil
		case e.Kind == interp.EndEvent:
			around.closes()
			return nil
		}
		within := around.types > 1 // a value of a type that has a coverage of its own
		around.opens(e, -1)
		if within {
			return nil
		}
		at := place(e.Path())
		if what := eventItems[e.Kind]; what != "" {
			items[point{at, what}] = true
		}
		switch {
		case e.Kind == interp.PresenceEvent && e.Count == 0:
			items[point{at, "absent"}] = true
		case e.Kind == interp.PresenceEvent:
			items[point{at, "present"}] = true
		case e.Kind == interp.UnionEvent && e.Alternative != nil:
			items[point{at, "alternative " + e.Alternative.Name}] = true
		}
		return nil
	})
}

// String is the coverage in a line, and a line for each point that is missed.
func (c Coverage) String() string {
	text := fmt.Sprintf("%s: %d of %d items, %d of %d refusals",
		c.Type.DeclName(), c.Items-len(c.MissedItems), c.Items, c.Refusals-len(c.MissedRefusals), c.Refusals)
	for _, missed := range slices.Concat(c.MissedItems, c.MissedRefusals) {
		text += "\n  not reached: " + missed
	}
	return text
}
