package interp

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// Append encodes a value behind dst. When it refuses the value, it returns dst
// as it was and a *Refusal without an offset. A value that isn't of the codec's
// type is refused with value_invalid.
func (c *Codec) Append(dst []byte, v Value, mode Mode) ([]byte, error) {
	e := &encoder{program: c.program, out: dst, depth: LimitDepth}
	if mode == MessageMode {
		id, err := c.typeID()
		if err != nil {
			return dst, err
		}
		e.out = appendHeader(e.out, id)
	}
	start := len(e.out)
	refusal := e.top(c.root, v)
	if refusal == nil && mode == MessageMode {
		refusal = e.patch(start-lengthBytes, "payload")
	}
	if refusal != nil {
		return dst, refusal.refusal()
	}
	return e.out, nil
}

type encoder struct {
	program *plan.Program
	out     []byte
	path    path
	depth   int // levels that may still be entered
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
		if kind == ir.Bool {
			e.out = append(e.out, map[bool]byte{true: 1}[v])
			return nil
		}
	case F32:
		if kind == ir.F32 {
			e.out = binary.LittleEndian.AppendUint32(e.out, uint32(v))
			return nil
		}
	case F64:
		if kind == ir.F64 {
			e.out = binary.LittleEndian.AppendUint64(e.out, uint64(v))
			return nil
		}
	case UUID:
		if kind == ir.UUIDKind {
			e.out = append(e.out, v[:]...)
			return nil
		}
	case uint64:
		if kind.IsInteger() && !signed(kind) {
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
func checkLength(t *ir.Type, n uint64, at path) *encodeRefusal {
	switch most := uint64(1)<<(8*t.LenBytes) - 1; {
	case t.Max != nil && n > *t.Max:
		return refuseValue(ErrLimitMax, at, "%d, and @max is %d", n, *t.Max)
	case n > most:
		return refuseValue(ErrValueTooLarge, at, "%d, and a u%d holds %d", n, 8*t.LenBytes, most)
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

func (e *encoder) enter(t *ir.Type) *encodeRefusal {
	if e.depth == 0 {
		return e.refuse(ErrLimitDepth, "%s is nested too deeply", t.Decl.DeclName())
	}
	e.depth--
	return nil
}

func (e *encoder) structure(t *ir.Type, v Value) *encodeRefusal {
	if refusal := e.enter(t); refusal != nil {
		return refusal
	}
	defer func() { e.depth++ }()
	s, ok := v.(Struct)
	if !ok {
		return e.mismatch(t, v)
	}
	return e.fields(t, t.Struct().Fields, s)
}

func (e *encoder) fields(t *ir.Type, fields []*ir.Field, values []Value) *encodeRefusal {
	if len(values) != len(fields) {
		return e.refuse(ErrValueInvalid, "%d fields, but %s has %d", len(values), t.Decl.DeclName(), len(fields))
	}
	for i, f := range fields {
		if refusal := e.within(fieldStep(f), f.Type, values[i]); refusal != nil {
			return refusal
		}
	}
	return nil
}

func (e *encoder) body(t *ir.Type, v Value) *encodeRefusal {
	if refusal := e.enter(t); refusal != nil {
		return refusal
	}
	defer func() { e.depth++ }()
	m, ok := v.(Message)
	if !ok {
		return e.mismatch(t, v)
	}
	if len(m.Tail) > 0 && !t.Message().KeepUnknown {
		return e.refuse(ErrValueInvalid, "%s keeps no unknown tail", t.Decl.DeclName())
	}
	if refusal := e.fields(t, t.Message().Fields, m.Fields); refusal != nil {
		return refusal
	}
	e.out = append(e.out, m.Tail...)
	return nil
}

func (e *encoder) nestedMessage(t *ir.Type, v Value) *encodeRefusal {
	at := e.hole()
	if refusal := e.body(t, v); refusal != nil {
		return refusal
	}
	return e.patch(at, "body")
}

// hole leaves room for a u32 length that patch fills in.
func (e *encoder) hole() int {
	e.out = append(e.out, 0, 0, 0, 0)
	return len(e.out) - lengthBytes
}

func (e *encoder) patch(at int, what string) *encodeRefusal {
	n := len(e.out) - at - lengthBytes
	if uint64(n) > math.MaxUint32 {
		return e.refuse(ErrValueTooLarge, "a %s of %d bytes", what, n)
	}
	binary.LittleEndian.PutUint32(e.out[at:], uint32(n))
	return nil
}

func (e *encoder) union(t *ir.Type, v Value) *encodeRefusal {
	if refusal := e.enter(t); refusal != nil {
		return refusal
	}
	defer func() { e.depth++ }()
	u := t.Union()
	switch v := v.(type) {
	case Union:
		alternative := alternativeOf(u, v.Tag)
		if alternative == nil {
			return e.refuse(ErrValueInvalid, "%s has no alternative %d", u.Name, v.Tag)
		}
		return e.alternative(u, alternative, v.Value)
	case Unknown:
		if u.Closed || v.Tag == 0 || alternativeOf(u, v.Tag) != nil {
			return e.refuse(ErrValueInvalid, "%d is no unknown alternative of %s", v.Tag, u.Name)
		}
		e.out = append(e.out, v.Tag)
		at := e.hole()
		e.out = append(e.out, v.Payload...)
		return e.patch(at, "payload")
	}
	return e.mismatch(t, v)
}

func (e *encoder) alternative(u *ir.Union, a *ir.Alternative, v Value) *encodeRefusal {
	e.out = append(e.out, a.Tag)
	var at int
	if !u.Closed {
		at = e.hole()
	}
	switch {
	case a.Type != nil:
		if refusal := e.within(step{role: PayloadRole, name: a.Name}, a.Type, v); refusal != nil {
			return refusal
		}
	case v != nil:
		return e.refuse(ErrValueInvalid, "%s has no payload", a.Name)
	}
	if u.Closed {
		return nil
	}
	return e.patch(at, "payload")
}
