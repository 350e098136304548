package interp

import (
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// appendMissing encodes what a field is whose segment is missing [EVO-2.3].
func appendMissing(f *ir.Field) ([]byte, error) {
	e := &encoder{depth: LimitDepth}
	if refusal := e.within(fieldStep(f), f.Type, MissingValue(f)); refusal != nil {
		return nil, refusal.refusal()
	}
	return e.out, nil
}

// MissingValue is a field's declared default or else its zero value.
func MissingValue(f *ir.Field) Value {
	switch {
	case f.Default == nil:
		return zero(f.Type)
	case f.Type.Kind == ir.OptionalKind:
		return constant(f.Type.Elem, *f.Default)
	}
	return constant(f.Type, *f.Default)
}

// zero is the zero value of a type. A union has none: the checker refuses one
// in a later segment, so that it stays unset here and is refused when encoded.
func zero(t *ir.Type) Value {
	switch t.Kind {
	case ir.StrKind:
		return ""
	case ir.BytesKind:
		return []byte{}
	case ir.ListKind:
		return List{}
	case ir.ArrayKind:
		l := make(List, t.N)
		for i := range l {
			l[i] = zero(t.Elem)
		}
		return l
	case ir.OptionalKind, ir.UnionKind:
		return nil
	case ir.MapKind:
		return Map{}
	case ir.StructKind:
		return Struct(fieldValues(t.Struct().Fields))
	case ir.MessageKind:
		return Message{Fields: fieldValues(t.Message().Fields)}
	}
	return loadScalar(t, make([]byte, t.Scalar().Bytes()))
}

// fieldValues are zero in segment 1 and missing values in later segments.
func fieldValues(fields []*ir.Field) []Value {
	values := make([]Value, len(fields))
	for i, f := range fields {
		if f.Since > 1 {
			values[i] = MissingValue(f)
		} else {
			values[i] = zero(f.Type)
		}
	}
	return values
}

// constant makes a value of a checked constant.
func constant(t *ir.Type, c ir.Value) Value {
	switch c.Kind {
	case ir.BoolValue:
		return c.Bool
	case ir.StrValue:
		if t.Kind.Class() == ir.UUIDClass {
			return parsedUUID(c.Str)
		}
		return c.Str
	}
	kind := t.Scalar()
	number := c.Float
	if c.Kind == ir.IntValue {
		number = float64(c.Int)
	}
	switch {
	case kind.IsFloat():
		return floatOf(kind, floatBits(kind, number))
	case signed(kind):
		return c.Int
	}
	return uint64(c.Int)
}

// parsedUUID takes a text that the checker has seen.
func parsedUUID(text string) UUID {
	u, ok := parseUUID(text)
	if !ok {
		panic("interp: a constant is no uuid: " + text)
	}
	return u
}

// DefaultJSON is the declared default of a field, which has one, as JSON.
func DefaultJSON(f *ir.Field) []byte {
	t := f.Type
	if t.Kind == ir.OptionalKind {
		t = t.Elem
	}
	if t.Kind == ir.StrKind {
		return appendString(nil, []byte(f.Default.Str))
	}
	e := &encoder{depth: LimitDepth}
	if refusal := e.value(t, constant(t, *f.Default)); refusal != nil {
		panic("interp: a default is no value of its type") // the checker has seen it
	}
	return appendScalar(nil, t, e.out)
}
