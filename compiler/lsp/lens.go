package lsp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/compat"
	"github.com/serial-data-protocol/sdp/compiler/driver"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/source"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// commandBreaking shows what `sdp breaking` reports.
const commandBreaking = "sdp.breaking"

// lensJob is a comparison of projects with their older states.
type lensJob struct {
	projects []*driver.CheckResult
	first    map[string]*plan.Program
}

type lensResult map[string]*comparison

// comparison is the changes of a project.
type comparison struct {
	report *compat.Report
	// since is the older state in words.
	since string
	// changes are by file and by declaration; what is gone has an empty one.
	changes map[string]map[string][]*compat.Change
}

// compare has the projects compared whose documents were opened or saved, and are without
// an error.
func (s *server) compare() {
	job := lensJob{first: map[string]*plan.Program{}}
	for path := range s.lensDue {
		c := s.projectOf(path)
		if c == nil || c.Program == nil {
			continue
		}
		if !slices.Contains(job.projects, c) {
			job.projects = append(job.projects, c)
			job.first[c.Project] = s.first[c.Project]
		}
	}
	if len(job.projects) > 0 {
		s.lenses.put(job)
	}
}

func (s *server) compareInBackground(stop <-chan struct{}) {
	for {
		select {
		case job := <-s.lenses:
			result := lensResult{}
			for _, c := range job.projects {
				s.guard("comparing "+c.Project, func() { result[c.Project] = s.compareOne(c, job.first[c.Project]) })
			}
			select {
			case s.lensed <- result:
			case <-stop:
				return
			}
		case <-stop:
			return
		}
	}
}

// compareOne compares a project with a revision; without one, with its own first state without an
// error.
func (s *server) compareOne(c *driver.CheckResult, first *plan.Program) *comparison {
	older, err := s.editing.Older(c, s.against)
	compared := &comparison{since: cmp.Or(strings.TrimPrefix(s.against, "git:"), "HEAD"), changes: map[string]map[string][]*compat.Change{}}
	if err != nil {
		older, compared.since = first, "it was opened"
	}
	if older == nil {
		return nil
	}
	compared.report = s.editing.Compare(older, c)
	indexes := map[string]*syntax.Index{}
	for _, change := range compared.report.Changes {
		file, declaration := placeOf(c, compared.since, change, indexes)
		if compared.changes[file] == nil {
			compared.changes[file] = map[string][]*compat.Change{}
		}
		compared.changes[file][declaration] = append(compared.changes[file][declaration], change)
	}
	return compared
}

// placeOf is the file and declaration that a change is shown at. Removals from a declaration are
// shown there.
func placeOf(c *driver.CheckResult, since string, change *compat.Change, indexes map[string]*syntax.Index) (file, declaration string) {
	file = strings.TrimPrefix(fileOf(change.Place()), since+":")
	if indexes[file] == nil && c.Trees[file] != nil {
		indexes[file] = syntax.NewIndex(c.Trees[file])
	}
	if x := indexes[file]; x != nil {
		within, _, _ := strings.Cut(change.Subject, ".")
		for _, d := range x.Top {
			if change.New.IsZero() && d.Name.Text == within || !change.New.IsZero() && whole(d).Holds(change.New.Start) {
				return file, d.Name.Text
			}
		}
	}
	return file, ""
}

func fileOf(span source.Span) string {
	if span.File == nil {
		return ""
	}
	return span.File.Name()
}

// compared takes what a comparison has found.
func (s *server) compared(result lensResult) {
	for project, comparison := range result {
		if s.projects[project] == nil {
			continue
		}
		if s.reports[project] = comparison; comparison == nil {
			delete(s.reports, project)
		}
		for path := range s.lensDue {
			if c := s.projectOf(path); c != nil && c.Project == project {
				delete(s.lensDue, path)
			}
		}
	}
	if s.knows.Capabilities.Workspace.CodeLens.RefreshSupport {
		s.request("workspace/codeLens/refresh", nil)
	}
}

// reportOf is the comparison of the project that a document is in; nil if there is none.
func (s *server) reportOf(uri string) *comparison {
	path, _ := pathOf(uri)
	if doc := s.docs[path]; doc != nil {
		return s.reports[doc.project]
	}
	return nil
}

func (s *server) codeLenses(params documentParams) (any, error) {
	x, l, err := s.document(params.Document)
	if err != nil {
		return nil, err
	}
	lenses := []codeLens{}
	compared := s.reportOf(params.Document.URI)
	if compared == nil {
		return lenses, nil
	}
	changes := compared.changes[x.File.Source.Name()]
	add := func(span source.Span, changes []*compat.Change) {
		title := compared.title(changes)
		if title == "" {
			return
		}
		span.End = span.Start
		lenses = append(lenses, codeLens{l.span(span), command{title, commandBreaking, []any{params.Document.URI}}})
	}
	top := x.File.Source.Span(0, 0)
	if x.File.Package != nil {
		top = x.File.Package.Span
	}
	for _, change := range changes[""] {
		add(top, []*compat.Change{change})
	}
	for _, d := range x.Top {
		if x.ByName[d.Name.Text] == d {
			add(d.Name.Span, changes[d.Name.Text])
		}
	}
	return lenses, nil
}

// title names the effects of changes, and the broken programs.
func (c *comparison) title(changes []*compat.Change) string {
	if len(changes) == 0 {
		return ""
	}
	var whom, languages, broken []string
	for _, change := range changes {
		whose := c.report.BrokenFor(change)
		if len(whose) == 0 {
			continue
		}
		broken = append(broken, change.Subject+" "+change.What)
		for _, one := range whose {
			of := &whom
			if language, isSource := strings.CutPrefix(one, "source in "); isSource {
				one, of = language, &languages
			}
			if !slices.Contains(*of, one) {
				*of = append(*of, one)
			}
		}
	}
	if len(languages) > 0 {
		whom = append(whom, "source in "+strings.Join(languages, ", "))
	}
	if len(broken) == 0 {
		return fmt.Sprintf("%s since %s: %s", counted(len(changes), "change"), c.since, "none breaks anybody")
	}
	const brokenMax = 3
	if more := len(broken) - brokenMax; more > 0 {
		broken = append(broken[:brokenMax], counted(more, "more"))
	}
	return fmt.Sprintf("breaks %s since %s: %s", strings.Join(whom, ", "), c.since, strings.Join(broken, "; "))
}

func counted(n int, noun string) string {
	if n == 1 || noun == "more" {
		return fmt.Sprintf("%d %s", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (s *server) executeCommand(params commandParams) (any, error) {
	var uri string
	if params.Command != commandBreaking || len(params.Arguments) != 1 || json.Unmarshal(params.Arguments[0], &uri) != nil {
		return nil, &responseError{codeInvalidParams, "the command is " + commandBreaking + ", with the URI of a schema"}
	}
	compared := s.reportOf(uri)
	if compared == nil {
		return nil, failed("%s has not been compared with an older state", filepath.Base(uri))
	}
	var text bytes.Buffer
	if err := compat.WriteText(&text, compared.report, false); err != nil {
		return nil, err
	}
	s.show(3, text.String())
	return text.String(), nil
}
