package compat

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/diag"
)

// Diagnostics gives the breaking changes as errors, for the formats that
// diagnostics have.
func (r *Report) Diagnostics() *diag.List {
	var list diag.List
	for _, c := range r.Changes {
		if !c.Breaking() {
			continue
		}
		d := list.Error(c.Code, c.Place(), "%s %s", c.Subject, c.What)
		d.WithLabel("breaks " + strings.Join(c.broken(), ", ")).WithHelp(c.Help)
		if !c.New.IsZero() {
			d.WithRelated(c.Old, "before")
		}
	}
	return &list
}

// broken names what the change breaks.
func (c *Change) broken() []string {
	var what []string
	add := func(v Verdict, text string) {
		if !v.OK {
			what = append(what, text)
		}
	}
	add(c.OldReaders, "old readers of new bytes")
	add(c.NewReaders, "new readers of old bytes")
	for _, l := range c.SourceBreaks {
		what = append(what, "source in "+string(l))
	}
	add(c.JSON, "JSON")
	return what
}
