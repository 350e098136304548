package compat

import (
	"encoding/json"
	"io"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

// The JSON document, which tools may rely on:
//
//	{
//	  "changes": [{
//	    "code": "B0302",
//	    "subject": "Plugin.vendor",
//	    "what": "removed from a struct",
//	    "breaking": true,             // whether it breaks a column that counts
//	    "old": PLACE,                 // null for what the old schema has not
//	    "new": PLACE,                 // null for what the new schema has not
//	    "old_readers_of_new_bytes": {"ok": false, "note": ""},
//	    "new_readers_of_old_bytes": {"ok": false, "note": ""},
//	    "source": {"go": false, "rust": false, "cpp": false},   // true: still compiles; further languages only if false
//	    "json": {"ok": false, "note": ""},
//	    "help": ""
//	  }],
//	  "columns": ["bytes", "json"],   // those that count, in the words of ColumnWords
//	  "breaking": 1                   // how many changes break one of them
//	}
//
// A PLACE is {"file", "line", "column"}; lines and columns count from 1,
// columns in code points. No member is ever absent.
type jsonDocument struct {
	Changes  []jsonChange `json:"changes"`
	Columns  []string     `json:"columns"`
	Breaking int          `json:"breaking"`
}

type jsonChange struct {
	Code       diag.Code       `json:"code"`
	Subject    string          `json:"subject"`
	What       string          `json:"what"`
	Breaking   bool            `json:"breaking"`
	Old        *jsonPlace      `json:"old"`
	New        *jsonPlace      `json:"new"`
	OldReaders jsonVerdict     `json:"old_readers_of_new_bytes"`
	NewReaders jsonVerdict     `json:"new_readers_of_old_bytes"`
	Source     map[string]bool `json:"source"`
	JSON       jsonVerdict     `json:"json"`
	Help       string          `json:"help"`
}

type jsonVerdict struct {
	OK   bool   `json:"ok"`
	Note string `json:"note"`
}

type jsonPlace struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// WriteJSON renders a report as one JSON document, indented, ending in a line
// feed.
func WriteJSON(w io.Writer, r *Report) error {
	document := jsonDocument{Changes: []jsonChange{}, Columns: r.Columns.Words(), Breaking: r.Breaking()}
	for _, c := range r.Changes {
		change := jsonChange{
			Code: c.Code, Subject: c.Subject, What: c.What, Breaking: r.Breaks(c), Old: newJSONPlace(c.Old), New: newJSONPlace(c.New),
			OldReaders: jsonVerdict(c.OldReaders), NewReaders: jsonVerdict(c.NewReaders), Source: map[string]bool{},
			JSON: jsonVerdict(c.JSON), Help: c.Help,
		}
		for _, l := range r.Languages {
			change.Source[l.Name] = true
		}
		for _, l := range c.SourceBreaks {
			change.Source[l] = false
		}
		document.Changes = append(document.Changes, change)
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(document)
}

func newJSONPlace(s source.Span) *jsonPlace {
	if s.IsZero() {
		return nil
	}
	p := s.StartPosition()
	return &jsonPlace{File: s.File.Name(), Line: p.Line, Column: p.Column}
}
