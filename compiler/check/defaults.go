package check

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// placeDefault evaluates the default of a field, which only fields of later
// segments may have [LANG-7.3].
func (u *unit) placeDefault(f *ir.Field, n *syntax.Field, p place) {
	if n.Default == nil {
		return
	}
	if p != onMessageField || f.Since < 2 {
		help := "only fields of messages in segments from 2 on can be missing"
		if p == onMessageField {
			help = "a field of segment 1 is never missing; @since(2) puts it in the next segment"
		}
		u.problems.Error(codeDefaultPlace, n.Default.Span, "field %s cannot have a default", quote(f.Name)).WithHelp(help)
		return
	}
	if f.Type == nil {
		return
	}
	t := f.Type
	if t.Kind == ir.OptionalKind {
		t = t.Elem
	}
	if value, ok := u.defaultValue(n, t); ok {
		f.Default = &value
	}
}

// defaultValue evaluates a default of a type [LANG-7.4].
func (u *unit) defaultValue(n *syntax.Field, t *ir.Type) (ir.Value, bool) {
	switch t.Kind {
	case ir.StrKind:
		value, ok := u.value(n.Default, t)
		if ok {
			u.defaultFits(n.Default, value.Str, t)
		}
		return value, ok
	case ir.EnumKind:
		return u.memberValue(n.Default, t.Enum())
	}
	switch t.Kind.Class() {
	case ir.BoolClass, ir.UnsignedClass, ir.SignedClass, ir.FloatClass:
		return u.value(n.Default, t)
	case ir.TimestampClass, ir.DurationClass:
		return u.value(n.Default, builtins[ir.I64.String()])
	case ir.UUIDClass:
		value, ok := u.value(n.Default, builtins["str"])
		if ok && !isUUID(value.Str) {
			u.problems.Error(codeDefaultValue, n.Default.Span, "this is not a uuid").
				WithHelp("write 32 hexadecimal digits as \"00112233-4455-6677-8899-aabbccddeeff\"")
			return value, false
		}
		value.Str = strings.ToLower(value.Str)
		return value, ok
	}
	u.problems.Error(codeDefaultType, n.Default.Span, "a field of type %s cannot have a default", quote(n.Type.Span.Text())).
		WithHelp("defaults exist for bool, integers, floats, str, enums, timestamp, duration, uuid, and `?` of these")
	return ir.Value{}, false
}

func (u *unit) defaultFits(v *syntax.Value, s string, t *ir.Type) {
	bound := plan.LengthMax(t)
	if uint64(len(s)) > bound {
		u.problems.Error(codeDefaultValue, v.Span, "this default has %d bytes, and its type holds %d", len(s), bound).
			WithHelp("shorten it, or raise @max or @len")
	}
}

// memberValue understands `Effect`, `Kind.Effect` and `package.Kind.Effect`.
func (u *unit) memberValue(v *syntax.Value, e *ir.Enum) (ir.Value, bool) {
	if v.Kind != syntax.PathValue {
		u.valueKind(v, fmt.Sprintf("a value of enum %s is one of its members", quote(e.Name)), nil).
			WithRelated(e.Span, "the enum")
		return ir.Value{}, false
	}
	parts := v.Path.Parts
	if len(parts) > 1 {
		prefix := syntax.Path{Parts: parts[:len(parts)-1], Span: parts[0].Span.To(parts[len(parts)-2].Span)}
		s := u.lookup(prefix, "enum", u.typeNames)
		if s == nil || s.isType() && s.typ == nil {
			return ir.Value{}, false
		}
		if !s.isType() || s.typ.Decl != ir.Decl(e) {
			u.valueKind(v, fmt.Sprintf("the field's type is enum %s", quote(e.Name)), nil).
				WithRelated(e.Span, "the enum")
			return ir.Value{}, false
		}
	}
	name := parts[len(parts)-1]
	var names []string
	for _, m := range e.Members {
		if m.Name == name.Text {
			return ir.Value{Kind: ir.EnumValue, Int: m.Number, Member: m}, true
		}
		names = append(names, m.Name)
	}
	d := u.problems.Error(codeUnknownName, name.Span, "enum %s has no member %s", quote(e.Name), quote(name.Text)).
		WithRelated(e.Span, "the enum")
	u.suggest(d, name.Span, name.Text, func() []string { return names })
	return ir.Value{}, false
}

// isUUID tells whether a text is 8-4-4-4-12 hexadecimal digits.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if s[i] != '-' {
				return false
			}
		case strings.IndexByte("0123456789abcdefABCDEF", s[i]) < 0:
			return false
		}
	}
	return true
}

// missingValues refuses fields that would have no value where their segment is
// missing [LANG-7.5].
func (u *unit) missingValues() {
	for _, s := range u.declared {
		m, ok := s.decl.(*ir.Message)
		if !ok {
			continue
		}
		for i, n := range s.node.(*syntax.Struct).Fields {
			f := m.Fields[i]
			if f.Since < 2 || f.Type == nil || n.Default != nil || u.zeros.has(f.Type, 0) {
				continue
			}
			help := "make it optional: `?" + n.Type.Span.Text() + "`"
			if f.Type.Kind == ir.EnumKind {
				help = "give it a default, or make it optional: `?" + n.Type.Span.Text() + "`"
			}
			u.problems.Error(codeNoMissingValue, f.Span, "field %s has no value where segment %d is missing", quote(f.Name), f.Since).
				WithRelated(n.Type.Span, "this type has no zero value").
				WithHelp(help)
		}
	}
}

// zeros remembers which declarations have a zero value.
type zeros map[ir.Decl]bool

// has tells whether a type has a zero value. Types that nest deeper than is
// allowed, which endless ones do, were reported elsewhere.
func (z zeros) has(t *ir.Type, depth int) bool {
	if t == nil || depth > aggregatesMax {
		return true
	}
	switch t.Kind {
	case ir.StrKind, ir.BytesKind, ir.ListKind, ir.OptionalKind, ir.MapKind:
		return true
	case ir.UnionKind:
		return false
	case ir.ArrayKind:
		return z.has(t.Elem, depth)
	case ir.EnumKind, ir.StructKind, ir.MessageKind:
		has, known := z[t.Decl]
		if !known {
			has = z.declHas(t.Decl, depth+1)
			z[t.Decl] = has
		}
		return has
	}
	return true
}

func (z zeros) declHas(d ir.Decl, depth int) bool {
	var fields []*ir.Field
	switch d := d.(type) {
	case *ir.Enum:
		for _, m := range d.Members {
			if m.Number == 0 {
				return true
			}
		}
		return !d.Closed
	case *ir.Struct:
		fields = d.Fields
	case *ir.Message:
		fields = firstSegment(d)
	}
	for _, f := range fields {
		if !z.has(f.Type, depth) {
			return false
		}
	}
	return true
}

// firstSegment is the fields that every body of a message has.
func firstSegment(m *ir.Message) []*ir.Field {
	for i, f := range m.Fields {
		if f.Since > 1 {
			return m.Fields[:i]
		}
	}
	return m.Fields
}
