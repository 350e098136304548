package lint

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

// deletion removes a span, with the blanks around it that would be left over:
// the whole line if nothing else stands on it, else the blanks behind it.
func deletion(s source.Span) diag.Edit {
	text := s.File.Text()
	start, end := s.Start, s.End
	for end < len(text) && strings.IndexByte(" \t", text[end]) >= 0 {
		end++
	}
	lineStart := start - len(blanksBefore(s))
	rest, endsLine := strings.CutPrefix(strings.TrimPrefix(text[end:], "\r"), "\n")
	if endsLine && (lineStart == 0 || text[lineStart-1] == '\n') {
		start, end = lineStart, len(text)-len(rest)
	}
	return diag.Edit{Span: s.File.Span(start, end)}
}

// blanksBefore are the blanks that stand directly before a span.
func blanksBefore(s source.Span) string {
	before := s.File.Text()[:s.Start]
	return before[len(strings.TrimRight(before, " \t")):]
}

// Fixed applies the first fix of each diagnostic to a file, and says how many
// it applied. A fix that overlaps one before it is left for the next run: each
// was made for the text as it is.
func Fixed(file *source.File, diagnostics []*diag.Diagnostic) (text string, applied int) {
	text = file.Text()
	var edits []diag.Edit
	for _, d := range diagnostics {
		if len(d.Fixes) == 0 || !isWithin(file, d.Fixes[0].Edits) {
			continue
		}
		tried := append(edits[:len(edits):len(edits)], d.Fixes[0].Edits...)
		if result, err := diag.Apply(file, tried); err == nil {
			text, edits = result, tried
			applied++
		}
	}
	return text, applied
}

// isWithin tells whether all edits are in the file: half a fix is none.
func isWithin(file *source.File, edits []diag.Edit) bool {
	for _, e := range edits {
		if e.Span.File != file {
			return false
		}
	}
	return len(edits) > 0
}
