package lsp

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/serial-data-protocol/sdp/compiler/source"
)

// encoding is the unit in which a client counts within a line.
type encoding string

const (
	utf8Units  encoding = "utf-8"
	utf16Units encoding = "utf-16"
)

// lines are where the lines of a text start, as the protocol ends them: by LF, CR LF or
// a CR alone.
type lines struct {
	text   string
	starts []int
	units  encoding
}

func newLines(text string, units encoding) *lines {
	l := &lines{text: text, starts: []int{0}, units: units}
	for i := 0; i < len(text); i++ {
		if c := text[i]; c == '\n' || c == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

// lineEnd is where the text of a line ends, before what ends the line.
func (l *lines) lineEnd(line int) int {
	if line+1 == len(l.starts) {
		return len(l.text)
	}
	end := l.starts[line+1] - 1
	if l.text[end] == '\n' && end > l.starts[line] && l.text[end-1] == '\r' {
		end--
	}
	return end
}

// offset is a position's place in the text. One past the end of a line is that end, one past
// the last line the end of the text, and one inside of a character that character's start.
func (l *lines) offset(p position) int {
	if uint64(p.Line) >= uint64(len(l.starts)) {
		return len(l.text)
	}
	start, end := l.starts[p.Line], l.lineEnd(int(p.Line))
	if l.units == utf8Units {
		at := start + int(min(uint64(p.Character), uint64(end-start)))
		for at > start && at < end && !utf8.RuneStart(l.text[at]) {
			at--
		}
		return at
	}
	left := uint64(p.Character)
	at := start
	for at < end {
		r, size := utf8.DecodeRuneInString(l.text[at:end])
		width := uint64(utf16Width(r))
		if left < width {
			break
		}
		left -= width
		at += size
	}
	return at
}

// position is the place of an offset.
func (l *lines) position(offset int) position {
	offset = max(0, min(offset, len(l.text)))
	line := sort.SearchInts(l.starts, offset+1) - 1
	before := l.text[l.starts[line]:offset]
	if l.units == utf8Units {
		return position{uint32(line), uint32(len(before))}
	}
	units := 0
	for _, r := range before {
		units += utf16Width(r)
	}
	return position{uint32(line), uint32(units)}
}

func utf16Width(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

func (l *lines) rangeOf(start, end int) textRange {
	return textRange{l.position(start), l.position(end)}
}

func (l *lines) span(s source.Span) textRange { return l.rangeOf(s.Start, s.End) }

// apply makes the text that a change leaves.
func (l *lines) apply(c change) string {
	if c.Range == nil {
		return c.Text
	}
	start := l.offset(c.Range.Start)
	end := max(start, l.offset(c.Range.End))
	var out strings.Builder
	out.Grow(len(l.text) - (end - start) + len(c.Text))
	out.WriteString(l.text[:start])
	out.WriteString(c.Text)
	out.WriteString(l.text[end:])
	return out.String()
}
