package doc

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/compat"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

// history is what changed from one state to a later one.
type history struct {
	// Old and New are names of states; New is empty for the schemas as they are.
	Old, New string
	Changes  []changeRow
}

// changeRow is one change.
type changeRow struct {
	Subject    string
	What, Help comment
	// Breaks names the broken programs, in the counted columns.
	Breaks                             []string
	OldReaders, NewReaders, JSON, Code verdict
}

// verdict says whether something works on.
type verdict struct {
	OK   bool
	Note string
}

// Text is a mark and the note.
func (v verdict) Text() string {
	text := "✗ breaks"
	if v.OK {
		text = "✓"
	}
	switch {
	case v.Note == "":
	case v.OK:
		text += " " + v.Note
	default:
		text += ": " + v.Note
	}
	return text
}

// changes are histories by the package, and in it by the declaration: "" has all of them.
type changes map[string]map[string][]history

func (c changes) of(pkg, decl string) []history { return c[pkg][decl] }

// histories sorts all changes by their subjects.
func (s *site) histories() changes {
	all := changes{}
	for _, r := range s.Releases {
		for _, c := range r.Report.Changes {
			pkg := s.packageOf(r, c)
			if all[pkg] == nil {
				all[pkg] = map[string][]history{}
			}
			row := changeRow{
				Subject: source.Visible(c.Subject), What: readComment(ir.Doc{c.What}), Help: readComment(ir.Doc{c.Help}), Breaks: r.Report.BrokenFor(c),
				OldReaders: verdict(c.OldReaders), NewReaders: verdict(c.NewReaders), JSON: verdict(c.JSON),
				Code: verdict{len(c.SourceBreaks) == 0, strings.Join(c.SourceBreaks, ", ")},
			}
			decl, _, _ := strings.Cut(c.Subject, ".")
			for _, key := range []string{"", decl} {
				list := all[pkg][key]
				if len(list) == 0 || list[len(list)-1].Old != r.Old {
					list = append(list, history{Old: r.Old, New: r.New})
				}
				last := &list[len(list)-1]
				last.Changes = append(last.Changes, row)
				all[pkg][key] = list
			}
		}
	}
	return all
}

// packageOf is the name of a change's package: the package of its file, or for a removal the
// package of the old file.
func (s *site) packageOf(r Release, c *compat.Change) string {
	for _, side := range []struct {
		span   source.Span
		schema *ir.Schema
	}{{c.New, r.After}, {c.Old, r.Before}} {
		if side.span.IsZero() {
			continue
		}
		for _, pkg := range side.schema.Packages {
			if pkg.Path == side.span.File.Name() {
				return pkg.Name
			}
		}
	}
	return ""
}
