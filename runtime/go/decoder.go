package sdp

import "encoding/binary"

// Decoder is the state of one decode: its budgets and the memory that its
// strings are carved from. It is for generated code, which makes one on its
// stack for each decode.
//
// Its methods take what is left of the innermost window and return what is left
// behind the item, and whether the item was valid. They don't say what was
// wrong: when a decode fails, Explain walks the input again.
type Decoder struct {
	// Depth is the deepest level allowed.
	Depth int
	// Exact asks messages to refuse missing segments and unknown tails.
	Exact bool

	alias    bool
	elements int
	memory   int64
	// memoryLeft is what was left of the input when the memory ran out, else -1.
	memoryLeft int
	limits     Limits
	chunk      []byte
	// textLeft bounds what chunks are made for: all strings together are no
	// longer than the input.
	textLeft int
}

// NewDecoder returns the state for decoding input of n bytes under the default
// limits.
func NewDecoder(n int) Decoder {
	return Decoder{
		Depth: LimitDepth, elements: LimitElements, memory: LimitMemoryBytes,
		memoryLeft: -1, textLeft: n,
	}
}

// NewDecoderWith returns the state for decoding input of n bytes by options.
func NewDecoderWith(n int, o *DecodeOptions) Decoder {
	l := o.Limits.filled()
	return Decoder{
		Depth: l.Depth, Exact: o.Exact, alias: o.AliasInput, elements: l.Elements, memory: int64(l.MemoryBytes),
		memoryLeft: -1, textLeft: n, limits: l,
	}
}

// MessageBytes is the longest payload that the options allow.
func (d *Decoder) MessageBytes() int { return d.limits.MessageBytes }

// Fits reports whether the options allow input of this length.
func (d *Decoder) Fits(input []byte) bool { return len(input) <= d.limits.MessageBytes }

// Explain names what is wrong with input that generated code refused.
func (d *Decoder) Explain(layout string, input []byte, mode Mode) error {
	return d.explain(layout, input, 0, mode)
}

// ExplainMessage is Explain for a payload in data, whose header was fine.
func (d *Decoder) ExplainMessage(layout string, data, payload []byte) error {
	if err := d.explain(layout, payload, HeaderBytes, ModeWhole); err.Kind != ErrValueInvalid {
		return err
	}
	return &Error{Kind: ErrTrailingBytes, Offset: HeaderBytes + len(payload)}
}

// explain returns ErrValueInvalid, which no walk finds, where generated code
// refuses what the walk accepts: bytes behind a payload, or else a defect of one
// of the two. The input stays refused.
func (d *Decoder) explain(layout string, input []byte, base int, mode Mode) *Error {
	memoryAt := -1
	if d.memoryLeft >= 0 {
		memoryAt = len(input) - d.memoryLeft
	}
	if d.Exact {
		mode |= ModeExact
	}
	if err := Explain(layout, input, base, mode, d.limits, memoryAt); err != nil {
		return err
	}
	return &Error{Kind: ErrValueInvalid, Offset: base}
}

// Elements takes n from the budget of elements.
func (d *Decoder) Elements(n int) bool {
	d.elements -= n
	return d.elements >= 0
}

// Allocate takes size bytes, which are about to be allocated, from the budget
// of memory. b is what is left of the input.
func (d *Decoder) Allocate(b []byte, size int64) bool {
	if size > d.memory {
		d.memoryLeft = len(b)
		return false
	}
	d.memory -= size
	return true
}

// Count4 reads a count of elements of at least min bytes each.
func (d *Decoder) Count4(b []byte, bound uint32, min int) (int, []byte, bool) {
	if len(b) < 4 {
		return 0, b, false
	}
	return d.count(b[4:], binary.LittleEndian.Uint32(b), bound, min)
}

// Count2 is Count4 for a count of two bytes.
func (d *Decoder) Count2(b []byte, bound uint32, min int) (int, []byte, bool) {
	if len(b) < 2 {
		return 0, b, false
	}
	return d.count(b[2:], uint32(binary.LittleEndian.Uint16(b)), bound, min)
}

// Count1 is Count4 for a count of one byte.
func (d *Decoder) Count1(b []byte, bound uint32, min int) (int, []byte, bool) {
	if len(b) < 1 {
		return 0, b, false
	}
	return d.count(b[1:], uint32(b[0]), bound, min)
}

// count refuses a count that the rest of the window cannot hold before anything
// is allocated. The product doesn't overflow: both factors are below 2^32.
func (d *Decoder) count(b []byte, n, bound uint32, min int) (int, []byte, bool) {
	if n > bound || uint64(n)*uint64(min) > uint64(len(b)) || int(n) > d.elements {
		return 0, b, false
	}
	d.elements -= int(n)
	return int(n), b, true
}

// Length4 reads the length of bytes, or of a window.
func Length4(b []byte, bound uint32) (int, []byte, bool) {
	if len(b) < 4 {
		return 0, b, false
	}
	n := binary.LittleEndian.Uint32(b)
	b = b[4:]
	return int(n), b, n <= bound && uint64(n) <= uint64(len(b))
}

// Length2 is Length4 for a length of two bytes.
func Length2(b []byte, bound uint32) (int, []byte, bool) {
	if len(b) < 2 {
		return 0, b, false
	}
	n := binary.LittleEndian.Uint16(b)
	b = b[2:]
	return int(n), b, uint32(n) <= bound && int(n) <= len(b)
}

// Length1 is Length4 for a length of one byte.
func Length1(b []byte, bound uint32) (int, []byte, bool) {
	if len(b) < 1 {
		return 0, b, false
	}
	n := b[0]
	b = b[1:]
	return int(n), b, uint32(n) <= bound && int(n) <= len(b)
}

// Window reads the u32 length of a message's body or a union's payload and
// returns that window and what is behind it.
func Window(b []byte) (window, rest []byte, ok bool) {
	n, b, ok := Length4(b, 1<<32-1)
	if !ok {
		return nil, b, false
	}
	return b[:n], b[n:], true
}

// Resize returns s with n elements: the same memory where it has room, else new
// memory with the old elements in it, whose own memory decoding then reuses.
func Resize[T any](d *Decoder, b []byte, s []T, n int) ([]T, bool) {
	if n <= cap(s) {
		return s[:n], true
	}
	if !d.Allocate(b, int64(n)*int64(sizeOf[T]())) {
		return s, false
	}
	grown := make([]T, n)
	copy(grown, s[:cap(s)])
	return grown, true
}

// Numbers reads n numbers, which the count has made sure are there.
func Numbers[T number](d *Decoder, b []byte, s []T, n int) ([]T, []byte, bool) {
	s, ok := Resize(d, b, s, n)
	if !ok {
		return s, b, false
	}
	GetNumbers(s, b)
	return s, b[n*sizeOf[T]():], true
}

// Bools reads n bools, which the count has made sure are there.
func Bools[T ~bool](d *Decoder, b []byte, s []T, n int) ([]T, []byte, bool) {
	s, ok := Resize(d, b, s, n)
	if !ok || !GetBools(s, b) {
		return s, b, false
	}
	return s, b[n:], true
}

// New allocates a T, or keeps the one that is there.
func New[T any](d *Decoder, b []byte, old *T) (*T, bool) {
	if old != nil {
		return old, true
	}
	if !d.Allocate(b, int64(sizeOf[T]())) {
		return nil, false
	}
	return new(T), true
}

// Map returns an empty map with room for n entries, reusing the one that is
// there.
func Map[K comparable, V any](d *Decoder, b []byte, old map[K]V, n int) (map[K]V, bool) {
	if old != nil {
		clear(old)
	}
	if !d.Allocate(b, int64(n)*MapEntryFactor*int64(sizeOf[K]()+sizeOf[V]()+1)) {
		return old, false
	}
	if old == nil {
		old = make(map[K]V, n)
	}
	return old, true
}

// MapEntryFactor is how many times its key's and value's size an entry of a map
// may cost: tables are powers of two, filled to seven eighths at most.
const MapEntryFactor = 3

// Blob4 reads bytes with a length of four bytes.
func (d *Decoder) Blob4(b []byte, dst *[]byte, bound uint32) ([]byte, bool) {
	n, b, ok := Length4(b, bound)
	if !ok {
		return b, false
	}
	return d.Blob(b, n, dst)
}

// Blob2 reads bytes with a length of two bytes.
func (d *Decoder) Blob2(b []byte, dst *[]byte, bound uint32) ([]byte, bool) {
	n, b, ok := Length2(b, bound)
	if !ok {
		return b, false
	}
	return d.Blob(b, n, dst)
}

// Blob1 reads bytes with a length of one byte.
func (d *Decoder) Blob1(b []byte, dst *[]byte, bound uint32) ([]byte, bool) {
	n, b, ok := Length1(b, bound)
	if !ok {
		return b, false
	}
	return d.Blob(b, n, dst)
}

// Blob takes n bytes, which are there.
func (d *Decoder) Blob(b []byte, n int, dst *[]byte) ([]byte, bool) {
	if d.alias {
		*dst = b[:n:n]
		return b[n:], true
	}
	s, ok := Resize(d, b, *dst, n)
	if !ok {
		return b, false
	}
	copy(s, b)
	*dst = s
	return b[n:], true
}
