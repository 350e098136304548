package sdp

// Text that isn't ASCII is mostly short, and its next character can't be foreseen: branches by the
// kind of character would be mispredicted often. A state machine has none. A state is the number of
// bits that a row, which each byte has, is moved to the right: what stands there is the state
// behind the byte.

// The states of text: what may follow. Nothing follows what is broken.
const (
	textBroken = 6 * iota
	textWhole  // a character, or the end
	textOne    // the last byte of a character
	textTwo    // two bytes
	textThree  // three bytes
	textAfterE0
	textAfterED
	textAfterF0
	textAfterF4
)

// textRows are the bytes' rows, from the table of well-formed sequences of the Unicode
// standard.
var textRows = func() (rows [256]uint64) {
	for _, step := range []struct{ state, first, last, next int }{
		{textWhole, 0x00, 0x7f, textWhole},
		{textWhole, 0xc2, 0xdf, textOne},
		{textWhole, 0xe0, 0xe0, textAfterE0},
		{textWhole, 0xe1, 0xec, textTwo},
		{textWhole, 0xed, 0xed, textAfterED},
		{textWhole, 0xee, 0xef, textTwo},
		{textWhole, 0xf0, 0xf0, textAfterF0},
		{textWhole, 0xf1, 0xf3, textThree},
		{textWhole, 0xf4, 0xf4, textAfterF4},
		{textOne, 0x80, 0xbf, textWhole},
		{textTwo, 0x80, 0xbf, textOne},
		{textThree, 0x80, 0xbf, textTwo},
		{textAfterE0, 0xa0, 0xbf, textOne},
		{textAfterED, 0x80, 0x9f, textOne},
		{textAfterF0, 0x90, 0xbf, textTwo},
		{textAfterF4, 0x80, 0x8f, textTwo},
	} {
		for b := step.first; b <= step.last; b++ {
			rows[b] |= uint64(step.next) << step.state
		}
	}
	return rows
}()

// wellFormed reports whether the first n bytes of s are UTF-8. It takes eight bytes at a time:
// zeros, which are characters, fill up the last word.
func wellFormed(s string, n int) bool {
	state := uint64(textWhole)
	for ; n > 0; n -= 8 {
		w := lastWord(s, n)
		state = textRows[byte(w)] >> (state & 63)
		state = textRows[byte(w>>8)] >> (state & 63)
		state = textRows[byte(w>>16)] >> (state & 63)
		state = textRows[byte(w>>24)] >> (state & 63)
		state = textRows[byte(w>>32)] >> (state & 63)
		state = textRows[byte(w>>40)] >> (state & 63)
		state = textRows[byte(w>>48)] >> (state & 63)
		state = textRows[byte(w>>56)] >> (state & 63)
		if n > 8 {
			s = s[8:]
		}
	}
	return state&63 == textWhole
}

// lastWord is the first eight bytes of s, or the first n with zeros behind them.
func lastWord(s string, n int) (w uint64) {
	switch {
	case n >= 8:
		return head64(s)
	case len(s) >= 8:
		return head64(s) & (1<<(n*8) - 1)
	}
	for i := range n {
		w |= uint64(s[i]) << (i * 8)
	}
	return w
}
