package diag

import "github.com/serial-data-protocol/sdp/compiler/source"

// Severity says whether a diagnostic stops the compiler.
type Severity uint8

const (
	// SeverityWarning is advice: output is still written.
	SeverityWarning Severity = iota
	// SeverityError means that nothing is written.
	SeverityError
)

// String returns the word that every format uses.
func (s Severity) String() string {
	if s == SeverityError {
		return "error"
	}
	return "warning"
}

// Label is a place with a short text; the text may be empty.
type Label struct {
	Span source.Span
	Text string
}

// Edit replaces the bytes of a span. An empty span inserts, an empty text
// deletes.
type Edit struct {
	Span source.Span
	Text string
}

// Fix is one mechanical way to solve the problem: all edits together.
type Fix struct {
	Title string
	Edits []Edit
}

// Diagnostic is one problem. Only Code, Severity and Message are required;
// the methods fill the rest and return the diagnostic, so that a report reads
// as one expression.
type Diagnostic struct {
	Code     Code
	Severity Severity
	// Message is a sentence without a capital and a full stop.
	Message string
	// Span is the primary place; the zero span is "no place in any file".
	Span source.Span
	// Label is written under the primary place.
	Label string
	// Related are further places that explain the problem.
	Related []Label
	// Help says how to solve it. Empty where no advice would be right.
	Help string
	// Fixes are alternatives; applying any one of them is enough.
	Fixes []Fix
}

// WithLabel sets the text under the primary place.
func (d *Diagnostic) WithLabel(text string) *Diagnostic {
	d.Label = text
	return d
}

// WithRelated adds a further place. A zero span is left out.
func (d *Diagnostic) WithRelated(span source.Span, text string) *Diagnostic {
	if !span.IsZero() {
		d.Related = append(d.Related, Label{Span: span, Text: text})
	}
	return d
}

// WithHelp sets the help line.
func (d *Diagnostic) WithHelp(text string) *Diagnostic {
	d.Help = text
	return d
}

// WithFix adds one alternative that solves the problem.
func (d *Diagnostic) WithFix(title string, edits ...Edit) *Diagnostic {
	d.Fixes = append(d.Fixes, Fix{Title: title, Edits: edits})
	return d
}
