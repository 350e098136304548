package lsp

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/driver"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

// checkJob is the work of a check: the projects of documents, as these were.
type checkJob struct {
	ctx        context.Context
	generation int
	open       driver.Open
	paths      []string
}

type checkResult struct {
	generation int
	projects   []*driver.CheckResult
	// of is the project of each document that was to be checked.
	of map[string]string
}

// check starts checks of a document's projects, and of all stale documents' projects. A running
// check is given up.
func (s *server) check(path string) {
	s.cancel()
	for other, doc := range s.docs {
		project := s.projectOf(other)
		if doc.refused {
			continue
		}
		if other == path || project == nil || project.Trees[filepath.ToSlash(path)] != nil {
			s.stale[other] = true
		}
	}
	s.generation++
	if len(s.stale) == 0 {
		s.forget()
		s.publish()
		return
	}
	paths := slices.Sorted(maps.Keys(s.stale))
	// The one that a person works on comes first.
	if i := slices.Index(paths, path); i > 0 {
		paths = slices.Insert(slices.Delete(paths, i, i+1), 0, path)
	}
	job := checkJob{generation: s.generation, open: s.open, paths: paths}
	job.ctx, s.cancel = context.WithCancel(context.Background())
	s.jobs.put(job)
}

// checkInBackground does one job after another.
func (s *server) checkInBackground(stop <-chan struct{}) {
	for {
		select {
		case job := <-s.jobs:
			result, err := s.run(job)
			if err != nil {
				continue
			}
			select {
			case s.found <- result:
			case <-stop:
				return
			}
		case <-stop:
			return
		}
	}
}

// run does a job. Its error says that it was given up.
func (s *server) run(job checkJob) (result checkResult, err error) {
	result = checkResult{generation: job.generation, of: map[string]string{}}
	for _, path := range job.paths {
		if result.of[path] != "" {
			continue
		}
		checked, err := s.checkOne(job, path)
		if job.ctx.Err() != nil {
			return result, job.ctx.Err()
		}
		if err != nil {
			checked = &driver.CheckResult{Project: path, Problems: &diag.List{}}
			checked.Problems.Error("C0001", source.New(path, "").Span(0, 0), "%s", err)
		}
		result.projects = append(result.projects, checked)
		result.of[path] = checked.Project
		for _, root := range checked.Roots {
			identity := driver.Identity(root)
			if slices.Contains(job.paths, identity) {
				result.of[identity] = checked.Project
			}
		}
	}
	return result, nil
}

func (s *server) checkOne(job checkJob, path string) (checked *driver.CheckResult, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			s.panicked("checking "+path, reason)
			checked, err = nil, failed("the check has made a mistake; the server's standard error says which")
		}
	}()
	return s.editing.Check(job.ctx, job.open, path)
}

// checked takes what a check has found, and tells the client.
func (s *server) checked(result checkResult) {
	if result.generation != s.generation {
		return
	}
	clear(s.stale)
	for path, project := range result.of {
		if doc := s.docs[path]; doc != nil {
			doc.project = project
		}
	}
	for _, c := range result.projects {
		s.projects[c.Project] = c
		if c.Program != nil {
			s.good[c.Project] = c.Program
			if s.first[c.Project] == nil {
				s.first[c.Project] = c.Program
			}
		}
	}
	s.forget()
	s.publish()
	s.compare()
	s.answerWaiting()
	// The editor asks again by itself for the document that was edited.
	if len(s.docs) > 1 && s.knows.Capabilities.Workspace.InlayHint.RefreshSupport {
		s.request("workspace/inlayHint/refresh", nil)
	}
}

// forget drops the projects that no document is of.
func (s *server) forget() {
	used := map[string]bool{}
	for _, doc := range s.docs {
		used[doc.project] = true
	}
	drop := func(project string) bool { return !used[project] }
	maps.DeleteFunc(s.projects, func(project string, _ *driver.CheckResult) bool { return drop(project) })
	maps.DeleteFunc(s.good, func(project string, _ *plan.Program) bool { return drop(project) })
	maps.DeleteFunc(s.first, func(project string, _ *plan.Program) bool { return drop(project) })
	maps.DeleteFunc(s.reports, func(project string, _ *comparison) bool { return drop(project) })
	maps.DeleteFunc(s.tables, func(program *plan.Program, _ []*names.Table) bool {
		return !slices.Contains(slices.Collect(maps.Values(s.good)), program)
	})
	if len(s.docs) == 0 {
		clear(s.indexes)
	}
}

// projectOf is the result of the check of a document's project; nil before the first check.
func (s *server) projectOf(path string) *driver.CheckResult {
	if doc := s.docs[path]; doc != nil {
		return s.projects[doc.project]
	}
	return nil
}

// checkedWith is a project that a file was read for; nil if there is none.
func (s *server) checkedWith(name string) *driver.CheckResult {
	for _, c := range s.projects {
		if c.Trees[name] != nil {
			return c
		}
	}
	return nil
}

// publish tells the client the problems of all files in which they have changed, and of the
// documents that were edited.
func (s *server) publish() {
	byURI := map[string][]diagnostic{}
	for _, key := range slices.Sorted(maps.Keys(s.projects)) {
		s.collect(s.projects[key], byURI)
	}
	edited := map[string]*document{}
	if len(s.stale) == 0 {
		for path := range s.edited {
			edited[s.docs[path].uri] = s.docs[path]
		}
		clear(s.edited)
	}
	send := func(uri string, result []diagnostic) {
		if result == nil {
			result = []diagnostic{}
		}
		text, err := json.Marshal(result)
		if err != nil {
			panic(err)
		}
		doc := edited[uri]
		if before, told := s.published[uri]; doc == nil && (told && before == string(text) || !told && len(result) == 0) {
			return
		}
		params := publishParams{URI: uri, Diagnostics: result}
		if doc != nil {
			params.Version = &doc.version
		}
		if s.published[uri] = string(text); len(result) == 0 {
			delete(s.published, uri)
		}
		s.out.notify("textDocument/publishDiagnostics", params)
	}
	for _, uri := range slices.Sorted(maps.Keys(s.published)) {
		if byURI[uri] == nil && edited[uri] == nil {
			send(uri, nil)
		}
	}
	for uri := range edited {
		if byURI[uri] == nil {
			send(uri, nil)
		}
	}
	for _, uri := range slices.Sorted(maps.Keys(byURI)) {
		send(uri, byURI[uri])
	}
}

// collect adds the problems of a project to the problems of its files. Two projects find the same
// in a file that is in both.
func (s *server) collect(c *driver.CheckResult, byURI map[string][]diagnostic) {
	known := map[*source.File]*lines{}
	linesOf := func(file *source.File) *lines {
		if known[file] == nil {
			known[file] = newLines(file.Text(), s.units)
		}
		return known[file]
	}
	uris := map[*source.File]string{}
	uriOf := func(file *source.File) string {
		if uris[file] == "" {
			uris[file] = s.uriOf(file.Name())
		}
		return uris[file]
	}
	others := map[string]int{} // how many the projects before have found
	for _, d := range c.Problems.Sorted() {
		file := d.Span.File
		uri := ""
		shown := diagnostic{Severity: severity(d), Code: string(d.Code), Source: "sdp", Message: told(d)}
		if file == nil {
			uri = s.uriOf(filepath.ToSlash(c.Project)) // no file has it
		} else {
			uri, shown.Range = uriOf(file), linesOf(file).span(d.Span)
		}
		if isUnused(d.Code) {
			shown.Tags = []int{1}
		}
		for _, r := range d.Related {
			shown.Related = append(shown.Related, relatedInfo{location{uriOf(r.Span.File), linesOf(r.Span.File).span(r.Span)}, r.Text})
		}
		if _, seen := others[uri]; !seen {
			others[uri] = len(byURI[uri])
		}
		if slices.ContainsFunc(byURI[uri][:others[uri]], func(o diagnostic) bool { return sameProblem(o, shown) }) {
			continue
		}
		byURI[uri] = append(byURI[uri], shown)
	}
}

func sameProblem(a, b diagnostic) bool {
	return a.Range == b.Range && a.Code == b.Code && a.Message == b.Message
}

// isUnused tells whether a code's lints are about what nothing needs, which editors grey
// out.
func isUnused(code diag.Code) bool { return code >= "L0201" && code < "L0300" }

// told is the text of a problem for people, without its place.
func told(d *diag.Diagnostic) string {
	text := d.Message
	if d.Label != "" {
		text += "\n" + d.Label
	}
	if d.Help != "" {
		text += "\nhelp: " + d.Help
	}
	return text
}

// severity is a problem's in the protocol's numbers.
func severity(d *diag.Diagnostic) int {
	if d.Severity == diag.SeverityError {
		return 1
	}
	return 2
}
