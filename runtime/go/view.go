package sdp

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// The functions of this file read bytes that were validated before. They are
// for generated views. If somebody changes the bytes afterwards they may panic
// or return nonsense, but never reach outside of the slice.

// StartView makes d ready to validate the input of a view by options: nothing is
// copied or allocated.
func (d *Decoder) StartView(data []byte, o *DecodeOptions) string {
	s := d.StartWith(data, 0, o)
	d.alias = true
	return s
}

// A view holds its bytes as a string: it is a word smaller than a slice, nobody
// can write through it, and the compiler makes shorter code of reading it.

// Alias is b as a string that shares its memory. It is for generated views,
// whose users are told not to change the bytes.
func Alias(b []byte) string { return aliasString(b) }

// UUIDAt is the uuid at p.
func UUIDAt(s string, p int) (u UUID) {
	copy(u[:], s[p:p+16])
	return u
}

// Length4At is the length or count of four bytes at p.
func Length4At(s string, p int) int { return int(At32(s, p)) }

// Length2At is Length4At for two bytes.
func Length2At(s string, p int) int { return int(At16(s, p)) }

// Length1At is Length4At for one byte.
func Length1At(s string, p int) int { return int(s[p]) }

// Open4 returns a length or count of four bytes and the bytes behind it.
func Open4(s string) (int, string) { return Length4At(s, 0), s[4:] }

// Open2 is Open4 for two bytes.
func Open2(s string) (int, string) { return Length2At(s, 0), s[2:] }

// Open1 is Open4 for one byte.
func Open1(s string) (int, string) { return Length1At(s, 0), s[1:] }

// Number4 returns the length or count of four bytes at *p and moves *p behind
// it.
func Number4(s string, p *int) int {
	n := Length4At(s, *p)
	*p += 4
	return n
}

// Number2 is Number4 for two bytes.
func Number2(s string, p *int) int {
	n := Length2At(s, *p)
	*p += 2
	return n
}

// Number1 is Number4 for one byte.
func Number1(s string, p *int) int {
	n := Length1At(s, *p)
	*p++
	return n
}

// Skip4 returns the position behind a length of four bytes at p and that many
// bytes.
func Skip4(s string, p int) int { return p + 4 + Length4At(s, p) }

// Skip2 is Skip4 for a length of two bytes.
func Skip2(s string, p int) int { return p + 2 + Length2At(s, p) }

// Skip1 is Skip4 for a length of one byte.
func Skip1(s string, p int) int { return p + 1 + Length1At(s, p) }

// SkipRuns4 returns the position behind a count of four bytes at p and that many
// elements of size bytes.
func SkipRuns4(s string, p, size int) int { return p + 4 + size*Length4At(s, p) }

// SkipRuns2 is SkipRuns4 for a count of two bytes.
func SkipRuns2(s string, p, size int) int { return p + 2 + size*Length2At(s, p) }

// SkipRuns1 is SkipRuns4 for a count of one byte.
func SkipRuns1(s string, p, size int) int { return p + 1 + size*Length1At(s, p) }

// String4 returns the string behind a length of four bytes at p.
func String4(s string, p int) string { return s[p+4 : p+4+Length4At(s, p)] }

// String2 is String4 for a length of two bytes.
func String2(s string, p int) string { return s[p+2 : p+2+Length2At(s, p)] }

// String1 is String4 for a length of one byte.
func String1(s string, p int) string { return s[p+1 : p+1+Length1At(s, p)] }

// Bytes4 returns the bytes behind a length of four bytes at p. They are the
// input's own memory.
func Bytes4(s string, p int) []byte { return bytesOf(String4(s, p)) }

// Bytes2 is Bytes4 for a length of two bytes.
func Bytes2(s string, p int) []byte { return bytesOf(String2(s, p)) }

// Bytes1 is Bytes4 for a length of one byte.
func Bytes1(s string, p int) []byte { return bytesOf(String1(s, p)) }

// ListView is a list within a list, map or optional. It is a window on validated
// bytes.
type ListView[T any] struct {
	s    string
	n    int
	next func(s string) (T, string)
}

// NewListView returns a list of n elements at the start of s, which next reads
// one after the other.
func NewListView[T any](s string, n int, next func(s string) (T, string)) ListView[T] {
	return ListView[T]{s, n, next}
}

// Len returns the number of elements.
func (l ListView[T]) Len() int { return l.n }

// All yields the elements.
func (l ListView[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		s := l.s
		for range l.n {
			var e T
			e, s = l.next(s)
			if !yield(e) {
				return
			}
		}
	}
}

// Rest returns what follows the list.
func (l ListView[T]) Rest() string {
	s := l.s
	for range l.n {
		_, s = l.next(s)
	}
	return s
}

// MapView is a map within a list, map or optional. It is a window on validated
// bytes.
type MapView[K, V any] struct {
	s    string
	n    int
	next func(s string) (K, V, string)
}

// NewMapView returns a map of n entries at the start of s, which next reads one
// after the other.
func NewMapView[K, V any](s string, n int, next func(s string) (K, V, string)) MapView[K, V] {
	return MapView[K, V]{s, n, next}
}

// Len returns the number of entries.
func (m MapView[K, V]) Len() int { return m.n }

// All yields the entries in key order.
func (m MapView[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		s := m.s
		for range m.n {
			var key K
			var value V
			key, value, s = m.next(s)
			if !yield(key, value) {
				return
			}
		}
	}
}

// Rest returns what follows the map.
func (m MapView[K, V]) Rest() string {
	s := m.s
	for range m.n {
		_, _, s = m.next(s)
	}
	return s
}

// EncodingOf is the encoding of a value that has one.
func EncodingOf(v interface{ MarshalBinary() ([]byte, error) }) []byte {
	b, _ := v.MarshalBinary()
	return b
}

// FramedEncodingOf is EncodingOf behind its length, as a nested message has it.
func FramedEncodingOf(v interface{ MarshalBinary() ([]byte, error) }) []byte {
	b := EncodingOf(v)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
}

// Repeat is b n times.
func Repeat(b []byte, n int) []byte { return bytes.Repeat(b, n) }
