package lsp

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lint"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

func (s *server) completion(params positionParams) (any, error) {
	x, _, offset, err := s.place(params)
	if err != nil {
		return nil, err
	}
	items := s.complete(x, syntax.Before(x.File, offset))
	if items == nil {
		items = []completionItem{}
	}
	return completionList{Items: items}, nil
}

func (s *server) complete(x *syntax.Index, w *syntax.Prefix) []completionItem {
	last := w.Word(-1)
	equals, colon := w.Last("="), w.Last(":")
	switch {
	case w.InComment:
		return nil
	case w.InString != "":
		if last == "import" {
			return s.files(x)
		}
		return nil
	case last == "@":
		body := w.Body()
		if colon >= 0 {
			body = "type"
		}
		return attributeItems(body)
	case last == ".":
		return s.within(x, w, equals)
	}
	if a := w.Attribute(); a != "" {
		return s.arguments(x, a)
	}
	body := w.Body()
	var items []completionItem
	switch {
	case last == "<" && w.Word(-2) == "map":
		return s.keys(x)
	case body == "" && equals >= 0 && w.Has("type"), body != "service" && colon >= 0 && equals < 0 && !w.Has("enum"), body == "union" && last == "(":
		if last == "[" {
			return s.constants(x)
		}
		return s.types(x, func(*syntax.Definition) bool { return true })
	case body == "" && w.Has("enum") && colon >= 0:
		for _, k := range ir.Scalars() {
			if k.IsEnumBase() {
				items = append(items, builtinItem(k.String()))
			}
		}
		return items
	case body == "service" && (last == "(" || last == "->" || last == "stream" && len(w.Item) > 1):
		items = s.types(x, func(d *syntax.Definition) bool {
			switch d.Node.(type) {
			case *syntax.Struct, *syntax.Union, *syntax.Alias:
				return true
			}
			return false
		})
		items = slices.DeleteFunc(items, func(item completionItem) bool { return builtinDocs[item.Label] != "" })
		if last != "stream" && w.Word(0) == "stream" {
			items = append(items, keywordItems("stream")...)
		}
		return items
	case equals >= 0 && body != "union" && body != "service":
		return s.values(x, w, colon, equals)
	case body == "service" && w.Begins():
		return keywordItems("call", "stream", "event", "reserved")
	case (body == "enum" || body == "union") && w.Begins():
		return keywordItems("reserved")
	case body == "" && w.Begins():
		return keywordItems(syntax.StatementWords...)
	}
	return nil
}

func keywordItems(words ...string) []completionItem {
	var items []completionItem
	for _, word := range words {
		items = append(items, completionItem{Label: word, Kind: itemKeyword})
	}
	return items
}

func attributeItems(body string) []completionItem {
	items := []completionItem{}
	for _, a := range check.Attributes(body) {
		items = append(items, completionItem{Label: a.Name, Kind: itemProperty, Documentation: markdown(attributeDocs[a.Name].doc)})
	}
	return items
}

func builtinItem(name string) completionItem {
	return completionItem{Label: name, Kind: itemKeyword, Documentation: markdown(builtinDocs[name]), SortText: "2" + name}
}

func item(d *syntax.Definition) completionItem {
	found := completionItem{Label: d.Name.Text, Kind: kindOf(d).item, Detail: detail(d), SortText: "0" + d.Name.Text}
	if doc := docText(d.Docs); doc != "" {
		found.Documentation = markdown(doc)
	}
	return found
}

// types are the types that a file can name, and its imports.
func (s *server) types(x *syntax.Index, want func(*syntax.Definition) bool) []completionItem {
	items := declared(x, func(d *syntax.Definition) bool { return isType(d) && want(d) })
	items = append(items, s.imports(x)...)
	for _, name := range check.Builtins() {
		items = append(items, builtinItem(name))
	}
	for name, text := range map[string]string{"map": "map<", "Option": "Option<", "Box": "Box<"} {
		generic := builtinItem(name)
		generic.InsertText = text
		items = append(items, generic)
	}
	slices.SortFunc(items, func(a, b completionItem) int { return strings.Compare(a.SortText, b.SortText) })
	return items
}

func isType(d *syntax.Definition) bool {
	switch d.Node.(type) {
	case *syntax.Const, *syntax.Service:
		return false
	}
	return true
}

func isConst(d *syntax.Definition) bool {
	_, is := d.Node.(*syntax.Const)
	return is
}

func declared(x *syntax.Index, want func(*syntax.Definition) bool) []completionItem {
	var items []completionItem
	for _, d := range x.Top {
		if want(d) {
			items = append(items, item(d))
		}
	}
	return items
}

func (s *server) imports(x *syntax.Index) []completionItem {
	var items []completionItem
	for _, statement := range x.File.Imports {
		name := s.localName(x, statement)
		items = append(items, completionItem{Label: name, Kind: itemModule, Detail: statement.Path, SortText: "1" + name})
	}
	return items
}

func (s *server) constants(x *syntax.Index) []completionItem {
	return append(declared(x, isConst), s.imports(x)...)
}

// within are the names in what stands before a point.
func (s *server) within(x *syntax.Index, w *syntax.Prefix, equals int) []completionItem {
	parts := w.PathBefore(len(w.Item) - 1)
	if len(parts) == 0 {
		return nil
	}
	if w.Word(len(w.Item)-2*len(parts)-1) == "@" {
		return ownAttributes(x, parts)
	}
	t := s.lookup(x, parts)
	bound := w.Attribute() == "max"
	switch {
	case t.in != nil:
		return declared(t.in, func(d *syntax.Definition) bool {
			if bound || isConst(d) {
				return isConst(d) && (bound || equals >= 0 || w.Word(len(w.Item)-2*len(parts)-1) == "[")
			}
			return isType(d)
		})
	case t.definition != nil:
		return members(t.definition)
	}
	return nil
}

// keys are what a map can be keyed by.
func (s *server) keys(x *syntax.Index) []completionItem {
	items := s.types(x, func(d *syntax.Definition) bool {
		switch d.Node.(type) {
		case *syntax.Enum, *syntax.Alias:
			return true
		}
		return false
	})
	return slices.DeleteFunc(items, func(i completionItem) bool {
		kind := slices.IndexFunc(ir.Scalars(), func(k ir.Kind) bool { return k.String() == i.Label })
		isKey := i.Label == "str" || kind >= 0 && (ir.Scalars()[kind].IsInteger() || ir.Scalars()[kind] == ir.Bool)
		return builtinDocs[i.Label] != "" && !isKey || i.InsertText != ""
	})
}

// ownAttributes are the rest of the user's own attributes that begin with some names: attributes of
// the file, and attributes that the tool knows.
func ownAttributes(x *syntax.Index, parts []syntax.Ident) []completionItem {
	prefix := ""
	for _, part := range parts {
		prefix += part.Text + "."
	}
	var names []string
	for _, name := range append(attributesOf(x.File), knownAttributes...) {
		if rest, found := strings.CutPrefix(name, prefix); found && !slices.Contains(names, rest) {
			names = append(names, rest)
		}
	}
	slices.Sort(names)
	var items []completionItem
	for _, name := range names {
		items = append(items, completionItem{Label: name, Kind: itemProperty})
	}
	return items
}

// knownAttributes are the attributes with an x that mean something to the tool itself.
var knownAttributes = []string{"x.proto", "x.ts"}

// writtenAttribute matches one with an x.
var writtenAttribute = regexp.MustCompile(`@\s*(x(?:\.[A-Za-z_][A-Za-z0-9_]*)+)`)

func attributesOf(f *syntax.File) []string {
	var names []string
	for _, found := range writtenAttribute.FindAllStringSubmatch(f.Source.Text(), -1) {
		names = append(names, found[1])
	}
	return names
}

func members(d *syntax.Definition) []completionItem {
	var items []completionItem
	if _, isEnum := d.Node.(*syntax.Enum); isEnum {
		for _, c := range d.Children {
			items = append(items, item(c))
		}
	}
	return items
}

// values are what may stand behind an equals sign, by the type that stands before it.
func (s *server) values(x *syntax.Index, w *syntax.Prefix, colon, equals int) []completionItem {
	if colon >= 0 && colon < equals {
		at := equals - 1
		if w.Item[at].Kind == syntax.WordToken {
			parts := append(w.PathBefore(at-1), syntax.Ident{Text: w.Word(at)})
			name := &syntax.Type{Kind: syntax.NameType, Name: syntax.Path{Parts: parts}}
			if enum := s.enumOf(x, name, 0); enum != nil {
				return members(enum)
			}
			if w.Word(at) == ir.Bool.String() {
				return append(keywordItems("true", "false"), s.constants(x)...)
			}
		}
	}
	return s.constants(x)
}

// arguments are what may stand in the parentheses of an attribute.
func (s *server) arguments(x *syntax.Index, attribute string) []completionItem {
	switch attribute {
	case "len":
		return []completionItem{builtinItem("u8"), builtinItem("u16")}
	case "max":
		return s.constants(x)
	case "name":
		var items []completionItem
		for _, name := range ir.Targets() {
			items = append(items, completionItem{Label: name, Kind: itemProperty, InsertText: name + " = "})
		}
		return items
	case "allow":
		var items []completionItem
		for _, c := range lint.Codes.Codes() {
			explained, _ := diag.Catalog{lint.Codes}.Explain(string(c))
			items = append(items, completionItem{Label: string(c), Kind: itemConstant, Detail: explained.Title})
		}
		return items
	}
	return nil
}

// files are the schemas that an import can name: those below the file's folder and beside it.
func (s *server) files(x *syntax.Index) []completionItem {
	const filesShown = 200
	var items []completionItem
	importer := filepath.FromSlash(x.File.Source.Name())
	if !filepath.IsAbs(importer) {
		return nil
	}
	names := map[string]bool{}
	for _, folder := range append([]string{filepath.Dir(importer)}, s.folders...) {
		paths, err := s.editing.Schemas(s.open, folder)
		if err != nil {
			continue
		}
		for _, path := range paths {
			if name := relativeTo(importer, path); path != importer && !names[name] && len(items) < filesShown {
				names[name] = true
				items = append(items, completionItem{Label: name, Kind: itemFile, SortText: fmt.Sprintf("%d%s", strings.Count(name, "../"), name)})
			}
		}
	}
	return items
}
