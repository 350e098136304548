package source

import "fmt"

// Span is the bytes [Start, End) of a file. The zero Span is "no place": what
// a diagnostic about the command line or a missing file has.
type Span struct {
	File  *File
	Start int
	End   int
}

// Span returns the bytes [start, end) of the file, moved into the text where
// they reach outside it.
func (f *File) Span(start, end int) Span {
	start = f.clamp(start)
	return Span{File: f, Start: start, End: max(start, f.clamp(end))}
}

// IsZero tells whether the span is no place at all.
func (s Span) IsZero() bool { return s.File == nil }

// Holds tells whether an offset is in the span or directly behind it, where an editor's
// cursor is after a word.
func (s Span) Holds(offset int) bool { return s.Start <= offset && offset <= s.End }

// Text returns the bytes of the span.
func (s Span) Text() string {
	if s.File == nil {
		return ""
	}
	return s.File.text[s.Start:s.End]
}

// StartPosition returns the line and column where the span starts.
func (s Span) StartPosition() Position {
	if s.File == nil {
		return Position{}
	}
	return s.File.Position(s.Start)
}

// EndPosition returns the line and column just after the span.
func (s Span) EndPosition() Position {
	if s.File == nil {
		return Position{}
	}
	return s.File.Position(s.End)
}

// To returns the span from the start of s to the end of other, which must be
// of the same file and not before s.
func (s Span) To(o Span) Span {
	return Span{File: s.File, Start: s.Start, End: max(s.End, o.End)}
}

// String renders the start as file:line:column, or "-" for no place.
func (s Span) String() string {
	if s.File == nil {
		return "-"
	}
	p := s.StartPosition()
	return fmt.Sprintf("%s:%d:%d", s.File.name, p.Line, p.Column)
}
