package sdp

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

// chunkBytes is the size of the memory that short strings share. One allocation
// for each string would measure the allocator; one for the whole input would
// keep all of it alive for a single string.
const chunkBytes = 8 << 10

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

// asciiStart reports whether the first n bytes of s, n up to 16, are ASCII. s has
// 16 bytes or more.
func asciiStart(s string, n uint) bool {
	mask := &asciiMasks[n]
	return head64(s)&mask[0]|head64(s[8:])&mask[1] == 0
}

// ValidText reports whether the first n bytes of s are UTF-8. It looks at whole
// words first: text is mostly ASCII, and short texts are mostly followed by
// other bytes of the same input, which a mask leaves out.
func ValidText(s string, n int) bool {
	if uint(n) <= 16 && len(s) >= 16 && asciiStart(s, uint(n)) {
		return true
	}
	return validText(s[:n])
}

func validText(s string) bool {
	all, rest := uint64(0), s
	for ; len(rest) >= 8; rest = rest[8:] {
		all |= head64(rest)
	}
	for i := range len(rest) {
		all |= uint64(rest[i])
	}
	return all&highBits == 0 || utf8.ValidString(s)
}

// Text reads a string of n bytes, which are there, into dst. It keeps the string
// that is in dst if its bytes are the same.
func (d *Decoder) Text(s string, n int, dst *string) (string, bool) {
	if d.alias {
		*dst = s[:n]
		if uint(n) <= 16 && len(s) >= 16 && asciiStart(s, uint(n)) {
			return s[n:], true
		}
		return s[n:], validText(s[:n])
	}
	if len(*dst) == n && sameASCII(*dst, s) {
		return s[n:], true
	}
	return d.newText(s, n, dst)
}

// newText reads a string that may differ from the one in dst.
func (d *Decoder) newText(s string, n int, dst *string) (string, bool) {
	if !ValidText(s, n) {
		return s, false
	}
	switch {
	case n == 0:
		*dst = ""
	case *dst != s[:n] && !d.carve(s, n, dst):
		return s, false
	}
	return s[n:], true
}

// sameASCII reports whether s starts with old and old is ASCII: then there is
// nothing to check and nothing to copy.
func sameASCII(old, s string) bool {
	n := len(old)
	s = s[:n]
	switch {
	case n >= 8:
		all, differ := uint64(0), uint64(0)
		for i := 0; i <= n-8; i += 8 {
			x := At64(s, i)
			all |= x
			differ |= x ^ At64(old, i)
		}
		x := At64(s, n-8)
		return (all|x)&highBits|differ|(x^At64(old, n-8)) == 0
	case n >= 4:
		x, y := At32(s, 0), At32(s, n-4)
		return (x|y)&0x80808080|(x^At32(old, 0))|(y^At32(old, n-4)) == 0
	case n > 0:
		x, y, z := s[0], s[n>>1], s[n-1]
		return (x|y|z)&0x80|(x^old[0])|(y^old[n>>1])|(z^old[n-1]) == 0
	}
	return true
}

// carve copies the first n bytes of s, n > 0, into a chunk and makes them dst.
func (d *Decoder) carve(s string, n int, dst *string) bool {
	if n > len(d.chunk) {
		if n > chunkBytes/2 {
			return d.own(s, n, dst)
		}
		if !d.refill(s, n) {
			return false
		}
	}
	piece := d.chunk[:n]
	if n <= 16 && len(s) >= 16 && len(d.chunk) >= 16 {
		binary.LittleEndian.PutUint64(d.chunk, At64(s, 0))
		binary.LittleEndian.PutUint64(d.chunk[8:], At64(s, 8))
	} else {
		copy(piece, s)
	}
	d.chunk = d.chunk[n:]
	*dst = aliasString(piece)
	return true
}

// refill makes a new chunk with room for n bytes.
func (d *Decoder) refill(s string, n int) bool {
	size := max(n, min(chunkBytes, d.textLeft))
	if !d.Allocate(s, int64(size)) {
		return false
	}
	d.textLeft -= size
	d.chunk = uncleared(size)
	return true
}

// own copies a long string into memory of its own.
func (d *Decoder) own(s string, n int, dst *string) bool {
	if !d.Allocate(s, int64(n)) {
		return false
	}
	d.textLeft -= n
	*dst = strings.Clone(s[:n])
	return true
}
