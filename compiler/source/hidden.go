package source

import (
	"fmt"
	"strings"
	"unicode"
)

// Hidden reports whether a code point shows nothing itself and changes how the
// text around it is read or shown: a control character but the tab, a separator
// of lines or paragraphs, the byte order mark, and what turns the direction of
// writing.
func Hidden(r rune) bool {
	return r != '\t' && unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\uFEFF' || unicode.Is(unicode.Bidi_Control, r)
}

// Visible spells the hidden code points of a text, as in "U+202E", so that it stays on its line and
// hides nothing.
func Visible(text string) string {
	if !strings.ContainsFunc(text, Hidden) {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if Hidden(r) {
			fmt.Fprintf(&out, "U+%04X", r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}
