package sdp

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// Encoder is the state of one encode. It is for generated code, which measures a
// value first and then writes it into a buffer of just that size. Both passes
// only note that something can't be encoded; the value's check then says what.
type Encoder struct {
	// Refused is set once something can't be encoded.
	Refused bool

	tooLarge bool // the value
}

// Enter notes a value that is nested too deep. It reports whether the level is
// allowed.
func (e *Encoder) Enter(depth int) bool {
	if depth > LimitDepth {
		e.Refused = true
		return false
	}
	return true
}

// Length notes a length or count that is over its bound, and returns it.
func (e *Encoder) Length(n int, bound uint32) int {
	if uint64(n) > uint64(bound) {
		e.Refused = true
	}
	return n
}

// Require notes that something must hold.
func (e *Encoder) Require(ok bool) {
	if !ok {
		e.Refused = true
	}
}

// Extend returns b with n more bytes for a value of that size, unless it was refused.
// They hold anything: generated code writes all of them.
func (e *Encoder) Extend(b []byte, n int) []byte {
	if size := len(b) + n; size <= cap(b) && n <= math.MaxInt32 && !e.Refused {
		return b[:size]
	}
	return e.grow(b, n)
}

// grow is Extend if b has no room, if the encoder has refused the value, or if the value is long.
func (e *Encoder) grow(b []byte, n int) []byte {
	if e.Refused || !e.fits(n) {
		return b
	}
	return extend(b, n)
}

// ExtendMessage is Extend for message mode, whose header it writes.
func (e *Encoder) ExtendMessage(b []byte, typeID uint16, n int) []byte {
	if e.Refused || !e.fits(n) {
		return b
	}
	p := len(b)
	b = extend(b, HeaderBytes+n)
	putHeader(b[p:], typeID, n)
	return b
}

// fits refuses a value of more bytes than a payload may have.
func (e *Encoder) fits(n int) bool {
	if tooLarge(n) {
		e.Refused, e.tooLarge = true, true
	}
	return !e.Refused
}

// Refusal names what can't be encoded in the value that v points to. Where there is
// nothing, the whole is too large.
func (e *Encoder) Refusal(v any) error {
	if err := (checker{large: e.tooLarge}).check(v); err != nil {
		return err
	}
	return oversize()
}

// extend returns b with n more bytes. It allocates just what is needed for a first value, and
// room for as much again when appending.
func extend(b []byte, n int) []byte {
	size := len(b) + n
	if size <= cap(b) {
		return b[:size]
	}
	if len(b) == 0 {
		return uncleared(size)
	}
	grown := uncleared(max(size, 2*cap(b)))
	copy(grown, b)
	return grown[:size]
}

// PutText2 is PutText4 for a length of two bytes.
func PutText2(b []byte, p int, s string) int {
	p = PutCount2(b, p, len(s))
	return p + copy(b[p:p+len(s)], s)
}

// PutText1 is PutText4 for a length of one byte.
func PutText1(b []byte, p int, s string) int {
	p = PutCount1(b, p, len(s))
	return p + copy(b[p:p+len(s)], s)
}

// PutBlob writes bytes at p and returns the position behind them.
func PutBlob(b []byte, p int, s []byte) int { return p + copy(b[p:p+len(s)], s) }

// PutCount4 writes a count of four bytes and returns the position behind it.
func PutCount4(b []byte, p, n int) int {
	binary.LittleEndian.PutUint32(b[p:], uint32(n))
	return p + 4
}

// PutCount2 is PutCount4 for a count of two bytes.
func PutCount2(b []byte, p, n int) int {
	binary.LittleEndian.PutUint16(b[p:], uint16(n))
	return p + 2
}

// PutCount1 is PutCount4 for a count of one byte.
func PutCount1(b []byte, p, n int) int {
	b[p] = byte(n)
	return p + 1
}

// headerMagic is "SDP2" as a little-endian number.
const headerMagic = 'S' | 'D'<<8 | 'P'<<16 | '2'<<24

// putHeader writes the header of message mode in front of a payload of n bytes.
func putHeader(b []byte, typeID uint16, n int) {
	_ = b[HeaderBytes-1]
	binary.LittleEndian.PutUint32(b, headerMagic)
	binary.LittleEndian.PutUint16(b[4:], typeID)
	binary.LittleEndian.PutUint32(b[6:], uint32(n))
}

// SortedKeys appends the keys of m in ascending order to keys. A few of them, as most maps
// have, are in order sooner than it is found out how to sort them.
func SortedKeys[K cmp.Ordered, V any](keys []K, m map[K]V) []K {
	for k := range m {
		keys = append(keys, k)
	}
	if len(keys) > 16 {
		slices.Sort(keys)
		return keys
	}
	for i := range keys {
		for j := i; j > 0 && keys[j] < keys[j-1]; j-- {
			keys[j], keys[j-1] = keys[j-1], keys[j]
		}
	}
	return keys
}

// SortedBools appends the keys of m to keys, false first.
func SortedBools[K ~bool, V any](keys []K, m map[K]V) []K {
	for _, k := range [2]K{false, true} {
		if _, ok := m[k]; ok {
			keys = append(keys, k)
		}
	}
	return keys
}
