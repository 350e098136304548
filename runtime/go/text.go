package sdp

import (
	"encoding/binary"
	"unicode/utf8"
)

// chunkBytes is the size of the memory that short strings share. One allocation
// for each string would measure the allocator; one for the whole input would
// keep all of it alive for a single string.
const chunkBytes = 8 << 10

func le32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func le64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// highBits is set where a byte isn't ASCII.
const highBits = 0x8080808080808080

// asciiMasks keeps, for a text of n bytes at the start of two words, the high
// bits of just those n bytes.
var asciiMasks = [17][2]uint64{
	1: {0x80}, 2: {0x8080}, 3: {0x808080}, 4: {0x80808080},
	5: {0x8080808080}, 6: {0x808080808080}, 7: {0x80808080808080}, 8: {highBits},
	9: {highBits, 0x80}, 10: {highBits, 0x8080}, 11: {highBits, 0x808080}, 12: {highBits, 0x80808080},
	13: {highBits, 0x8080808080}, 14: {highBits, 0x808080808080}, 15: {highBits, 0x80808080808080},
	16: {highBits, highBits},
}

// ValidText reports whether the first n bytes of b are UTF-8. It looks at whole
// words first: text is mostly ASCII, and short texts are mostly followed by
// other bytes of the same input, which the masks leave out.
func ValidText(b []byte, n int) bool {
	if n <= 16 && len(b) >= 16 {
		mask := &asciiMasks[n]
		if le64(b)&mask[0]|le64(b[8:])&mask[1] == 0 {
			return true
		}
		return utf8.Valid(b[:n])
	}
	s := b[:n]
	all := uint64(0)
	for len(s) >= 8 {
		all |= le64(s)
		s = s[8:]
	}
	for _, c := range s {
		all |= uint64(c)
	}
	return all&highBits == 0 || utf8.Valid(b[:n])
}

// Text4 reads a string with a length of four bytes into dst. It keeps the
// string that is there if its bytes are the same.
func (d *Decoder) Text4(b []byte, dst *string, bound uint32) ([]byte, bool) {
	if len(b) < 4 {
		return b, false
	}
	return d.text(b[4:], binary.LittleEndian.Uint32(b), bound, dst)
}

// Text2 is Text4 for a length of two bytes.
func (d *Decoder) Text2(b []byte, dst *string, bound uint32) ([]byte, bool) {
	if len(b) < 2 {
		return b, false
	}
	return d.text(b[2:], uint32(binary.LittleEndian.Uint16(b)), bound, dst)
}

// Text1 is Text4 for a length of one byte.
func (d *Decoder) Text1(b []byte, dst *string, bound uint32) ([]byte, bool) {
	if len(b) < 1 {
		return b, false
	}
	return d.text(b[1:], uint32(b[0]), bound, dst)
}

func (d *Decoder) text(b []byte, length, bound uint32, dst *string) ([]byte, bool) {
	if length > bound || uint64(length) > uint64(len(b)) {
		return b, false
	}
	n := int(length)
	if d.alias {
		*dst = aliasString(b[:n])
		return b[n:], ValidText(b, n)
	}
	if len(*dst) == n && sameASCII(*dst, b) {
		return b[n:], true
	}
	if !ValidText(b, n) {
		return b, false
	}
	switch s := b[:n]; {
	case n == 0:
		*dst = ""
	case *dst != string(s) && !d.carve(b, n, dst):
		return b, false
	}
	return b[n:], true
}

// sameASCII reports whether b starts with s and s is ASCII: then there is
// nothing to check and nothing to copy.
func sameASCII(s string, b []byte) bool {
	n := len(s)
	b = b[:n]
	switch {
	case n >= 8:
		all, differ := uint64(0), uint64(0)
		for i := 0; i <= n-8; i += 8 {
			x := le64(b[i:])
			all |= x
			differ |= x ^ word64(s, i)
		}
		x := le64(b[n-8:])
		return (all|x)&highBits|differ|x^word64(s, n-8) == 0
	case n >= 4:
		x, y := le32(b), le32(b[n-4:])
		return (x|y)&0x80808080|x^word32(s, 0)|y^word32(s, n-4) == 0
	case n > 0:
		x, y, z := b[0], b[n>>1], b[n-1]
		return (x|y|z)&0x80|x^s[0]|y^s[n>>1]|z^s[n-1] == 0
	}
	return true
}

// carve copies the first n bytes of b, n > 0, into a chunk and makes them dst.
func (d *Decoder) carve(b []byte, n int, dst *string) bool {
	if n > len(d.chunk) {
		if n > chunkBytes/2 {
			return d.own(b, n, dst)
		}
		if !d.refill(b, n) {
			return false
		}
	}
	s := d.chunk[:n]
	if n <= 16 && len(b) >= 16 && len(d.chunk) >= 16 {
		x, y := le64(b), le64(b[8:])
		binary.LittleEndian.PutUint64(d.chunk, x)
		binary.LittleEndian.PutUint64(d.chunk[8:], y)
	} else {
		copy(s, b)
	}
	d.chunk = d.chunk[n:]
	*dst = aliasString(s)
	return true
}

// refill makes a new chunk with room for n bytes.
func (d *Decoder) refill(b []byte, n int) bool {
	size := max(n, min(chunkBytes, d.textLeft))
	if !d.Allocate(b, int64(size)) {
		return false
	}
	d.textLeft -= size
	d.chunk = uncleared(size)
	return true
}

// own copies a long string into memory of its own.
func (d *Decoder) own(b []byte, n int, dst *string) bool {
	if !d.Allocate(b, int64(n)) {
		return false
	}
	d.textLeft -= n
	s := uncleared(n)
	copy(s, b)
	*dst = aliasString(s)
	return true
}

// word64 is eight bytes of a string.
func word64(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// word32 is four bytes of a string.
func word32(s string, i int) uint32 {
	s = s[i : i+4]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}
