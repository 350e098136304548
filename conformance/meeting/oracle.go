package meeting

import (
	"math"
	"reflect"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// oracle tells whether a reader of another Version understood a value as its
// writer meant it. It goes by names, and knows the renamings from the edit; of positions, tags and
// the comparison of schemas by these it knows nothing.
type oracle struct {
	// renamed leads from the writer's names to the reader's: of types, and of
	// members as "Type.member".
	renamed map[string]string
	// byName is true for JSON, where names count and numbers may change.
	byName bool
	// byPlace is true where nobody knows the renamings.
	byPlace bool
	// missing are the values that the reader gives to a message's fields whose
	// segments are missing.
	missing func(*ir.Message) []interp.Value
}

// nameOf gives the reader's name of a member of the writer's at a place.
func (o *oracle) nameOf(writer, reader ir.Decl, member string) string {
	if o.byPlace {
		return renamedByPlace(writer, reader, member)
	}
	if name, found := o.renamed[writer.DeclName()+"."+member]; found {
		return name
	}
	return member
}

// renamedByPlace gives the name that the reader has at a member's position, number or tag, if
// neither side has the other's name elsewhere.
func renamedByPlace(writer, reader ir.Decl, member string) string {
	ours, theirs := places(writer), places(reader)
	for name, place := range theirs {
		_, isOurs := ours[name]
		_, isTheirs := theirs[member]
		if place == ours[member] && !isOurs && !isTheirs {
			return name
		}
	}
	return member
}

// places are the positions, numbers or tags of the members of a type, by their names.
func places(d ir.Decl) map[string]int64 {
	places := map[string]int64{}
	switch d := d.(type) {
	case *ir.Enum:
		for _, m := range d.Members {
			places[m.Name] = int64(m.Number)
		}
	case *ir.Union:
		for _, a := range d.Alternatives {
			places[a.Name] = int64(a.Tag)
		}
	default:
		for i, f := range fieldList(d) {
			places[f.Name] = int64(i)
		}
	}
	return places
}

// same compares values of the writer's and the reader's type.
func (o *oracle) same(wt, rt *ir.Type, a, b interp.Value) bool {
	if wt.Kind == ir.EnumKind && rt.Kind == ir.EnumKind {
		return o.sameNumber(wt.Enum(), rt.Enum(), a, b)
	}
	if wt.Kind == ir.EnumKind || rt.Kind == ir.EnumKind {
		return wt.Scalar() == rt.Scalar() && a == b
	}
	if wt.Kind != rt.Kind && elements(wt) != nil && elements(rt) != nil {
		return o.sameList(elements(wt), elements(rt), listOf(a), listOf(b))
	}
	if wt.Kind != rt.Kind && (!isBody(wt) || !isBody(rt)) {
		return false
	}
	switch wt.Kind {
	case ir.OptionalKind:
		if a == nil || b == nil {
			return a == nil && b == nil
		}
		return o.same(wt.Elem, rt.Elem, a, b)
	case ir.ListKind, ir.ArrayKind:
		return o.sameList(wt.Elem, rt.Elem, a.(interp.List), b.(interp.List))
	case ir.MapKind:
		return o.sameMap(wt, rt, a.(interp.Map), b.(interp.Map))
	case ir.StructKind, ir.MessageKind, ir.UnionKind:
		return o.sameRoot(wt.Decl, rt.Decl, a, b, math.MaxInt)
	}
	return reflect.DeepEqual(a, b)
}

// isBody tells whether the type has fields, so that a struct can be compared
// with the message that it became.
func isBody(t *ir.Type) bool { return t.Kind == ir.StructKind || t.Kind == ir.MessageKind }

// elements is the type of the elements of a list or bytes.
func elements(t *ir.Type) *ir.Type {
	switch t.Kind {
	case ir.ListKind:
		return t.Elem
	case ir.BytesKind:
		return &ir.Type{Kind: ir.U8}
	}
	return nil
}

func listOf(v interp.Value) interp.List {
	bytes, isBytes := v.([]byte)
	if !isBytes {
		return v.(interp.List)
	}
	list := interp.List{}
	for _, b := range bytes {
		list = append(list, uint64(b))
	}
	return list
}

func (o *oracle) sameList(wt, rt *ir.Type, a, b interp.List) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !o.same(wt, rt, a[i], b[i]) {
			return false
		}
	}
	return true
}

func (o *oracle) sameMap(wt, rt *ir.Type, a, b interp.Map) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !o.same(wt.Key, rt.Key, a[i].Key, b[i].Key) || !o.same(wt.Elem, rt.Elem, a[i].Value, b[i].Value) {
			return false
		}
	}
	return true
}

// sameNumber compares the numbers of two enums.
func (o *oracle) sameNumber(writer, reader *ir.Enum, a, b interp.Value) bool {
	w, r := memberOf(writer, a), memberOf(reader, b)
	if o.byName && w != nil && r != nil {
		return r.Name == o.nameOf(writer, reader, w.Name)
	}
	return a == b && (o.byName || o.sameMember(writer, reader, a))
}

// sameMember compares what a number is called on both sides.
func (o *oracle) sameMember(writer, reader *ir.Enum, number interp.Value) bool {
	w, r := memberOf(writer, number), memberOf(reader, number)
	switch {
	case w == nil && r == nil:
		return true
	case w == nil && o.byPlace:
		return true // who writes a number that it has no name for means what others do
	case w == nil:
		return len(writer.Reserved.Numbers) == 0 || !writer.Reserved.Numbers[0].Contains(r.Number)
	case r != nil:
		return r.Name == o.nameOf(writer, reader, w.Name)
	}
	for _, m := range reader.Members {
		if m.Name == o.nameOf(writer, reader, w.Name) {
			return false
		}
	}
	return true
}

func memberOf(e *ir.Enum, number interp.Value) *ir.EnumMember {
	for _, m := range e.Members {
		if integer(e.Base, uint64(m.Number)) == number {
			return m
		}
	}
	return nil
}

// sameRoot compares values of declared types. Of a message the writer may have
// written only the segments up to the given one.
func (o *oracle) sameRoot(writer, reader ir.Decl, a, b interp.Value, segments int) bool {
	if w, isUnion := writer.(*ir.Union); isUnion {
		r, isStill := reader.(*ir.Union)
		return isStill && o.sameUnion(w, r, a, b)
	}
	wf, av := fieldsOf(writer, a)
	rf, bv := fieldsOf(reader, b)
	written := map[string]int{}
	for i, f := range wf {
		if f.Since <= segments {
			written[o.nameOf(writer, reader, f.Name)] = i + 1
		}
	}
	for i, f := range rf {
		if at := written[f.Name]; at > 0 {
			if !o.same(wf[at-1].Type, f.Type, av[at-1], bv[i]) {
				return false
			}
			continue
		}
		if o.byName && f.Type.Kind == ir.OptionalKind && bv[i] == nil {
			continue // JSON may lack it anywhere
		}
		m, isMessage := reader.(*ir.Message)
		if !isMessage || f.Since < 2 || !reflect.DeepEqual(o.missing(m)[i], bv[i]) {
			return false
		}
	}
	return true
}

// fieldsOf are the fields of a struct's or message's value; none for a union,
// with which neither has a field in common.
func fieldsOf(d ir.Decl, v interp.Value) ([]*ir.Field, []interp.Value) {
	switch d.(type) {
	case *ir.Struct:
		return fieldList(d), v.(interp.Struct)
	case *ir.Message:
		return fieldList(d), v.(interp.Message).Fields
	}
	return nil, nil
}

// fieldList are the fields of a struct or message.
func fieldList(d ir.Decl) []*ir.Field {
	switch d := d.(type) {
	case *ir.Struct:
		return d.Fields
	case *ir.Message:
		return d.Fields
	}
	return nil
}

func (o *oracle) sameUnion(writer, reader *ir.Union, a, b interp.Value) bool {
	if unknown, ok := a.(interp.Unknown); ok {
		if o.byPlace {
			return true
		}
		return reflect.DeepEqual(unknown, b)
	}
	w := alternativeOf(writer, a.(interp.Union).Tag)
	name := o.nameOf(writer, reader, w.Name)
	if unknown, ok := b.(interp.Unknown); ok {
		for _, r := range reader.Alternatives {
			if r.Name == name {
				return false
			}
		}
		return unknown.Tag == w.Tag
	}
	r := alternativeOf(reader, b.(interp.Union).Tag)
	if r.Name != name || (r.Type == nil) != (w.Type == nil) {
		return false
	}
	return r.Type == nil || o.same(w.Type, r.Type, a.(interp.Union).Value, b.(interp.Union).Value)
}

func alternativeOf(u *ir.Union, tag uint8) *ir.Alternative {
	for _, a := range u.Alternatives {
		if a.Tag == tag {
			return a
		}
	}
	panic("no alternative has the tag that the union was decoded with")
}
