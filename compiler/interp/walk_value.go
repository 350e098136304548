package interp

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// value reads one value as a field, element or payload.
func (w *walker) value(t *ir.Type) error {
	switch t.Kind {
	case ir.StrKind:
		return w.text(t)
	case ir.BytesKind:
		return w.blob(t)
	case ir.ListKind:
		return w.list(t)
	case ir.ArrayKind:
		return w.array(t)
	case ir.OptionalKind:
		return w.optional(t)
	case ir.MapKind:
		return w.mapping(t)
	case ir.StructKind:
		return w.structure(t)
	case ir.MessageKind:
		return w.nestedMessage(t)
	case ir.UnionKind:
		return w.union(t)
	default:
		return w.leaf(t)
	}
}

// item looks at the next n bytes, which belong together [WIRE-3.3].
func (w *walker) item(t *ir.Type, n int) ([]byte, error) {
	if int64(n) > w.present() {
		return nil, w.refuse(t, endKind[w.window.kind], w.in.pos, "%d bytes, but %d are left", n, w.present())
	}
	return w.in.peek(int64(n))
}

func (w *walker) leaf(t *ir.Type) error {
	raw, err := w.item(t, t.Scalar().Bytes())
	if err != nil {
		return err
	}
	switch {
	case t.Kind == ir.Bool && raw[0] > 1:
		return w.refuse(t, ErrBoolInvalid, w.in.pos, "a bool is 0 or 1, not %d", raw[0])
	case t.Kind == ir.EnumKind && t.Enum().Closed:
		if n := loadInt(t.Enum().Base, raw); memberOf(t.Enum(), n) == nil {
			return w.refuse(t, ErrEnumUnknown, w.in.pos, "%s has no member %s", t.Enum().Name, decimal(t.Enum().Base, n))
		}
	}
	w.key = raw
	return w.emit(Event{Kind: ScalarEvent, Type: t, Raw: raw})
}

// length reads a length or count up to the schema's bound [WIRE-3.4] and leaves it unconsumed.
func (w *walker) length(t *ir.Type) (uint64, error) {
	raw, err := w.item(t, t.LenBytes)
	if err != nil {
		return 0, err
	}
	n := loadLength(raw)
	if t.Max != nil && n > *t.Max {
		return 0, w.refuse(t, ErrLimitMax, w.in.pos, "%d, and @max is %d", n, *t.Max)
	}
	return n, nil
}

// counted reads a length and the bytes that it counts, unconsumed.
func (w *walker) counted(t *ir.Type) (raw, content []byte, err error) {
	n, err := w.length(t)
	if err != nil {
		return nil, nil, err
	}
	if err := w.fits(t, n, t.LenBytes, w.present()); err != nil {
		return nil, nil, err
	}
	raw, err = w.in.peek(int64(plan.Prefix(t) + n))
	if err != nil {
		return nil, nil, err
	}
	return raw, raw[t.LenBytes:], nil
}

// fits checks a length of so many bytes in width, behind which rest ends.
func (w *walker) fits(t *ir.Type, n uint64, width int, rest int64) error {
	if left := uint64(rest) - uint64(width); n > left {
		return w.refuse(t, ErrLengthExceedsInput, w.in.pos, "length %d, but %d bytes are left", n, left)
	}
	return nil
}

func (w *walker) text(t *ir.Type) error {
	raw, content, err := w.counted(t)
	if err != nil {
		return err
	}
	if bad := firstIllFormed(content); bad >= 0 {
		return w.refuse(t, ErrUTF8Invalid, w.in.pos+int64(plan.Prefix(t))+int64(bad), "0x%02x is no UTF-8 here", content[bad])
	}
	w.key = content
	return w.emit(Event{Kind: TextEvent, Type: t, Raw: raw, Content: content, Count: uint64(len(content))})
}

// firstIllFormed is where the longest well-formed prefix ends, -1 if that is
// everything.
func firstIllFormed(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for i := 0; ; {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
}

func (w *walker) blob(t *ir.Type) error {
	raw, content, err := w.counted(t)
	if err != nil {
		return err
	}
	return w.emit(Event{Kind: BlobEvent, Type: t, Raw: raw, Content: content, Count: uint64(len(content))})
}

// count reads the count of a list or map whose elements take at least min bytes.
func (w *walker) count(kind EventKind, t *ir.Type, min uint64) (int, error) {
	n, err := w.length(t)
	if err != nil {
		return 0, err
	}
	if left := uint64(w.rest()) - plan.Prefix(t); n > left/min {
		return 0, w.refuse(t, ErrCountExceedsInput, w.in.pos,
			"%d times at least %d bytes, but %d bytes are left", n, min, left)
	}
	if err := w.charge(t, n); err != nil {
		return 0, err
	}
	raw, err := w.in.peek(int64(plan.Prefix(t)))
	if err != nil {
		return 0, err
	}
	return int(n), w.emit(Event{Kind: kind, Type: t, Raw: raw, Count: n})
}

// charge takes n from the budget of elements.
func (w *walker) charge(t *ir.Type, n uint64) error {
	if n > uint64(w.elements) {
		return w.refuse(t, ErrLimitElements, w.in.pos, "%d elements, and %d are left of the limit", n, w.elements)
	}
	w.elements -= int64(n)
	return nil
}

func (w *walker) list(t *ir.Type) error {
	n, err := w.count(ListEvent, t, w.program.SizeOf(t.Elem).Min)
	if err != nil {
		return err
	}
	return w.sequence(t, n)
}

func (w *walker) array(t *ir.Type) error {
	if err := w.charge(t, plan.ArrayElements(t)); err != nil {
		return err
	}
	if err := w.emit(Event{Kind: ArrayEvent, Type: t, Count: t.N}); err != nil {
		return err
	}
	return w.sequence(t, int(t.N))
}

func (w *walker) sequence(t *ir.Type, n int) error {
	for i := range n {
		if err := w.within(step{role: ElementRole, index: i}, t.Elem); err != nil {
			return err
		}
	}
	return w.emit(Event{Kind: EndEvent, Type: t})
}

// within reads a value one step down the path.
func (w *walker) within(s step, t *ir.Type) error {
	w.path.push(s)
	if err := w.value(t); err != nil {
		return err
	}
	w.path.pop()
	return nil
}

func (w *walker) optional(t *ir.Type) error {
	raw, err := w.item(t, plan.PresenceBytes)
	if err != nil {
		return err
	}
	present := raw[0]
	if present > 1 {
		return w.refuse(t, ErrPresenceInvalid, w.in.pos, "a presence byte is 0 or 1, not %d", present)
	}
	if err := w.emit(Event{Kind: PresenceEvent, Type: t, Raw: raw, Count: uint64(present)}); err != nil || present == 0 {
		return err
	}
	return w.value(t.Elem)
}

func (w *walker) mapping(t *ir.Type) error {
	n, err := w.count(MapEvent, t, w.program.EntrySize(t).Min)
	if err != nil {
		return err
	}
	var last []byte
	for i := range n {
		key := step{role: KeyRole, index: i}
		start := w.in.pos
		if err := w.within(key, t.Key); err != nil {
			return err
		}
		if i > 0 && compareKeys(t.Key, last, w.key) >= 0 {
			w.path.push(key)
			return w.refuse(t.Key, ErrMapOrder, start, "a key is greater than the key before it")
		}
		last = append(last[:0], w.key...)
		if err := w.within(step{role: ValueRole, index: i}, t.Elem); err != nil {
			return err
		}
	}
	return w.emit(Event{Kind: EndEvent, Type: t})
}

// compareKeys orders two keys by the bytes of their leaf or the content of their
// string [WIRE-5.12].
func compareKeys(t *ir.Type, a, b []byte) int {
	if t.Kind == ir.StrKind {
		return bytes.Compare(a, b)
	}
	base := t.Scalar()
	x, y := loadInt(base, a), loadInt(base, b)
	if base.IsSigned() {
		return compare(x, y)
	}
	return compare(uint64(x), uint64(y))
}

func compare[T int64 | uint64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func loadLength(raw []byte) uint64 {
	var wide [8]byte
	copy(wide[:], raw)
	return binary.LittleEndian.Uint64(wide[:])
}
