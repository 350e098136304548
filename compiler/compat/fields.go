package compat

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// body is the fields of one version of a struct, inline alternative or message.
type body struct {
	decl   ir.Decl
	fields []*ir.Field
	place  map[*ir.Field]int
	// end is the position behind the last field that the other version has too:
	// what stands there was added or removed at the end.
	end int
}

func newBody(d ir.Decl) body {
	b := body{decl: d, place: map[*ir.Field]int{}}
	switch d := d.(type) {
	case *ir.Struct:
		b.fields = d.Fields
	case *ir.Message:
		b.fields = d.Fields
	}
	for i, f := range b.fields {
		b.place[f] = i
	}
	return b
}

// endBefore finds the end, before which there is the last field that is not
// among the single ones; those are in the order of the body.
func (b *body) endBefore(single []*ir.Field) {
	b.end = len(b.fields)
	for n := len(single); n > 0 && single[n-1] == b.fields[b.end-1]; n-- {
		b.end--
	}
}

// before is the number of the segment that lies before position i.
func (b body) before(i int) int {
	if i == 0 {
		return 1
	}
	return b.fields[i-1].Since
}

// starts tells whether a segment after the first begins at position i.
func (b body) starts(i int) bool { return b.fields[i].Since > b.before(i) }

// bodyChange compares two versions of a body.
type bodyChange struct {
	*comparer
	old, new body
	// grows is true for a message that was one before: what it does not know at
	// its end it passes over.
	grows bool
	match matcher[*ir.Field]
}

// fields compares the fields of two bodies [EVO-4.2] [EVO-4.3].
func (c *comparer) fields(older, newer ir.Decl) {
	b := &bodyChange{comparer: c, old: newBody(older), new: newBody(newer)}
	b.grows = kindOf(older) == "message" && kindOf(newer) == "message"
	b.match = matchBy(b.old.fields, b.new.fields, func(f *ir.Field) string { return f.Name })
	b.matchPlaces()
	b.old.endBefore(b.match.removed)
	b.new.endBefore(b.match.added)
	for _, f := range b.match.removed {
		b.removed(f)
	}
	for _, f := range b.match.added {
		b.added(f)
	}
	b.moved()
	for _, f := range b.match.both {
		b.changed(f.old, f.new)
	}
}

// matchPlaces pairs fields at one position whose names the other version does
// not have: they were renamed.
func (b *bodyChange) matchPlaces() {
	b.match = b.match.thenBy(func(f *ir.Field) string {
		if i, isOld := b.old.place[f]; isOld {
			return fmt.Sprint(i)
		}
		return fmt.Sprint(b.new.place[f])
	})
}

func (b *bodyChange) name(f *ir.Field) string { return b.new.decl.DeclName() + "." + f.Name }

// where names the kind of body that a field was added to or removed from.
func where(scope body, f *ir.Field) string {
	switch kind := kindOf(scope.decl); kind {
	case "message":
		return fmt.Sprintf("segment %d", f.Since)
	case "inline alternative":
		return "an inline alternative"
	default:
		return "a " + kind
	}
}

// mayMiss tells whether JSON may lack the field.
func mayMiss(f *ir.Field) bool { return f.Since > 1 || f.Type.Kind == ir.OptionalKind }

func (b *bodyChange) removed(f *ir.Field) {
	change := b.add(codeFieldRemoved, f.Span, nowhere, b.old.decl.DeclName()+"."+f.Name, "removed from %s", where(b.old, f))
	change.source(b.everywhere(true)).json(verdict(b.grows && mayMiss(f), ""))
	atEnd := b.old.place[f] >= b.old.end
	whole := atEnd && f.Since > b.old.before(b.old.end)
	change.bytes(verdict(b.grows && whole, ""), broken(""))
	if b.grows && atEnd {
		// Segments have no numbers in bytes: the next one lies where this one lay.
		change.NewReaders.Note = "the next field that is added is read from its bytes"
		change.Help = "keep it, and mark it `@deprecated`"
	}
}

func (b *bodyChange) added(f *ir.Field) {
	change := b.add(codeFieldAdded, nowhere, f.Span, b.name(f), "added to %s", where(b.new, f))
	change.json(verdict(b.grows && mayMiss(f), ""))
	atEnd := b.new.place[f] >= b.new.end
	segment := atEnd && f.Since > b.new.before(b.new.end)
	change.bytes(verdict(b.grows && atEnd, ""), verdict(b.grows && segment, ""))
	if !b.grows {
		change.source(b.breaking(StructField))
	} else if !mayMiss(f) {
		change.source(b.breaking(FirstField))
	}
	if change.NewReaders.OK {
		change.NewReaders.Note = missingValue(f)
	}
	if !change.NewReaders.OK && b.grows && atEnd {
		change.Help = fmt.Sprintf("give it `@since(%d)`, a segment of its own", b.old.before(len(b.old.fields))+1)
	}
}

// moved reports, once for a body, that fields change places among each other.
func (b *bodyChange) moved() {
	reached := -1
	newPlace := map[*ir.Field]*ir.Field{}
	for _, p := range b.match.both {
		newPlace[p.old] = p.new
	}
	var last *ir.Field
	for _, f := range b.old.fields {
		now := newPlace[f]
		if now == nil {
			continue
		}
		if b.new.place[now] < reached {
			b.add(codeFieldOrder, f.Span, now.Span, b.name(now), "moved before `%s`", last.Name).
				bytes(broken(""), broken("")).source(b.breaking(FieldOrder))
			return
		}
		reached, last = b.new.place[now], now
	}
}

// changed compares one field with itself.
func (b *bodyChange) changed(older, newer *ir.Field) {
	if older.Name != newer.Name {
		b.renamed(codeFieldRenamed, b.old.decl.DeclName(), older.Name, newer.Name, &older.Meta, &newer.Meta)
	}
	if e := b.typeEffect(older.Type, newer.Type); e.changed {
		from, to := spelledPair(older.Type, newer.Type)
		b.effect(b.add(codeFieldType, older.Span, newer.Span, b.name(newer), "changed from `%s` to `%s`", from, to), e)
	}
	if older.Since != newer.Since {
		b.segment(older, newer)
	}
	if newer.Since > 1 && older.Since > 1 && missingValue(older) != missingValue(newer) {
		b.add(codeFieldDefault, older.Span, newer.Span, b.name(newer), "has another missing value").
			NewReaders.Note = "missing is " + missingValue(newer) + ", was " + missingValue(older)
	}
	b.meta(b.name(newer), older.Name == newer.Name, &older.Meta, &newer.Meta)
}

// effect sets all verdicts of a change from the verdicts on a type.
func (c *comparer) effect(change *Change, e effect) {
	change.bytes(verdict(e.oldReaders, ""), verdict(e.newReaders, ""))
	change.source(c.everywhere(!e.source)).json(verdict(e.json, ""))
}

// segment reports a field whose segment changed. A body may end where a
// segment ends; a reader that has no segment's end there refuses it [EVO-4.4].
func (b *bodyChange) segment(older, newer *ir.Field) {
	required := older.Type.Kind != ir.OptionalKind && (older.Since == 1) != (newer.Since == 1)
	change := b.add(codeFieldSegment, older.Span, newer.Span, b.name(newer), "moved from segment %d to %d", older.Since, newer.Since)
	if required {
		change.source(b.breaking(FirstField))
	}
	change.bytes(verdict(endsKept(b.new, b.old), ""), verdict(endsKept(b.old, b.new), "")).
		json(verdict(!required, ""))
}

// endsKept tells whether the reader has a segment's end wherever the writer has
// one, as far as both have fields.
func endsKept(writer, reader body) bool {
	for i := range min(len(writer.fields), len(reader.fields)) {
		if writer.starts(i) && !reader.starts(i) {
			return false
		}
	}
	return true
}

// missingValue is the value of a field whose segment is missing.
func missingValue(f *ir.Field) string {
	if f.Default != nil {
		return f.Default.Text(f.Type)
	}
	switch f.Type.Kind {
	case ir.OptionalKind:
		return "absent"
	case ir.StrKind, ir.BytesKind, ir.ListKind, ir.MapKind:
		return "empty"
	case ir.ArrayKind, ir.UnionKind, ir.StructKind, ir.MessageKind:
	}
	if f.Type.Kind.Class() == ir.BoolClass {
		return "false"
	}
	return "zero"
}
