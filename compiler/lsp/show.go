package lsp

import (
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// tokenTypes and tokenModifiers are the legend of semantic tokens.
var (
	tokenTypes = []string{
		"namespace", "type", "enum", "interface", "struct", "class", "property", "enumMember", "event", "method",
		"variable", "decorator", "keyword", "comment", "string", "number",
	}
	tokenModifiers = []string{"declaration", "readonly", "defaultLibrary", "documentation"}
)

const (
	declarationModifier = 1 << iota
	readonlyModifier
	libraryModifier
	documentationModifier
)

// highlight is a piece of text with its kind.
type highlight struct {
	start, end int
	kind       string
	modifiers  uint32
}

func (s *server) semanticTokens(params documentParams) (any, error) {
	x, l, err := s.document(params.Document)
	if err != nil {
		return nil, err
	}
	var all []highlight
	for _, c := range x.File.Comments {
		modifiers := uint32(0)
		if c.Kind == syntax.DocComment || c.Kind == syntax.FileDocComment {
			modifiers = documentationModifier
		}
		all = append(all, highlight{c.Span.Start, c.Span.End, "comment", modifiers})
	}
	words := s.words(x)
	for _, t := range syntax.Tokens(x.File.Source) {
		switch t.Kind {
		case syntax.NumberToken:
			all = append(all, highlight{t.Start, t.End, "number", 0})
		case syntax.StringToken:
			all = append(all, highlight{t.Start, t.End, "string", 0})
		case syntax.WordToken:
			word, known := words[t.Start]
			if !known && slices.Contains(keywords, x.File.Source.Text()[t.Start:t.End]) {
				word, known = highlight{kind: "keyword"}, true
			}
			if known {
				all = append(all, highlight{t.Start, t.End, word.kind, word.modifiers})
			}
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].start < all[j].start })
	return object{"data": l.encode(all)}, nil
}

// keywords are the words that begin something, or stand in it.
var keywords = strings.Fields("package import as const type enum struct message union service call stream event reserved true false map Option Box")

// words are what the names in a file are, by where they start.
func (s *server) words(x *syntax.Index) map[int]highlight {
	words := map[int]highlight{}
	for _, a := range x.Attributes {
		for _, part := range a.Name.Parts {
			words[part.Span.Start] = highlight{kind: "decorator"}
		}
	}
	if x.File.Package != nil {
		for _, part := range x.File.Package.Name.Parts {
			words[part.Span.Start] = highlight{kind: "namespace", modifiers: declarationModifier}
		}
	}
	for _, i := range x.File.Imports {
		if i.Name != nil {
			words[i.Name.Span.Start] = highlight{kind: "namespace", modifiers: declarationModifier}
		}
	}
	for _, d := range x.All {
		word := kindOf(d).shown
		word.modifiers |= declarationModifier
		words[d.Name.Span.Start] = word
	}
	for _, r := range x.References {
		name := r.Ident()
		switch t := s.resolve(x, r); {
		case t.definition != nil:
			words[name.Span.Start] = kindOf(t.definition).shown
		case t.imported != nil:
			words[name.Span.Start] = highlight{kind: "namespace"}
		case builtinDocs[name.Text] != "":
			words[name.Span.Start] = highlight{kind: "type", modifiers: libraryModifier}
		}
	}
	return words
}

// encode writes tokens as five numbers each, relative to the previous token. One of several lines
// becomes one for each.
func (l *lines) encode(list []highlight) []uint32 {
	data := []uint32{}
	var last position
	for _, t := range list {
		kind := uint32(slices.Index(tokenTypes, t.kind))
		for at := t.start; at < t.end; {
			start := l.position(at)
			end := min(t.end, l.lineEnd(int(start.Line)))
			if end > at {
				delta := start
				if delta.Line -= last.Line; delta.Line == 0 {
					delta.Character -= last.Character
				}
				data = append(data, delta.Line, delta.Character, l.position(end).Character-start.Character, kind, t.modifiers)
				last = start
			}
			if int(start.Line)+1 == len(l.starts) {
				break
			}
			at = l.starts[start.Line+1]
		}
	}
	return data
}

func (s *server) folding(params documentParams) (any, error) {
	x, l, err := s.document(params.Document)
	if err != nil {
		return nil, err
	}
	found := []foldingRange{}
	add := func(start, end int, kind string) {
		if first, last := l.position(start).Line, l.position(end).Line; first < last {
			found = append(found, foldingRange{first, last, kind})
		}
	}
	for _, d := range x.All {
		if d.Span.IsZero() {
			continue
		}
		// The last line, with the brace, stays in sight.
		if end := l.position(d.Span.End).Line; end > 0 {
			add(d.Name.Span.Start, l.starts[end]-1, "")
		}
	}
	if n := len(x.File.Imports); n > 1 {
		add(x.File.Imports[0].Span.Start, x.File.Imports[n-1].Span.End, "imports")
	}
	for i := 0; i < len(x.File.Comments); {
		first, end := x.File.Comments[i], i+1
		for ; end < len(x.File.Comments); end++ {
			next := x.File.Comments[end]
			between := x.File.Source.Text()[x.File.Comments[end-1].Span.End:next.Span.Start]
			if next.Kind != first.Kind || !next.OwnLine || strings.TrimSpace(between) != "" || strings.Count(between, "\n") > 1 {
				break
			}
		}
		add(first.Span.Start, x.File.Comments[end-1].Span.End, "comment")
		i = end
	}
	return found, nil
}

// inlayHints say behind each field where it lies.
func (s *server) inlayHints(params rangeParams) (any, error) {
	x, l, err := s.document(params.Document)
	if err != nil {
		return nil, err
	}
	hints := []inlayHint{}
	program, isOld := s.programOf(x.File.Source.Name())
	if program == nil || isOld {
		return hints, nil
	}
	pkg := packageIn(program, x.File.Source.Name())
	if pkg == nil {
		return hints, nil
	}
	from, to := l.offset(params.Range.Start), l.offset(params.Range.End)
	for _, decl := range pkg.Decls {
		for _, body := range ir.WithInline(decl) {
			for _, p := range program.Places(body) {
				at := p.Field.Full.End
				if p.Field.Full.File.Text() != x.File.Source.Text() || at < from || at > to {
					continue
				}
				label := "+" + fmt.Sprint(p.Before.Min)
				if !p.Before.Bounded || p.Before.Min != p.Before.Max {
					label = "≥" + label
				}
				hints = append(hints, inlayHint{
					Position: l.position(at), Label: label, PaddingLeft: true,
					Tooltip: "offset " + p.Offset() + ", size " + p.Size.Text(),
				})
			}
		}
	}
	return hints, nil
}

// relativeTo is a path as an import in a file spells it.
func relativeTo(importer, path string) string {
	inside, err := filepath.Rel(filepath.Dir(importer), path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(inside)
}
