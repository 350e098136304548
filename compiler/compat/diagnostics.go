package compat

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/diag"
)

// Diagnostics gives the breaking changes as errors, for the formats that
// diagnostics have. The label names the broken columns, of the counted ones, and the reason.
func (r *Report) Diagnostics() *diag.List {
	var list diag.List
	for _, c := range r.Changes {
		var reasons []string
		for _, b := range r.Columns.counted(c) {
			reason := b.text
			if b.note != "" {
				reason += " (" + b.note + ")"
			}
			reasons = append(reasons, reason)
		}
		if len(reasons) == 0 {
			continue
		}
		d := list.Error(c.Code, c.Place(), "%s %s", c.Subject, c.What)
		d.WithLabel("breaks " + strings.Join(reasons, ", ")).WithHelp(c.Help)
		if !c.New.IsZero() {
			d.WithRelated(c.Old, "before")
		}
	}
	return &list
}
