package interp

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// Append encodes a value behind dst. When it refuses the value, it returns dst
// as it was and a *Refusal without an offset. A value that isn't of the codec's
// type is refused with value_invalid.
func (c *Codec) Append(dst []byte, v Value, mode Mode) ([]byte, error) {
	e := &encoder{out: dst, depth: LimitDepth}
	if mode == MessageMode {
		id, err := c.typeID()
		if err != nil {
			return dst, err
		}
		e.out = AppendHeader(e.out, id, 0)
	}
	start := len(e.out)
	refusal := e.top(c.root, v)
	if refusal == nil && mode == MessageMode {
		refusal = e.patch(start-plan.WindowBytes, "payload")
	}
	if refusal != nil {
		return dst, refusal.refusal()
	}
	return e.out, nil
}

type encoder struct {
	out   []byte
	path  path
	depth int // levels that may still be entered
}

func (e *encoder) refuse(kind Kind, format string, args ...any) *encodeRefusal {
	return refuseValue(kind, e.path, format, args...)
}

// mismatch refuses a value that no value of the type looks like.
func (e *encoder) mismatch(t *ir.Type, v Value) *encodeRefusal {
	return e.refuse(ErrValueInvalid, "%T is no value of a %s", v, t.Kind)
}

// top encodes a value without the length that a message has elsewhere.
func (e *encoder) top(t *ir.Type, v Value) *encodeRefusal {
	if t.Kind == ir.MessageKind {
		return e.body(t, v)
	}
	return e.value(t, v)
}

func (e *encoder) value(t *ir.Type, v Value) *encodeRefusal {
	switch t.Kind {
	case ir.StrKind:
		if s, ok := v.(string); ok {
			return e.counted(t, []byte(s))
		}
	case ir.BytesKind:
		if b, ok := v.([]byte); ok {
			return e.counted(t, b)
		}
	case ir.ListKind, ir.ArrayKind:
		if l, ok := v.(List); ok {
			return e.list(t, l)
		}
	case ir.OptionalKind:
		return e.optional(t, v)
	case ir.MapKind:
		if m, ok := v.(Map); ok {
			return e.mapping(t, m)
		}
	case ir.StructKind:
		return e.structure(t, v)
	case ir.MessageKind:
		return e.nestedMessage(t, v)
	case ir.UnionKind:
		return e.union(t, v)
	default:
		return e.scalar(t, v)
	}
	return e.mismatch(t, v)
}

func (e *encoder) scalar(t *ir.Type, v Value) *encodeRefusal {
	kind := t.Scalar()
	switch v := v.(type) {
	case bool:
		if kind.Class() == ir.BoolClass {
			e.out = append(e.out, map[bool]byte{true: 1}[v])
			return nil
		}
	case F32:
		if kind.IsFloat() && kind.Bytes() == 4 {
			e.out = binary.LittleEndian.AppendUint32(e.out, uint32(v))
			return nil
		}
	case F64:
		if kind.IsFloat() && kind.Bytes() == 8 {
			e.out = binary.LittleEndian.AppendUint64(e.out, uint64(v))
			return nil
		}
	case UUID:
		if kind.Class() == ir.UUIDClass {
			e.out = append(e.out, v[:]...)
			return nil
		}
	case uint64:
		if kind.Class() == ir.UnsignedClass {
			return e.integer(t, int64(v))
		}
	case int64:
		if signed(kind) {
			return e.integer(t, v)
		}
	}
	return e.mismatch(t, v)
}

func (e *encoder) integer(t *ir.Type, n int64) *encodeRefusal {
	kind := t.Scalar()
	if !inRange(kind, n) {
		return e.refuse(ErrValueInvalid, "%s is no %s", decimal(kind, n), kind)
	}
	if t.Kind == ir.EnumKind && t.Enum().Closed && memberOf(t.Enum(), n) == nil {
		return e.refuse(ErrValueInvalid, "%s has no member %s", t.Enum().Name, decimal(kind, n))
	}
	e.out = appendInt(e.out, uint64(n), kind.Bytes())
	return nil
}

// checkLength says whether a length or count can be written [WIRE-9.2].
func checkLength(t *ir.Type, n uint64, p path) *encodeRefusal {
	switch most := plan.WidthMax(t.LenBytes); {
	case t.Max != nil && n > *t.Max:
		return refuseValue(ErrLimitMax, p, "%d, and @max is %d", n, *t.Max)
	case n > most:
		return refuseValue(ErrValueTooLarge, p, "%d, and a %s holds %d", n, plan.LengthName(t), most)
	}
	return nil
}

// length writes a length or count.
func (e *encoder) length(t *ir.Type, n int) *encodeRefusal {
	if refusal := checkLength(t, uint64(n), e.path); refusal != nil {
		return refusal
	}
	e.out = appendInt(e.out, uint64(n), t.LenBytes)
	return nil
}

func (e *encoder) counted(t *ir.Type, b []byte) *encodeRefusal {
	if refusal := e.length(t, len(b)); refusal != nil {
		return refusal
	}
	e.out = append(e.out, b...)
	return nil
}

// within encodes a value one step down the path.
func (e *encoder) within(s step, t *ir.Type, v Value) *encodeRefusal {
	e.path.push(s)
	refusal := e.value(t, v)
	e.path.pop()
	return refusal
}

func (e *encoder) list(t *ir.Type, l List) *encodeRefusal {
	if t.Kind == ir.ArrayKind && uint64(len(l)) != t.N {
		return e.refuse(ErrValueInvalid, "%d elements, not %d", len(l), t.N)
	}
	if t.Kind == ir.ListKind {
		if refusal := e.length(t, len(l)); refusal != nil {
			return refusal
		}
	}
	for i, v := range l {
		if refusal := e.within(step{role: ElementRole, index: i}, t.Elem, v); refusal != nil {
			return refusal
		}
	}
	return nil
}

func (e *encoder) optional(t *ir.Type, v Value) *encodeRefusal {
	if v == nil {
		e.out = append(e.out, 0)
		return nil
	}
	e.out = append(e.out, 1)
	return e.value(t.Elem, v)
}

// mapping encodes the entries in the order of their keys.
func (e *encoder) mapping(t *ir.Type, m Map) *encodeRefusal {
	if refusal := e.length(t, len(m)); refusal != nil {
		return refusal
	}
	sorted := slices.Clone(m)
	slices.SortStableFunc(sorted, func(a, b Entry) int { return compareValues(a.Key, b.Key) })
	for i, entry := range sorted {
		key := step{role: KeyRole, index: i}
		if refusal := e.within(key, t.Key, entry.Key); refusal != nil {
			return refusal
		}
		if i > 0 && compareValues(sorted[i-1].Key, entry.Key) == 0 {
			return refuseValue(ErrValueInvalid, append(slices.Clone(e.path), key), "the key is there twice")
		}
		if refusal := e.within(step{role: ValueRole, index: i}, t.Elem, entry.Value); refusal != nil {
			return refusal
		}
	}
	return nil
}

// compareValues orders two keys of the same type. Of keys that have no place
// anywhere it says that they are equal; encoding them refuses them.
func compareValues(a, b Value) int {
	switch a := a.(type) {
	case bool:
		if b, ok := b.(bool); ok && a != b {
			return map[bool]int{false: -1, true: 1}[a]
		}
	case uint64:
		if b, ok := b.(uint64); ok {
			return compare(a, b)
		}
	case int64:
		if b, ok := b.(int64); ok {
			return compare(a, b)
		}
	case string:
		if b, ok := b.(string); ok {
			return strings.Compare(a, b)
		}
	}
	return 0
}
