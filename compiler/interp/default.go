package interp

import (
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// Default makes a value of no particular content: fields are their declared
// defaults, or zero, empty or absent; a union is the first of its alternatives
// that leads to an end; an enum that is closed and has no 0 is its first member.
// Every type has such a value.
func (c *Codec) Default() Value {
	v, _ := defaultOf(c.root, nil)
	return v
}

// DefaultOf is the same for any type.
func DefaultOf(t *ir.Type) Value {
	v, _ := defaultOf(t, nil)
	return v
}

// defaultOf makes the default of a type. There is none below the declarations
// around it that leads back to one of them, since the smallest value of a type
// never holds itself.
func defaultOf(t *ir.Type, around []ir.Decl) (Value, bool) {
	switch t.Kind {
	case ir.ArrayKind:
		one, ok := defaultOf(t.Elem, around)
		l := make(List, t.N)
		for i := range l {
			l[i] = one
		}
		return l, ok || t.N == 0
	case ir.EnumKind:
		if e := t.Enum(); e.Closed && memberOf(e, 0) == nil && len(e.Members) > 0 {
			return enumValue(t, e.Members[0].Number), true
		}
	case ir.StructKind, ir.MessageKind, ir.UnionKind:
		if slices.Contains(around, t.Decl) {
			return nil, false
		}
		around = append(slices.Clip(around), t.Decl)
	}
	switch t.Kind {
	case ir.StructKind:
		values, ok := defaultFields(t.Struct().Fields, around)
		return Struct(values), ok
	case ir.MessageKind:
		values, ok := defaultFields(t.Message().Fields, around)
		return Message{Fields: values}, ok
	case ir.UnionKind:
		return defaultUnion(t.Union(), around)
	}
	return zero(t), true
}

func enumValue(t *ir.Type, number int64) Value {
	if signed(t.Scalar()) {
		return number
	}
	return uint64(number)
}

func defaultFields(fields []*ir.Field, around []ir.Decl) ([]Value, bool) {
	values := make([]Value, len(fields))
	for i, f := range fields {
		if f.Default != nil || f.Since > 1 {
			values[i] = MissingValue(f)
			continue
		}
		ok := false
		if values[i], ok = defaultOf(f.Type, around); !ok {
			return nil, false
		}
	}
	return values, true
}

func defaultUnion(u *ir.Union, around []ir.Decl) (Value, bool) {
	for _, a := range u.Alternatives {
		if a.Type == nil {
			return Union{Tag: a.Tag}, true
		}
		if v, ok := defaultOf(a.Type, around); ok {
			return Union{a.Tag, v}, true
		}
	}
	return nil, false
}
