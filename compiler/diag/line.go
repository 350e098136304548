package diag

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/serial-data-protocol/sdp/compiler/source"
)

const (
	// tabCells is how wide a tab is shown.
	tabCells = 4
	// lineBytesMax bounds how much of a line is shown. A file may be one line of
	// 64 MiB, and then only the surroundings of the place help.
	lineBytesMax = 240
	// contextBytes is how much of a long line is shown before the place.
	contextBytes = 60
)

// line is a source line as a terminal shows it, with one place in it.
type line struct {
	text string
	// indent and width say where to underline, in cells.
	indent, width int
	clipped       bool
}

// newLine prepares the line on which a span starts. A span of several lines is
// underlined to the end of its first one; an empty span gets one cell.
func newLine(span source.Span, number int) line {
	text := span.File.Line(number)
	start := span.File.LineStart(number)
	from := min(span.Start-start, len(text))
	to := max(from, min(span.End-start, len(text)))
	l := line{}
	before, after := "", ""
	if len(text) > lineBytesMax {
		l.clipped = true
		first := runeBoundary(text, max(0, from-contextBytes))
		last := runeBoundary(text, min(len(text), max(first+lineBytesMax, from+1)))
		if first > 0 {
			before = "…"
		}
		if last < len(text) {
			after = "…"
		}
		text, from, to = text[first:last], from-first, max(from, min(to, last))-first
	}
	prefix, prefixCells := showCells(text[:from], 0)
	place, placeCells := showCells(text[from:to], prefixCells)
	rest, _ := showCells(text[to:], prefixCells+placeCells)
	l.text = before + prefix + place + rest + after
	l.indent = utf8.RuneCountInString(before) + prefixCells
	l.width = max(1, placeCells)
	return l
}

// runeBoundary moves an offset back to the start of a code point. Bytes that are no UTF-8 have no
// such start: the offset stays, or a long row of them would move the end of the shown text before
// the place.
func runeBoundary(s string, offset int) int {
	if offset >= len(s) {
		return offset
	}
	for start := offset; start > max(0, offset-utf8.UTFMax); start-- {
		if utf8.RuneStart(s[start]) {
			return start
		}
	}
	return offset
}

// showCells makes text safe to print, tabs expanded, and counts its cells.
func showCells(s string, column int) (string, int) {
	var out strings.Builder
	cells := 0
	for _, r := range s {
		if r == '\t' {
			n := tabCells - (column+cells)%tabCells
			out.WriteString(strings.Repeat(" ", n))
			cells += n
			continue
		}
		r = printableRune(r)
		out.WriteRune(r)
		cells += runeCells(r)
	}
	return out.String(), cells
}

// printable makes text safe to print on one line. Without it a schema could send escape sequences
// to its reader's terminal.
func printable(s string) string { return strings.Map(printableRune, s) }

func printableRune(r rune) rune {
	if r == '\t' || source.Hidden(r) {
		return utf8.RuneError
	}
	return r
}

// runeCells is how many cells a terminal gives a code point: none for marks
// that combine, two for the wide scripts of East Asia and for emoji.
func runeCells(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana),
		r >= 0x3000 && r <= 0x303E, r >= 0xFF01 && r <= 0xFF60, r >= 0x1F300 && r <= 0x1FAFF:
		return 2
	}
	return 1
}
