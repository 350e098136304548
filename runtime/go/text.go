package sdp

import (
	"encoding/binary"
	"math"
	"strings"
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

// isShortASCII reports whether the first n bytes of s are ASCII by looking at whole
// words: text is mostly ASCII, and short texts are mostly followed by other bytes of
// the same input, which a mask leaves out. Where it can't tell, it says false.
func isShortASCII(s string, n int) bool {
	return uint(n) <= 16 && len(s) >= 16 && asciiStart(s, uint(n))
}

// validText reports whether the first n bytes of s are UTF-8.
func validText(s string, n int) bool {
	if n <= 16 {
		return isShortASCII(s, n) || wellFormed(s, n)
	}
	text, all := s[:n], At64(s, n-8)
	for ; len(text) >= 8; text = text[8:] {
		all |= head64(text)
	}
	return all&highBits == 0 || wellFormed(s, n)
}

// Text reads a string behind a length of four bytes into dst. It keeps the string that
// is in dst if its bytes are the same. Most are short and ASCII, with more behind them, as in
// PassText.
func (d *Decoder) Text(s string, dst *string) string {
	if len(s) > 20 {
		switch n := head32(s); {
		case n > 16:
		case int(n) == len(*dst) && !d.alias:
			return d.sameText(s[4:], int(n), dst)
		case !asciiStart(s[4:], uint(n)):
		case d.alias:
			*dst = s[4 : 4+n]
			return s[4+n:]
		case n > 0 && d.carve(s[4:], int(n), dst):
			return s[4+n:]
		}
	}
	if len(s) < 4 || !fits(s[4:], head32(s), math.MaxUint32) {
		return d.Refuse()
	}
	n := int(head32(s))
	s = s[4:]
	if len(*dst) == n && !d.alias {
		return d.sameText(s, n, dst)
	}
	return d.newText(s, n, dst)
}

// TextWithin is Text behind a length of any width, that has a bound.
func (d *Decoder) TextWithin(s string, width int, bound uint32, dst *string) string {
	n, s := prefix(s, width)
	switch {
	case !fits(s, n, bound):
		return d.Refuse()
	case len(*dst) == int(n) && !d.alias:
		return d.sameText(s, int(n), dst)
	}
	return d.newText(s, int(n), dst)
}

// PassText passes a string behind its length. Most have a length of four bytes and are short
// and ASCII, with more behind them: one step passes those, and the next string waits for
// nothing but the length.
func (d *Decoder) PassText(s string, width int, bound uint32) string {
	if width == 4 && len(s) > 20 {
		if n := head32(s); n <= 16 && n <= bound && asciiStart(s[4:], uint(n)) {
			return s[4+n:]
		}
	}
	n, s := prefix(s, width)
	if fits(s, n, bound) && validText(s, int(n)) {
		return s[n:]
	}
	return d.Refuse()
}

// newText reads a string that may differ from the string in dst.
func (d *Decoder) newText(s string, n int, dst *string) string {
	switch {
	case !validText(s, n):
		return d.Refuse()
	case d.alias:
		*dst = s[:n]
	case n == 0:
		*dst = ""
	case *dst != s[:n] && !d.carve(s, n, dst):
		return d.Refuse()
	}
	return s[n:]
}

// sameText is newText where dst holds as many bytes: if they are the same and ASCII,
// there is nothing to check and nothing to copy.
func (d *Decoder) sameText(s string, n int, dst *string) string {
	old, differ := (*dst)[:n], uint64(0)
	switch {
	case n >= 8:
		all := uint64(0)
		for i := 0; i <= n-8; i += 8 {
			x := At64(s, i)
			all |= x
			differ |= x ^ At64(old, i)
		}
		x := At64(s, n-8)
		differ |= (all|x)&highBits | (x ^ At64(old, n-8))
	case n >= 4:
		x, y := At32(s, 0), At32(s, n-4)
		differ = uint64((x|y)&0x80808080 | (x ^ At32(old, 0)) | (y ^ At32(old, n-4)))
	case n > 0:
		x, y, z := s[0], s[n>>1], s[n-1]
		differ = uint64((x|y|z)&0x80 | (x ^ old[0]) | (y ^ old[n>>1]) | (z ^ old[n-1]))
	}
	if differ == 0 {
		return s[n:]
	}
	return d.newText(s, n, dst)
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
