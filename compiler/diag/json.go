package diag

import (
	"encoding/json"
	"io"

	"github.com/serial-data-protocol/sdp/compiler/source"
)

// The JSON document, which tools may rely on:
//
//	{
//	  "diagnostics": [{
//	    "code": "S0203",
//	    "severity": "error",             // or "warning"
//	    "message": "field `name` is declared twice",
//	    "span": SPAN,                    // null where the problem is in no file
//	    "label": "",
//	    "related": [{"span": SPAN, "label": "first declared here"}],
//	    "help": "rename one of the two, or remove it",
//	    "fixes": [{"title": "…", "edits": [{"span": SPAN, "text": "…"}]}]
//	  }],
//	  "errors": 1,
//	  "warnings": 0,
//	  "truncated": false                 // true: there were more than are kept
//	}
//
// A SPAN is {"file", "start", "end"}, its ends {"offset", "line", "column"}:
// byte offsets from 0, lines and columns from 1, columns in code points. The
// end is exclusive. No member is ever absent.
type jsonDocument struct {
	Diagnostics []jsonDiagnostic `json:"diagnostics"`
	Errors      int              `json:"errors"`
	Warnings    int              `json:"warnings"`
	Truncated   bool             `json:"truncated"`
}

type jsonDiagnostic struct {
	Code     Code        `json:"code"`
	Severity string      `json:"severity"`
	Message  string      `json:"message"`
	Span     *jsonSpan   `json:"span"`
	Label    string      `json:"label"`
	Related  []jsonLabel `json:"related"`
	Help     string      `json:"help"`
	Fixes    []jsonFix   `json:"fixes"`
}

type jsonSpan struct {
	File  string    `json:"file"`
	Start jsonPlace `json:"start"`
	End   jsonPlace `json:"end"`
}

type jsonPlace struct {
	Offset int `json:"offset"`
	Line   int `json:"line"`
	Column int `json:"column"`
}

type jsonLabel struct {
	Span  *jsonSpan `json:"span"`
	Label string    `json:"label"`
}

type jsonFix struct {
	Title string     `json:"title"`
	Edits []jsonEdit `json:"edits"`
}

type jsonEdit struct {
	Span *jsonSpan `json:"span"`
	Text string    `json:"text"`
}

// WriteJSON renders a list as one JSON document, indented, ending in a line
// feed.
func WriteJSON(w io.Writer, l *List) error {
	document := jsonDocument{
		Diagnostics: []jsonDiagnostic{},
		Errors:      l.ErrorCount(),
		Warnings:    l.WarningCount(),
		Truncated:   l.Full(),
	}
	for _, d := range l.Sorted() {
		document.Diagnostics = append(document.Diagnostics, newJSONDiagnostic(d))
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(document)
}

func newJSONDiagnostic(d *Diagnostic) jsonDiagnostic {
	out := jsonDiagnostic{
		Code:     d.Code,
		Severity: d.Severity.String(),
		Message:  d.Message,
		Span:     newJSONSpan(d.Span),
		Label:    d.Label,
		Related:  []jsonLabel{},
		Help:     d.Help,
		Fixes:    []jsonFix{},
	}
	for _, r := range d.Related {
		out.Related = append(out.Related, jsonLabel{Span: newJSONSpan(r.Span), Label: r.Text})
	}
	for _, fix := range d.Fixes {
		edits := []jsonEdit{}
		for _, e := range fix.Edits {
			edits = append(edits, jsonEdit{Span: newJSONSpan(e.Span), Text: e.Text})
		}
		out.Fixes = append(out.Fixes, jsonFix{Title: fix.Title, Edits: edits})
	}
	return out
}

func newJSONSpan(s source.Span) *jsonSpan {
	if s.IsZero() {
		return nil
	}
	place := func(offset int, p source.Position) jsonPlace {
		return jsonPlace{Offset: offset, Line: p.Line, Column: p.Column}
	}
	return &jsonSpan{
		File:  s.File.Name(),
		Start: place(s.Start, s.StartPosition()),
		End:   place(s.End, s.EndPosition()),
	}
}
