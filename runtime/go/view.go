package sdp

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// The functions of this file read bytes that were validated before. They are
// for generated views. If somebody changes the bytes afterwards they may panic
// or return nonsense, but never reach outside of the slice.

// NewViewDecoder returns the state for validating the input of a view: nothing
// is copied or allocated.
func NewViewDecoder(n int, o *DecodeOptions) Decoder {
	d := NewDecoderWith(n, o)
	d.alias = true
	return d
}

// ValidText4 validates a string with a length of four bytes.
func (d *Decoder) ValidText4(b []byte, bound uint32) ([]byte, bool) {
	if len(b) < 4 {
		return b, false
	}
	return validText(b[4:], binary.LittleEndian.Uint32(b), bound)
}

// ValidText2 is ValidText4 for a length of two bytes.
func (d *Decoder) ValidText2(b []byte, bound uint32) ([]byte, bool) {
	if len(b) < 2 {
		return b, false
	}
	return validText(b[2:], uint32(binary.LittleEndian.Uint16(b)), bound)
}

// ValidText1 is ValidText4 for a length of one byte.
func (d *Decoder) ValidText1(b []byte, bound uint32) ([]byte, bool) {
	if len(b) < 1 {
		return b, false
	}
	return validText(b[1:], uint32(b[0]), bound)
}

func validText(b []byte, length, bound uint32) ([]byte, bool) {
	if length > bound || uint64(length) > uint64(len(b)) {
		return b, false
	}
	n := int(length)
	return b[n:], ValidText(b, n)
}

// Open4 returns what follows a length or count of four bytes, and that number.
func Open4(b []byte) (int, []byte) { return int(binary.LittleEndian.Uint32(b)), b[4:] }

// Open2 is Open4 for two bytes.
func Open2(b []byte) (int, []byte) { return int(binary.LittleEndian.Uint16(b)), b[2:] }

// Open1 is Open4 for one byte.
func Open1(b []byte) (int, []byte) { return int(b[0]), b[1:] }

// Number4 returns the number of four bytes at *p and moves *p behind it.
func Number4(b []byte, p *int) int {
	n := int(binary.LittleEndian.Uint32(b[*p:]))
	*p += 4
	return n
}

// Number2 is Number4 for two bytes.
func Number2(b []byte, p *int) int {
	n := int(binary.LittleEndian.Uint16(b[*p:]))
	*p += 2
	return n
}

// Number1 is Number4 for one byte.
func Number1(b []byte, p *int) int {
	n := int(b[*p])
	*p++
	return n
}

// Skip4 returns the position behind a length of four bytes at p and that many
// bytes.
func Skip4(b []byte, p int) int { return p + 4 + int(binary.LittleEndian.Uint32(b[p:])) }

// Skip2 is Skip4 for a length of two bytes.
func Skip2(b []byte, p int) int { return p + 2 + int(binary.LittleEndian.Uint16(b[p:])) }

// Skip1 is Skip4 for a length of one byte.
func Skip1(b []byte, p int) int { return p + 1 + int(b[p]) }

// Bytes4 returns the bytes behind a length of four bytes.
func Bytes4(b []byte) []byte {
	n := int(binary.LittleEndian.Uint32(b))
	return b[4 : 4+n : 4+n]
}

// Bytes2 is Bytes4 for a length of two bytes.
func Bytes2(b []byte) []byte {
	n := int(binary.LittleEndian.Uint16(b))
	return b[2 : 2+n : 2+n]
}

// Bytes1 is Bytes4 for a length of one byte.
func Bytes1(b []byte) []byte {
	n := int(b[0])
	return b[1 : 1+n : 1+n]
}

// String4 returns the string behind a length of four bytes; it is the input's
// own memory.
func String4(b []byte) string { return aliasString(Bytes4(b)) }

// String2 is String4 for a length of two bytes.
func String2(b []byte) string { return aliasString(Bytes2(b)) }

// String1 is String4 for a length of one byte.
func String1(b []byte) string { return aliasString(Bytes1(b)) }

// ListView is a list within a list, map or optional. It is a window on validated
// bytes.
type ListView[T any] struct {
	b    []byte
	n    int
	next func(b []byte) (T, []byte)
}

// NewListView returns a list of n elements at the start of b, which next reads
// one after the other.
func NewListView[T any](b []byte, n int, next func(b []byte) (T, []byte)) ListView[T] {
	return ListView[T]{b, n, next}
}

// Len returns the number of elements.
func (l ListView[T]) Len() int { return l.n }

// All yields the elements.
func (l ListView[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		b := l.b
		for range l.n {
			var e T
			e, b = l.next(b)
			if !yield(e) {
				return
			}
		}
	}
}

// Rest returns what follows the list.
func (l ListView[T]) Rest() []byte {
	b := l.b
	for range l.n {
		_, b = l.next(b)
	}
	return b
}

// MapView is a map within a list, map or optional. It is a window on validated
// bytes.
type MapView[K, V any] struct {
	b    []byte
	n    int
	next func(b []byte) (K, V, []byte)
}

// NewMapView returns a map of n entries at the start of b, which next reads one
// after the other.
func NewMapView[K, V any](b []byte, n int, next func(b []byte) (K, V, []byte)) MapView[K, V] {
	return MapView[K, V]{b, n, next}
}

// Len returns the number of entries.
func (m MapView[K, V]) Len() int { return m.n }

// All yields the entries in key order.
func (m MapView[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		b := m.b
		for range m.n {
			var key K
			var value V
			key, value, b = m.next(b)
			if !yield(key, value) {
				return
			}
		}
	}
}

// Rest returns what follows the map.
func (m MapView[K, V]) Rest() []byte {
	b := m.b
	for range m.n {
		_, _, b = m.next(b)
	}
	return b
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
