package sdp

import "math"

// prefix reads a length of one, two or four bytes. Where they are not there, the length
// is one that is not there either. It, and fits, become part of what calls them.
func prefix(s string, width int) (n uint32, rest string) {
	switch {
	case len(s) < width:
		return math.MaxUint32, ""
	case width == 4:
		return head32(s), s[4:]
	case width == 2:
		return uint32(At16(s, 0)), s[2:]
	}
	return uint32(s[0]), s[1:]
}

// fits reports whether a length is within its bound, and as many bytes are there.
func fits(s string, n, bound uint32) bool { return n <= bound && uint64(n) <= uint64(len(s)) }

// count reads a count of elements of at least min bytes each. It refuses one that the
// rest of the window cannot hold before anything is allocated. The product doesn't
// overflow: both factors are below 2^32.
func (d *Decoder) count(s string, width int, bound uint32, min int) (n int, rest string, ok bool) {
	there := len(s) >= width
	m, s := prefix(s, width)
	if !there || m > bound || uint64(m)*uint64(min) > uint64(len(s)) || int64(m) > int64(d.elements) {
		return 0, d.Refuse(), false
	}
	d.elements -= int(m)
	return int(m), s, true
}

// Count reads a count of elements of at least min bytes each: 0, where it is refused.
func (d *Decoder) Count(s string, width int, bound uint32, min int) (n int, rest string) {
	n, s, _ = d.count(s, width, bound, min)
	return n, s
}

// List reads the count of a list of elements of at least min bytes each, and makes
// list as long: the same memory where it has room, else new memory with the old
// elements in it, whose own memory decoding then reuses.
func List[T any](d *Decoder, s string, width int, bound uint32, min int, list *[]T) string {
	n, s, _ := d.count(s, width, bound, min)
	old := *list
	switch {
	case n <= cap(old):
		*list = old[:n]
	case !d.Allocate(s, int64(n)*int64(sizeOf[T]())):
		*list = old[:0]
		return d.Refuse()
	default:
		grown := make([]T, n)
		copy(grown, old[:cap(old)])
		*list = grown
	}
	return s
}

// Numbers reads a list of numbers.
func Numbers[T number](d *Decoder, s string, width int, bound uint32, list *[]T) string {
	n, s, ok := d.count(s, width, bound, sizeOf[T]())
	if !ok || !room(d, s, list, n) {
		return d.Refuse()
	}
	GetNumbers(*list, s)
	return s[n*sizeOf[T]():]
}

// Bools reads a list of bools.
func Bools[T ~bool](d *Decoder, s string, width int, bound uint32, list *[]T) string {
	n, s, ok := d.count(s, width, bound, 1)
	if !ok || !BoolsValid(s[:n]) || !room(d, s, list, n) {
		return d.Refuse()
	}
	copy(boolMemory(*list), s)
	return s[n:]
}

// MapEntryFactor is how many times its key's and value's size an entry of a map
// may cost: tables are powers of two, filled to seven eighths at most.
const MapEntryFactor = 3

// Map reads the count n of a map whose entries take at least min bytes each, and leaves m empty
// with room for n entries. It clears the present map if that held n entries or more, and makes a
// new map otherwise, so that no map grows while it is filled.
func Map[K comparable, V any](d *Decoder, s string, width int, bound uint32, min int, m *map[K]V) (n int, rest string) {
	n, s, ok := d.count(s, width, bound, min)
	switch {
	case !ok:
	case n <= len(*m):
		clear(*m)
	case !d.Allocate(s, int64(n)*MapEntryFactor*int64(sizeOf[K]()+sizeOf[V]()+1)):
		return 0, d.Refuse()
	default:
		*m = make(map[K]V, n)
	}
	return n, s
}

// New returns old, or a new T if old is nil. It returns nil and refuses the input if fewer than min
// bytes, the least size of a T, are left, or if the limit on memory is reached.
func New[T any](d *Decoder, s string, old *T, min int) *T {
	switch {
	case len(s) >= min && old != nil:
		return old
	case len(s) >= min && d.Allocate(s, int64(sizeOf[T]())):
		return new(T)
	}
	d.Refused = true
	return nil
}

// Present reads the byte that says whether an optional is there.
func (d *Decoder) Present(s string) (present bool, rest string) {
	if len(s) < 1 || s[0] > 1 {
		return false, d.Refuse()
	}
	return s[0] == 1, s[1:]
}

// Presence is Present for an optional, which it clears where nothing is there.
func Presence[T any](d *Decoder, s string, o *Optional[T]) string {
	present, s := d.Present(s)
	if o.Present = present; !present {
		o.Clear()
	}
	return s
}

// Tag reads the number of a union's alternative. It refuses 0, which none has.
func (d *Decoder) Tag(s string) (tag uint8, rest string) {
	if len(s) < 1 || s[0] == 0 {
		return 0, d.Refuse()
	}
	return s[0], s[1:]
}

// Window reads the length of a message's body or a union's payload. It returns these bytes and the
// rest of the input.
func (d *Decoder) Window(s string) (window, rest string) {
	n, s := prefix(s, 4)
	if uint64(n) > uint64(len(s)) {
		return "", d.Refuse()
	}
	return s[:n], s[n:]
}

// Close ends a window and returns the rest of the input behind it. Bytes left in the window are
// refused.
func (d *Decoder) Close(left, rest string) string {
	if d.Refused || len(left) > 0 {
		return d.Refuse()
	}
	return rest
}

// Missing ends a message that lacks a segment.
func (d *Decoder) Missing() string {
	if d.Exact {
		return d.Refuse()
	}
	return ""
}

// Tail passes what a newer writer's segments hold.
func (d *Decoder) Tail(s string) string {
	if d.Exact && len(s) > 0 {
		return d.Refuse()
	}
	return ""
}

// KeepTail is Tail for a message that keeps those.
func (d *Decoder) KeepTail(s string, dst *[]byte) string {
	if d.Exact && len(s) > 0 {
		return d.Refuse()
	}
	return d.Rest(s, dst)
}

// Blob reads bytes behind their length.
func (d *Decoder) Blob(s string, width int, bound uint32, dst *[]byte) string {
	n, s := prefix(s, width)
	if !fits(s, n, bound) {
		return d.Refuse()
	}
	return d.blob(s, int(n), dst)
}

// Rest takes all that is left of a window as bytes.
func (d *Decoder) Rest(s string, dst *[]byte) string { return d.blob(s, len(s), dst) }

// blob takes n bytes, which are there. A slice without spare capacity may be the input of an
// earlier decode, and strings may alias it, so blob never writes to it. Copied bytes get memory
// with one byte to spare.
func (d *Decoder) blob(s string, n int, dst *[]byte) string {
	if d.alias {
		*dst = bytesOf(s[:n])
		return s[n:]
	}
	own := *dst
	if len(own) == cap(own) {
		own = nil
	}
	if n == 0 {
		*dst = own[:0]
		return s
	}
	if !room(d, s, &own, n+1) {
		return d.Refuse()
	}
	own[copy(own, s[:n])] = 0
	*dst = own[:n]
	return s[n:]
}

// PassBlob passes bytes, or a window, behind their length.
func (d *Decoder) PassBlob(s string, width int, bound uint32) string {
	n, s := prefix(s, width)
	if !fits(s, n, bound) {
		return d.Refuse()
	}
	return s[n:]
}

// PassItems passes a list of elements of size bytes each, any of which are valid.
func (d *Decoder) PassItems(s string, width int, bound uint32, size int) string {
	n, s, _ := d.count(s, width, bound, size)
	return s[n*size:]
}

// PassBools passes a list of bools.
func (d *Decoder) PassBools(s string, width int, bound uint32) string {
	n, s, _ := d.count(s, width, bound, 1)
	if !BoolsValid(s[:n]) {
		return d.Refuse()
	}
	return s[n:]
}
