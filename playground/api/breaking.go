package api

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/compat"
	"github.com/serial-data-protocol/sdp/compiler/language"
)

// BreakingQuestion asks what changes of a schema break.
type BreakingQuestion struct {
	Schema Schema `json:"schema"`
	// Old is the schema as it was.
	Old Schema `json:"old"`
	// For are the columns that count; none means the columns of bytes.
	For []string `json:"for"`
}

// Comparison is the comparison, or the problems of the older schema.
type Comparison struct {
	// Report is the document of `sdp breaking --format json`; null if there is none.
	Report  json.RawMessage `json:"report"`
	Summary string          `json:"summary"`
	// Diagnostics are errors of the older schema.
	Diagnostics []Diagnostic `json:"diagnostics"`
}

func columnWords() []string { return compat.ColumnWords(language.All.Compared()) }

// Breaking compares a schema with an older one, as `sdp breaking` does.
func (c *Compiler) Breaking(q BreakingQuestion) (*Comparison, error) {
	columns := compat.Bytes
	if len(q.For) > 0 {
		chosen, unknown := compat.NewColumns(q.For, language.All.Compared())
		if unknown != "" {
			return nil, fmt.Errorf("there is no column %q", unknown)
		}
		columns = chosen
	}
	after, err := c.sound(q.Schema)
	if err != nil {
		return nil, err
	}
	before, err := c.compile(q.Old)
	if err != nil {
		return nil, err
	}
	answer := &Comparison{Report: json.RawMessage("null"), Diagnostics: []Diagnostic{}}
	if before.program == nil {
		answer.Diagnostics = diagnostics(before.problems)
		return answer, nil
	}
	report := compat.Compare(before.program.Schema, after.program.Schema, language.All.Compared(), columns)
	var document bytes.Buffer
	if err := compat.WriteJSON(&document, report); err != nil {
		return nil, err
	}
	answer.Report, answer.Summary = document.Bytes(), report.Summary()
	return answer, nil
}
