package check

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// structs fills the structs and messages of the file.
func (u *unit) structs() {
	for _, s := range u.declared {
		node, ok := s.node.(*syntax.Struct)
		if !ok {
			continue
		}
		u.within = s
		switch d := s.decl.(type) {
		case *ir.Struct:
			a := u.attributes(node.Attributes, onStruct)
			d.Meta = u.meta(&node.Head, a)
			d.ID = u.typeID(a.id)
			d.Fields = u.fields(node, onStructField)
		case *ir.Message:
			a := u.attributes(node.Attributes, onMessage)
			d.Meta = u.meta(&node.Head, a)
			d.ID = u.typeID(a.id)
			d.KeepUnknown = a.keepUnknown
			d.Fields = u.fields(node, onMessageField)
		}
	}
	u.within = nil
}

// fields resolves the fields of a body, and puts the fields of a message in their segments.
func (u *unit) fields(node *syntax.Struct, p place) []*ir.Field {
	names := u.newNames("field")
	var fields []*ir.Field
	segments := segmentOrder{unit: u, last: 1}
	for _, n := range node.Fields {
		names.add(n.Name)
		a := u.attributes(n.Attributes, p)
		f := &ir.Field{Name: n.Name.Text, Meta: u.meta(&n.Head, a), Since: 1}
		f.Type = u.resolve(n.Type)
		if f.Type != nil {
			f.Type = u.bound(f.Type, a.bounds)
		}
		if p == onMessageField {
			f.Since = segments.next(n, a.since)
		}
		u.placeDefault(f, n, p)
		fields = append(fields, f)
	}
	return fields
}

// segmentOrder follows the segments along a message [LANG-7.1].
type segmentOrder struct {
	unit *unit
	last int
	// span is the field that started the last segment.
	span syntax.Span
}

func (o *segmentOrder) next(field *syntax.Field, since *syntax.Value) int {
	u := o.unit
	if since == nil {
		if o.last > 1 {
			u.problems.Error(codeSegmentOrder, field.Name.Span, "a field of segment 1 stands behind segment %d", o.last).
				WithRelated(o.span, fmt.Sprintf("segment %d starts here", o.last)).
				WithHelp(fmt.Sprintf("new fields go to the end; add @since(%d), or @since(%d) for a new release", o.last, o.last+1))
		}
		return o.last
	}
	n, _ := u.integer(since, "a segment")
	next := uint64(o.last) + 1
	switch {
	case n.negative || n.magnitude < 2:
		u.problems.Error(codeSegmentOrder, since.Span, "@since starts at 2").
			WithHelp("fields without @since are segment 1")
	case n.magnitude < uint64(o.last):
		u.problems.Error(codeSegmentOrder, since.Span, "segment %d stands behind segment %d", n.magnitude, o.last).
			WithRelated(o.span, fmt.Sprintf("segment %d starts here", o.last)).
			WithHelp("segments never go down along a message")
	case n.magnitude > next:
		u.problems.Error(codeSegmentOrder, since.Span, "segment %d stands behind segment %d", n.magnitude, o.last).
			WithHelp(fmt.Sprintf("segments go up by 1; the next is @since(%d)", next))
	case n.magnitude == next:
		o.last++
		o.span = since.Span
	}
	return o.last
}
