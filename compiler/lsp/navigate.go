package lsp

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/source"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// locate is a place in a file.
func (s *server) locate(span source.Span) location {
	return location{s.uriOf(span.File.Name()), newLines(span.File.Text(), s.units).span(span)}
}

func (s *server) definition(params positionParams) (any, error) {
	x, _, offset, err := s.place(params)
	if err != nil {
		return nil, err
	}
	t, _ := s.at(x, offset)
	switch {
	case t.definition != nil:
		return s.locate(t.definition.Name.Span), nil
	case t.in == nil:
		return nil, nil
	case t.in.File.Package != nil:
		return s.locate(t.in.File.Package.Name.Span), nil
	}
	return s.locate(t.in.File.Source.Span(0, 0)), nil
}

// spansOf are all places that a target is named at, by file; its declaration is among them if
// it is asked for.
func (s *server) spansOf(t target, files []*syntax.Index, declaration bool) []source.Span {
	var spans []source.Span
	for _, x := range files {
		if declaration && t.definition != nil && t.definition.File.Source.Name() == x.File.Source.Name() {
			spans = append(spans, t.definition.Name.Span)
		}
		if declaration && t.imported != nil && t.imported.Name != nil && slices.Contains(x.File.Imports, t.imported) {
			spans = append(spans, t.imported.Name.Span)
		}
		for _, r := range s.referencesTo(x, t) {
			spans = append(spans, r.Ident().Span)
		}
	}
	return spans
}

func (s *server) references(params referenceParams) (any, error) {
	x, _, offset, err := s.place(params.positionParams)
	if err != nil {
		return nil, err
	}
	found := []location{}
	if t, _ := s.at(x, offset); !t.isNothing() {
		for _, span := range s.spansOf(t, s.everyIndex(), params.Context.IncludeDeclaration) {
			found = append(found, s.locate(span))
		}
	}
	return found, nil
}

func (s *server) highlight(params positionParams) (any, error) {
	x, l, offset, err := s.place(params)
	if err != nil {
		return nil, err
	}
	found := []map[string]textRange{}
	if t, _ := s.at(x, offset); !t.isNothing() {
		for _, span := range s.spansOf(t, []*syntax.Index{x}, true) {
			found = append(found, map[string]textRange{"range": l.span(span)})
		}
	}
	return found, nil
}

// renamed is the subject of a rename.
func (s *server) renamed(params positionParams) (x *syntax.Index, l *lines, t target, name syntax.Ident, err error) {
	x, l, offset, err := s.place(params)
	if err != nil {
		return nil, nil, target{}, syntax.Ident{}, err
	}
	if t, name = s.at(x, offset); t.isNothing() || t.imported != nil && t.imported.PathSpan.Holds(offset) {
		return nil, nil, target{}, syntax.Ident{}, failed("nothing here has a name that can be changed")
	}
	return x, l, t, name, nil
}

func (s *server) prepareRename(params positionParams) (any, error) {
	_, l, _, name, err := s.renamed(params)
	if err != nil {
		return nil, err
	}
	return object{"range": l.span(name.Span), "placeholder": name.Text}, nil
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (s *server) rename(params renameParams) (any, error) {
	x, _, t, name, err := s.renamed(params.positionParams)
	if err != nil {
		return nil, err
	}
	if !identifier.MatchString(params.NewName) {
		return nil, failed("%q is no name: it has letters, digits and _, and begins with no digit", params.NewName)
	}
	if params.NewName != name.Text {
		if taken := s.taken(x, t, params.NewName); taken != "" {
			return nil, failed("%s is %s already", params.NewName, taken)
		}
	}
	edits := map[string][]textEdit{}
	add := func(span source.Span, text string) {
		at := s.locate(span)
		edits[at.URI] = append(edits[at.URI], textEdit{at.Range, text})
	}
	files := []*syntax.Index{x}
	if t.imported == nil {
		files = s.everyIndex()
	} else if t.imported.Name == nil {
		end := t.imported.PathSpan.End
		add(x.File.Source.Span(end, end), " as "+params.NewName)
	}
	for _, span := range s.spansOf(t, files, true) {
		add(span, params.NewName)
	}
	return s.edits(edits), nil
}

// taken describes the owner of a name beside a target; it is empty if the name is free.
func (s *server) taken(x *syntax.Index, t target, name string) string {
	d := t.definition
	if d != nil && d.Parent != nil {
		if d.Parent.Child(name) != nil {
			return "a name in " + d.Parent.Name.Text
		}
		return ""
	}
	if d != nil {
		x = s.indexOf(filepath.FromSlash(d.File.Source.Name()))
	}
	switch {
	case x == nil:
	case x.ByName[name] != nil:
		return "declared"
	case s.importNamed(x, name) != nil:
		return "an imported package"
	}
	if _, isBuiltin := builtinDocs[name]; isBuiltin {
		return "a built-in type"
	}
	return ""
}

func (s *server) documentSymbols(params documentParams) (any, error) {
	x, l, err := s.document(params.Document)
	if err != nil {
		return nil, err
	}
	var symbols func(list []*syntax.Definition) []documentSymbol
	symbols = func(list []*syntax.Definition) []documentSymbol {
		found := []documentSymbol{}
		for _, d := range list {
			found = append(found, documentSymbol{
				Name: d.Name.Text, Detail: detail(d), Kind: kindOf(d).symbol, Range: l.span(whole(d)), SelectionRange: l.span(d.Name.Span),
				Children: symbols(d.Children),
			})
		}
		return found
	}
	return symbols(x.Top), nil
}

// whole is the span of a definition, which of one whose rest was not understood is at least
// its name.
func whole(d *syntax.Definition) source.Span {
	span := d.Span
	if span.IsZero() {
		return d.Name.Span
	}
	span.Start, span.End = min(span.Start, d.Name.Span.Start), max(span.End, d.Name.Span.End)
	return span
}

// detail is the type that a definition has.
func detail(d *syntax.Definition) string {
	var t *syntax.Type
	switch node := d.Node.(type) {
	case *syntax.Const:
		t = node.Type
	case *syntax.Alias:
		t = node.Type
	case *syntax.Enum:
		t = node.Base
	case *syntax.Field:
		t = node.Type
	case *syntax.Alternative:
		t = node.Type
	}
	if t == nil {
		return ""
	}
	return strings.Join(strings.Fields(t.Span.Text()), " ")
}

func (s *server) information(d *syntax.Definition) symbolInformation {
	info := symbolInformation{Name: d.Name.Text, Kind: kindOf(d).symbol, Location: s.locate(d.Name.Span), ContainerName: packageOf(d.File)}
	if d.Parent != nil {
		info.ContainerName = d.Parent.Name.Text
	}
	return info
}

func (s *server) workspaceSymbols(params symbolParams) (any, error) {
	const symbolsMax = 1000
	found := []symbolInformation{}
	for _, x := range s.everyIndex() {
		for _, d := range x.All {
			if matches(d.Name.Text, params.Query) && len(found) < symbolsMax {
				found = append(found, s.information(d))
			}
		}
	}
	return found, nil
}

// matches tells whether a name has the letters of a query, in their order, in any case.
func matches(name, query string) bool {
	name = strings.ToLower(name)
	for _, letter := range strings.ToLower(query) {
		at := strings.IndexRune(name, letter)
		if at < 0 {
			return false
		}
		name = name[at+len(string(letter)):]
	}
	return true
}
