package lsp

import (
	"maps"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/lint"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

// The kinds of code actions.
const (
	quickFix = "quickfix"
	fixAll   = "source.fixAll.sdp"
)

// formatting is `sdp fmt`.
func (s *server) formatting(params documentParams) (any, error) {
	x, l, err := s.document(params.Document)
	if err != nil {
		return nil, err
	}
	path, _ := pathOf(params.Document.URI)
	_, problems, err := s.editing.Tree(s.open, path)
	if err != nil || problems.HasErrors() {
		return nil, failed("a schema with errors of syntax cannot be formatted")
	}
	return l.difference(format.File(x.File)), nil
}

// difference is the edit that makes a text another, of whole lines; none where they are the
// same.
func (l *lines) difference(text string) []textEdit {
	if l.text == text {
		return []textEdit{}
	}
	before, after := strings.SplitAfter(l.text, "\n"), strings.SplitAfter(text, "\n")
	start, end := 0, len(l.text)
	for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		start += len(before[0])
		before, after = before[1:], after[1:]
	}
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		end -= len(before[len(before)-1])
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	return []textEdit{{l.rangeOf(start, end), strings.Join(after, "")}}
}

// codeActions are the fixes of the problems in a range, and one for all of a file.
func (s *server) codeActions(params codeActionParams) (any, error) {
	x, l, err := s.document(params.Document)
	if err != nil {
		return nil, err
	}
	actions := []codeAction{}
	checked := s.checkedWith(x.File.Source.Name())
	if checked == nil || checked.Trees[x.File.Source.Name()].Source.Text() != x.File.Source.Text() {
		return actions, nil
	}
	from, to := l.offset(params.Range.Start), l.offset(params.Range.End)
	wants := func(kind string) bool {
		return len(params.Context.Only) == 0 || slices.ContainsFunc(params.Context.Only, func(only string) bool {
			return kind == only || strings.HasPrefix(kind, only+".")
		})
	}
	problems := checked.Problems.Sorted()
	file := checked.Trees[x.File.Source.Name()].Source
	for _, d := range problems {
		if d.Span.File != file || d.Span.End < from || d.Span.Start > to || !wants(quickFix) {
			continue
		}
		for i, fix := range d.Fixes {
			actions = append(actions, codeAction{
				Title: fix.Title, Kind: quickFix, Preferred: i == 0, Edit: s.edit(fix.Edits),
				Diagnostics: []diagnostic{{Range: l.span(d.Span), Severity: severity(d), Code: string(d.Code), Source: "sdp", Message: told(d)}},
			})
		}
	}
	if text, applied := lint.Fixed(file, problems); applied > 0 && wants(fixAll) {
		actions = append(actions, codeAction{
			Title: "Fix all that can be fixed", Kind: fixAll,
			Edit: s.edits(map[string][]textEdit{s.uriOf(file.Name()): l.difference(text)}),
		})
	}
	return actions, nil
}

func (s *server) edit(edits []diag.Edit) *workspaceEdit {
	changes := map[string][]textEdit{}
	known := map[*source.File]*lines{}
	for _, e := range edits {
		file := e.Span.File
		if known[file] == nil {
			known[file] = newLines(file.Text(), s.units)
		}
		uri := s.uriOf(file.Name())
		changes[uri] = append(changes[uri], textEdit{known[file].span(e.Span), e.Text})
	}
	return s.edits(changes)
}

// edits are changes by document as the client takes them: with versions, it does not make them in a
// document that has changed since.
func (s *server) edits(changes map[string][]textEdit) *workspaceEdit {
	if !s.knows.Capabilities.Workspace.WorkspaceEdit.DocumentChanges {
		return &workspaceEdit{Changes: changes}
	}
	edit := &workspaceEdit{}
	for _, uri := range slices.Sorted(maps.Keys(changes)) {
		one := documentEdit{Document: versionOf{URI: uri}, Edits: changes[uri]}
		for _, doc := range s.docs {
			if doc.uri == uri {
				one.Document.Version = &doc.version
			}
		}
		edit.DocumentChanges = append(edit.DocumentChanges, one)
	}
	return edit
}
