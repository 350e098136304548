package layout

import (
	"strings"
	"unicode/utf8"
)

// The widths at which rustfmt breaks lines, all by default.
const (
	lineWidthMax    = 100
	callWidthMax    = 60 // the arguments of a call
	arrayWidthMax   = 60 // the elements of an array
	chainWidthMax   = 60 // a place with what is called on it
	literalWidthMax = 18 // the fields of a struct literal
	// shortItemMax is how wide items may be that share lines of a list.
	shortItemMax = 10

	indentWidth = 4
)

// shape is the room for a piece of code: how far its lines are indented, how far
// behind that it starts, and how wide it may be.
type shape struct {
	indent, offset, width int
	// align is how much further the lines inside a type's brackets are indented.
	align int
	// straight says that no chain may be broken.
	straight bool
}

// lineAt is the room of a whole line.
func lineAt(indent int) shape { return shape{indent: indent, width: lineWidthMax - indent} }

// behind is the rest behind so many characters.
func (s shape) behind(n int) (shape, bool) {
	s.offset += n
	s.width -= n
	return s, s.width >= 0
}

// before is the rest before so many characters.
func (s shape) before(n int) (shape, bool) {
	s.width -= n
	return s, s.width >= 0
}

// deeper is the room of lines that are indented further.
func (s shape) deeper(n int) shape {
	s.indent += n
	s.offset, s.align = 0, 0
	s.width = lineWidthMax - s.indent
	return s
}

// used is how many columns stand before the room.
func (s shape) used() int { return s.indent + s.offset }

// overhead is how many columns are taken behind it.
func (s shape) overhead() int { return max(lineWidthMax-s.used()-s.width, 0) }

// newline starts a line with the indentation of the shape.
func (s shape) newline() string { return "\n" + strings.Repeat(" ", s.indent) }

// holds reports whether there is room for a text, all its lines included.
func (s shape) holds(text string) bool {
	lines := strings.Split(text, "\n")
	if width(lines[0]) > s.width {
		return false
	}
	for _, line := range lines[1:] {
		if width(line) > lineWidthMax {
			return false
		}
	}
	return len(lines) == 1 || width(lines[len(lines)-1]) <= s.used()+s.width
}

func width(text string) int { return utf8.RuneCountInString(text) }

func firstLine(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return first
}

func lastLine(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }

func broken(text string) bool { return strings.Contains(text, "\n") }

func newlines(text string) int { return strings.Count(text, "\n") }
