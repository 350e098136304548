package api

import (
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/lint"
)

// diagnosticsMax is how many problems an answer tells: nobody reads more of them, and an
// editor marks each.
const diagnosticsMax = 200

// Diagnostic is a problem of a schema.
type Diagnostic struct {
	Code     diag.Code `json:"code"`
	Severity string    `json:"severity"`
	Message  string    `json:"message"`
	// Place is nil for a problem that is in no file.
	Place *Place `json:"place"`
	// Line is that of the place, from 1; 0 without one.
	Line    int     `json:"line"`
	Label   string  `json:"label"`
	Help    string  `json:"help"`
	Related []Label `json:"related"`
	Fixes   []Fix   `json:"fixes"`
}

// Label is a further place of a problem, with its text.
type Label struct {
	Place *Place `json:"place"`
	Text  string `json:"text"`
}

// Fix is edits that solve a problem together.
type Fix struct {
	Title string `json:"title"`
	Edits []Edit `json:"edits"`
}

// Edit replaces what is at a place.
type Edit struct {
	Place *Place `json:"place"`
	Text  string `json:"text"`
}

// CheckQuestion asks what is wrong with a schema.
type CheckQuestion struct {
	Schema Schema `json:"schema"`
}

// CheckResult says it.
type CheckResult struct {
	Diagnostics []Diagnostic `json:"diagnostics"`
	Errors      int          `json:"errors"`
	Warnings    int          `json:"warnings"`
	// Types are the types that values can be of; none if there is an error.
	Types []Type `json:"types"`
	// Summary is the line that the tool ends with.
	Summary string `json:"summary"`
}

// Check reports what is wrong with a schema, and advice on it, as `sdp check` does.
func (c *Compiler) Check(q CheckQuestion) (*CheckResult, error) {
	one, err := c.compile(q.Schema)
	if err != nil {
		return nil, err
	}
	var problems diag.List
	problems.Append(one.problems)
	if one.program != nil {
		problems.Append(lint.Run(one.program, lint.Options{}))
	}
	return &CheckResult{
		Diagnostics: diagnostics(&problems), Errors: problems.ErrorCount(), Warnings: problems.WarningCount(),
		Types: one.types(), Summary: diag.Summary(&problems, q.Schema.Root),
	}, nil
}

// diagnostics are the first problems of a list.
func diagnostics(problems *diag.List) []Diagnostic {
	places := mapping{}
	told := []Diagnostic{}
	sorted := problems.Sorted()
	for _, d := range sorted[:min(len(sorted), diagnosticsMax)] {
		one := Diagnostic{
			Code: d.Code, Severity: d.Severity.String(), Message: d.Message, Place: places.place(d.Span),
			Line: d.Span.StartPosition().Line, Label: d.Label, Help: d.Help, Related: []Label{}, Fixes: []Fix{},
		}
		for _, r := range d.Related {
			one.Related = append(one.Related, Label{Place: places.place(r.Span), Text: r.Text})
		}
		for _, f := range d.Fixes {
			fix := Fix{Title: f.Title, Edits: []Edit{}}
			for _, e := range f.Edits {
				fix.Edits = append(fix.Edits, Edit{Place: places.place(e.Span), Text: e.Text})
			}
			one.Fixes = append(one.Fixes, fix)
		}
		told = append(told, one)
	}
	return told
}
