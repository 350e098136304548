package diag

import (
	"fmt"
	"sort"

	"github.com/serial-data-protocol/sdp/compiler/source"
)

// listMax bounds how many diagnostics a List keeps. A hostile file can hold
// millions of problems; nobody reads them, and each costs memory.
const listMax = 10_000

// List collects diagnostics. The zero value is ready to use; it is not safe
// for several goroutines.
type List struct {
	items  []*Diagnostic
	errors int
	full   bool
}

// Error adds an error and returns it for its labels, help and fixes.
func (l *List) Error(code Code, span source.Span, format string, args ...any) *Diagnostic {
	return l.Add(&Diagnostic{Code: code, Severity: SeverityError, Span: span, Message: fmt.Sprintf(format, args...)})
}

// Warning adds a warning and returns it for its labels, help and fixes.
func (l *List) Warning(code Code, span source.Span, format string, args ...any) *Diagnostic {
	return l.Add(&Diagnostic{Code: code, Severity: SeverityWarning, Span: span, Message: fmt.Sprintf(format, args...)})
}

// Add adds a diagnostic and returns it. A full list drops it.
func (l *List) Add(d *Diagnostic) *Diagnostic {
	if len(l.items) == listMax {
		l.full = true
		return d
	}
	l.items = append(l.items, d)
	if d.Severity == SeverityError {
		l.errors++
	}
	return d
}

// Append adds all diagnostics of another list.
func (l *List) Append(o *List) {
	for _, d := range o.items {
		l.Add(d)
	}
	l.full = l.full || o.full
}

// Full tells whether a diagnostic was dropped, so that a phase can stop
// looking for more.
func (l *List) Full() bool { return l.full }

// HasErrors tells whether any diagnostic is an error.
func (l *List) HasErrors() bool { return l.errors > 0 }

// ErrorCount returns the number of errors.
func (l *List) ErrorCount() int { return l.errors }

// WarningCount returns the number of warnings.
func (l *List) WarningCount() int { return len(l.items) - l.errors }

// Len returns the number of diagnostics.
func (l *List) Len() int { return len(l.items) }

// Sorted returns the diagnostics by file, in the order in which the files
// were first mentioned, and by place within a file. Diagnostics at one place keep the order in
// which they were added.
func (l *List) Sorted() []*Diagnostic {
	order := map[*source.File]int{}
	for _, d := range l.items {
		if _, known := order[d.Span.File]; !known {
			order[d.Span.File] = len(order)
		}
	}
	sorted := append([]*Diagnostic(nil), l.items...)
	sort.SliceStable(sorted, func(i, j int) bool {
		a, b := sorted[i].Span, sorted[j].Span
		if a.File != b.File {
			return order[a.File] < order[b.File]
		}
		return a.Start < b.Start
	})
	return sorted
}
