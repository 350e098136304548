package api

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/compat"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/language"
	"github.com/serial-data-protocol/sdp/compiler/lint"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// FormatQuestion asks for a file as it is written.
type FormatQuestion struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// FormatResult is the file's text, and whether its syntax lets it be formatted.
type FormatResult struct {
	Text string `json:"text"`
	OK   bool   `json:"ok"`
}

// Format formats a file as `sdp fmt` does. One with an error of syntax stays as it is.
func (c *Compiler) Format(q FormatQuestion) (*FormatResult, error) {
	if len(q.Text) > TextBytesMax {
		return nil, fmt.Errorf("the text has %d bytes, and %d are the most here", len(q.Text), TextBytesMax)
	}
	var problems diag.List
	file := syntax.Parse(q.Name, q.Text, &problems)
	if problems.HasErrors() {
		return &FormatResult{Text: q.Text}, nil
	}
	return &FormatResult{Text: format.File(file), OK: true}, nil
}

// ExplainQuestion asks what a code means.
type ExplainQuestion struct {
	Code string `json:"code"`
}

// Explanation is a line and a text, which is Markdown.
type Explanation struct {
	Title string `json:"title"`
	Text  string `json:"text"`
}

// catalog is every code that the questions of this package can be answered with.
func catalog() diag.Catalog {
	return append(diag.Catalog{syntax.Codes, check.Codes, lint.Codes, compat.Codes}, language.All.Codes()...)
}

// Explain is the explanation of a code, as `sdp explain` prints it.
func (c *Compiler) Explain(q ExplainQuestion) (*Explanation, error) {
	found, known := catalog().Explain(q.Code)
	if !known {
		return nil, fmt.Errorf("there is no code %q", q.Code)
	}
	return &Explanation{Title: found.Title, Text: found.Text}, nil
}
