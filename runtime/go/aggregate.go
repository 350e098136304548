package sdp

import "math"

// Count4 reads a count of elements of at least min bytes each.
func (d *Decoder) Count4(s string, bound uint32, min int) (int, string, bool) {
	if len(s) < 4 {
		return 0, s, false
	}
	return d.count(s[4:], head32(s), bound, min)
}

// Count2 is Count4 for a count of two bytes.
func (d *Decoder) Count2(s string, bound uint32, min int) (int, string, bool) {
	if len(s) < 2 {
		return 0, s, false
	}
	return d.count(s[2:], uint32(At16(s, 0)), bound, min)
}

// Count1 is Count4 for a count of one byte.
func (d *Decoder) Count1(s string, bound uint32, min int) (int, string, bool) {
	if len(s) < 1 {
		return 0, s, false
	}
	return d.count(s[1:], uint32(s[0]), bound, min)
}

// count refuses a count that the rest of the window cannot hold before anything
// is allocated. The product doesn't overflow: both factors are below 2^32.
func (d *Decoder) count(s string, n, bound uint32, min int) (int, string, bool) {
	if n > bound || uint64(n)*uint64(min) > uint64(len(s)) || int64(n) > int64(d.elements) {
		return 0, s, false
	}
	d.elements -= int(n)
	return int(n), s, true
}

// Length4 reads the length of bytes, or of a window.
func Length4(s string, bound uint32) (int, string, bool) {
	if len(s) < 4 {
		return 0, s, false
	}
	return fits(s[4:], head32(s), bound)
}

// Length2 is Length4 for a length of two bytes.
func Length2(s string, bound uint32) (int, string, bool) {
	if len(s) < 2 {
		return 0, s, false
	}
	return fits(s[2:], uint32(At16(s, 0)), bound)
}

// Length1 is Length4 for a length of one byte.
func Length1(s string, bound uint32) (int, string, bool) {
	if len(s) < 1 {
		return 0, s, false
	}
	return fits(s[1:], uint32(s[0]), bound)
}

func fits(s string, n, bound uint32) (int, string, bool) {
	return int(n), s, n <= bound && uint64(n) <= uint64(len(s))
}

// Window reads the u32 length of a message's body or a union's payload and
// returns that window and what is behind it.
func Window(s string) (window, rest string, ok bool) {
	n, s, ok := Length4(s, math.MaxUint32)
	if !ok {
		return "", s, false
	}
	return s[:n], s[n:], true
}

// Resize returns list with n elements: the same memory where it has room, else
// new memory with the old elements in it, whose own memory decoding then reuses.
func Resize[T any](d *Decoder, s string, list []T, n int) ([]T, bool) {
	if n <= cap(list) {
		return list[:n], true
	}
	if !d.Allocate(s, int64(n)*int64(sizeOf[T]())) {
		return list, false
	}
	grown := make([]T, n)
	copy(grown, list[:cap(list)])
	return grown, true
}

// Numbers reads n numbers, which the count has made sure are there.
func Numbers[T number](d *Decoder, s string, list []T, n int) ([]T, string, bool) {
	list, ok := room(d, s, list, n)
	if !ok {
		return list, s, false
	}
	GetNumbers(list, s)
	return list, s[n*sizeOf[T]():], true
}

// Bools reads n bools, which the count has made sure are there.
func Bools[T ~bool](d *Decoder, s string, list []T, n int) ([]T, string, bool) {
	if !BoolsValid(s[:n]) {
		return list, s, false
	}
	list, ok := room(d, s, list, n)
	if !ok {
		return list, s, false
	}
	copy(boolMemory(list), s)
	return list, s[n:], true
}

// New allocates a T, or keeps the one that is there. It refuses where fewer than
// min bytes are left, the least that a T takes: memory is only for what came.
func New[T any](d *Decoder, s string, old *T, min int) (*T, bool) {
	if len(s) < min {
		return old, false
	}
	if old != nil {
		return old, true
	}
	if !d.Allocate(s, int64(sizeOf[T]())) {
		return nil, false
	}
	return new(T), true
}

// MapEntryFactor is how many times its key's and value's size an entry of a map
// may cost: tables are powers of two, filled to seven eighths at most.
const MapEntryFactor = 3

// Map returns an empty map with room for n entries: the one that is there if it
// held as many, so that a map never grows while it is filled.
func Map[K comparable, V any](d *Decoder, s string, old map[K]V, n int) (map[K]V, bool) {
	if n <= len(old) {
		clear(old)
		return old, true
	}
	if !d.Allocate(s, int64(n)*MapEntryFactor*int64(sizeOf[K]()+sizeOf[V]()+1)) {
		return old, false
	}
	return make(map[K]V, n), true
}

// Blob takes n bytes, which are there. What fills its memory to the end may be
// the input of an earlier decode, whose strings alias it too: it is never
// written to, and bytes that are copied get memory with one byte to spare.
func (d *Decoder) Blob(s string, n int, dst *[]byte) (string, bool) {
	if d.alias {
		*dst = bytesOf(s[:n])
		return s[n:], true
	}
	own := *dst
	if len(own) == cap(own) {
		own = nil
	}
	if n == 0 {
		*dst = own[:0]
		return s, true
	}
	own, ok := room(d, s, own, n+1)
	if !ok {
		return s, false
	}
	own[copy(own, s[:n])] = 0
	*dst = own[:n]
	return s[n:], true
}
