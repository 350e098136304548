package source

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// blockBytes is the distance between two checkpoints of the code point count.
// It bounds what a column costs in a file that is one enormous line.
const blockBytes = 4096

// File is one text with an index of its lines. It never changes after New, so
// that several goroutines may read it.
type File struct {
	name       string
	text       string
	lineStarts []int
	// blockRunes[i] counts the code points that start before byte i*blockBytes.
	blockRunes []int
}

// Position is a place as people count it: lines and columns start at 1, and a
// column is a code point, however many bytes or screen cells that takes.
type Position struct {
	Line   int
	Column int
}

// New indexes a text. The name is what diagnostics show for the file; it need
// not be a path that exists.
func New(name, text string) *File {
	f := &File{name: name, text: text, lineStarts: []int{0}}
	runes := 0
	for i := 0; i < len(text); i++ {
		if i%blockBytes == 0 {
			f.blockRunes = append(f.blockRunes, runes)
		}
		if text[i] == '\n' {
			f.lineStarts = append(f.lineStarts, i+1)
		}
		if utf8.RuneStart(text[i]) {
			runes++
		}
	}
	if len(text)%blockBytes == 0 {
		f.blockRunes = append(f.blockRunes, runes)
	}
	return f
}

// Name returns the name that diagnostics show.
func (f *File) Name() string { return f.name }

// Text returns the whole text.
func (f *File) Text() string { return f.text }

// LineCount returns the number of lines; a text that ends in a line feed has
// an empty last line.
func (f *File) LineCount() int { return len(f.lineStarts) }

// Line returns the text of a line, counted from 1, without its line feed and
// without the carriage return before it. A line that does not exist is empty.
func (f *File) Line(line int) string {
	if line < 1 || line > len(f.lineStarts) {
		return ""
	}
	end := len(f.text)
	if line < len(f.lineStarts) {
		end = f.lineStarts[line] - 1
	}
	return strings.TrimSuffix(f.text[f.lineStarts[line-1]:end], "\r")
}

// LineStart returns the offset of the first byte of a line, counted from 1. A
// line that does not exist starts where the text ends.
func (f *File) LineStart(line int) int {
	if line < 1 || line > len(f.lineStarts) {
		return len(f.text)
	}
	return f.lineStarts[line-1]
}

// LineOf returns the line, counted from 1, of a byte offset.
func (f *File) LineOf(offset int) int { return sort.SearchInts(f.lineStarts, f.clamp(offset)+1) }

// Position returns the line and column of a byte offset. An offset outside
// the text is moved to its nearer end.
func (f *File) Position(offset int) Position {
	offset = f.clamp(offset)
	line := f.LineOf(offset)
	start := f.lineStarts[line-1]
	return Position{Line: line, Column: f.runesBefore(offset) - f.runesBefore(start) + 1}
}

// runesBefore counts the code points that start before an offset.
func (f *File) runesBefore(offset int) int {
	block := offset / blockBytes
	runes := f.blockRunes[block]
	for i := block * blockBytes; i < offset; i++ {
		if utf8.RuneStart(f.text[i]) {
			runes++
		}
	}
	return runes
}

func (f *File) clamp(offset int) int {
	return max(0, min(offset, len(f.text)))
}
