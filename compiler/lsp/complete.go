package lsp

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lint"
	"github.com/serial-data-protocol/sdp/compiler/source"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// The kinds of completion items.
const (
	itemField    = 5
	itemModule   = 9
	itemProperty = 10
	itemEnum     = 13
	itemKeyword  = 14
	itemFile     = 17
	itemMember   = 20
	itemConstant = 21
	itemStruct   = 22
)

// written is the text before the cursor, cut into what completion asks about. It needs no
// tree, since a text that is being written has none.
type written struct {
	text string
	// body is the keyword of the declaration in whose body the cursor is; empty at the top.
	bodies []string
	// item are the tokens since the statement, field, member or the like began, without the
	// word that is being written.
	item []syntax.Token
	// inString is a string that the cursor is in, with its quotation mark.
	inString string
	// inComment says that there is nothing to complete.
	inComment bool
}

func (w *written) word(i int) string {
	if i < 0 {
		i += len(w.item)
	}
	if i < 0 || i >= len(w.item) {
		return ""
	}
	return w.text[w.item[i].Start:w.item[i].End]
}

func (w *written) body() string {
	if len(w.bodies) == 0 {
		return ""
	}
	return w.bodies[len(w.bodies)-1]
}

// bodyWords are the keywords of declarations with a body.
var bodyWords = []string{"enum", "struct", "message", "union", "service"}

var statementWords = append([]string{"package", "import", "const", "type", "reserved"}, bodyWords...)

func writtenBefore(file *syntax.File, offset int) *written {
	w := &written{text: file.Source.Text()}
	for _, c := range file.Comments {
		switch {
		case c.Span.Start >= offset:
		case c.Kind == syntax.BlockComment:
			w.inComment = w.inComment || offset < c.Span.End
		default: // its span is without the blanks at its end
			w.inComment = w.inComment || !strings.Contains(w.text[c.Span.Start:offset], "\n")
		}
	}
	open := 0
	tokens := syntax.Tokens(source.New("", w.text[:offset]))
	for i, t := range tokens {
		text := w.text[t.Start:t.End]
		isLast := i == len(tokens)-1 && t.End == offset
		if isLast && t.Kind == syntax.WordToken {
			break
		}
		if text[0] == '"' && isLast && (len(text) == 1 || t.Kind != syntax.StringToken || text[len(text)-1] != '"') {
			w.inString = text
			break
		}
		if t.Kind == syntax.WordToken && len(w.bodies) > 0 && slices.Contains(statementWords, text) && w.beginsLine(t.Start) && i+1 < len(tokens) && tokens[i+1].Kind == syntax.WordToken {
			if text != "reserved" {
				w.bodies, w.item, open = nil, nil, 0 // a brace is missing
			}
		}
		switch text {
		case "{":
			w.bodies = append(w.bodies, w.opened())
			w.item, open = nil, 0
			continue
		case "}":
			w.bodies = w.bodies[:max(0, len(w.bodies)-1)]
			w.item, open = nil, 0
			continue
		case ";":
			w.item, open = nil, 0
			continue
		case ",":
			if open == 0 {
				w.item = nil
				continue
			}
		case "(", "<", "[":
			open++
		case ")", ">", "]":
			open = max(0, open-1)
		}
		w.item = append(w.item, t)
	}
	return w
}

// beginsLine tells whether only blanks stand before an offset in its line.
func (w *written) beginsLine(offset int) bool {
	before := strings.TrimRight(w.text[:offset], " \t")
	return before == "" || before[len(before)-1] == '\n' || before[len(before)-1] == '\r'
}

// opened is the kind of body that a brace behind the item opens.
func (w *written) opened() string {
	if w.body() == "union" {
		return "struct" // an inline alternative
	}
	for i := range w.item {
		if word := w.word(i); slices.Contains(bodyWords, word) && w.word(i-1) != "@" {
			return word
		}
	}
	return "struct"
}

// attribute is the one in whose parentheses the cursor is; empty if it is in none.
func (w *written) attribute() string {
	depth := 0
	for i := len(w.item) - 1; i > 1; i-- {
		switch w.word(i) {
		case ")":
			depth++
		case "(":
			if depth--; depth < 0 {
				if w.word(i-2) == "@" {
					return w.word(i - 1)
				}
				return ""
			}
		}
	}
	return ""
}

// last is where a sign stands for the last time in the item, -1 if it does not.
func (w *written) last(sign string) int {
	for i := len(w.item) - 1; i >= 0; i-- {
		if w.word(i) == sign {
			return i
		}
	}
	return -1
}

// path are the names before a point at the end of some tokens.
func (w *written) path(end int) []syntax.Ident {
	var parts []syntax.Ident
	for i := end; i > 0 && w.word(i) == "." && w.item[i-1].Kind == syntax.WordToken; i -= 2 {
		parts = append([]syntax.Ident{{Text: w.word(i - 1)}}, parts...)
	}
	return parts
}

func (s *server) completion(params positionParams) (any, error) {
	x, _, offset, err := s.place(params)
	if err != nil {
		return nil, err
	}
	items := s.complete(x, writtenBefore(x.file, offset))
	if items == nil {
		items = []completionItem{}
	}
	return completionList{Items: items}, nil
}

func (s *server) complete(x *index, w *written) []completionItem {
	last := w.word(-1)
	equals, colon := w.last("="), w.last(":")
	switch {
	case w.inComment:
		return nil
	case w.inString != "":
		if last == "import" {
			return s.files(x)
		}
		return nil
	case last == "@":
		body := w.body()
		if colon >= 0 {
			body = "type"
		}
		return attributeItems(body)
	case last == ".":
		return s.within(x, w, equals)
	}
	if a := w.attribute(); a != "" {
		return s.arguments(x, a)
	}
	body := w.body()
	var items []completionItem
	switch {
	case body == "" && equals >= 0 && w.has("type"), body != "service" && colon >= 0 && equals < 0 && !w.has("enum"), body == "union" && last == "(":
		if last == "[" {
			return s.constants(x)
		}
		return s.types(x, func(*definition) bool { return true })
	case body == "" && w.has("enum") && colon >= 0:
		for _, k := range ir.Scalars() {
			if k.IsEnumBase() {
				items = append(items, builtinItem(k.String()))
			}
		}
		return items
	case body == "service" && (last == "(" || last == "->" || last == "stream" && len(w.item) > 1):
		items = s.types(x, func(d *definition) bool {
			switch d.node.(type) {
			case *syntax.Struct, *syntax.Union, *syntax.Alias:
				return true
			}
			return false
		})
		items = slices.DeleteFunc(items, func(item completionItem) bool { return builtinDocs[item.Label] != "" })
		if last != "stream" && w.word(0) == "stream" {
			items = append(items, keywordItems("stream")...)
		}
		return items
	case equals >= 0 && body != "union" && body != "service":
		return s.values(x, w, colon, equals)
	case body == "service" && w.begins():
		return keywordItems("call", "stream", "event", "reserved")
	case (body == "enum" || body == "union") && w.begins():
		return keywordItems("reserved")
	case body == "" && w.begins():
		return keywordItems(statementWords...)
	}
	return nil
}

// has tells whether the item has a word that no attribute has.
func (w *written) has(word string) bool {
	i := w.last(word)
	return i >= 0 && w.word(i-1) != "@"
}

// begins tells whether nothing but attributes stands in the item.
func (w *written) begins() bool {
	at := 0
	for at < len(w.item) && w.word(at) == "@" {
		at += 2
		for w.word(at) == "." {
			at += 2
		}
		if w.word(at) == "(" {
			for at < len(w.item) && w.word(at) != ")" {
				at++
			}
			at++
		}
	}
	return at >= len(w.item)
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

var itemKinds = map[int]int{
	symbolConstant: itemConstant, symbolEnum: itemEnum, symbolEnumMember: itemMember, symbolField: itemField,
}

func item(d *definition) completionItem {
	kind, known := itemKinds[symbolKind(d)]
	if !known {
		kind = itemStruct
	}
	found := completionItem{Label: d.Name.Text, Kind: kind, Detail: detail(d), SortText: "0" + d.Name.Text}
	if doc := docText(d.Docs); doc != "" {
		found.Documentation = markdown(doc)
	}
	return found
}

// types are those that a file can name, and its imports.
func (s *server) types(x *index, wanted func(*definition) bool) []completionItem {
	items := declared(x, func(d *definition) bool { return isType(d) && wanted(d) })
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

func isType(d *definition) bool {
	switch d.node.(type) {
	case *syntax.Const, *syntax.Service:
		return false
	}
	return true
}

func isConst(d *definition) bool {
	_, is := d.node.(*syntax.Const)
	return is
}

func declared(x *index, wanted func(*definition) bool) []completionItem {
	var items []completionItem
	for _, d := range x.top {
		if wanted(d) {
			items = append(items, item(d))
		}
	}
	return items
}

func (s *server) imports(x *index) []completionItem {
	var items []completionItem
	for _, statement := range x.file.Imports {
		name := s.localName(x, statement)
		items = append(items, completionItem{Label: name, Kind: itemModule, Detail: statement.Path, SortText: "1" + name})
	}
	return items
}

func (s *server) constants(x *index) []completionItem {
	return append(declared(x, isConst), s.imports(x)...)
}

// within are the names in what stands before a point.
func (s *server) within(x *index, w *written, equals int) []completionItem {
	parts := w.path(len(w.item) - 1)
	if len(parts) == 0 || w.word(len(w.item)-2*len(parts)-1) == "@" {
		return nil
	}
	t := s.lookup(x, parts)
	switch {
	case t.in != nil:
		return declared(t.in, func(d *definition) bool {
			if isConst(d) {
				return equals >= 0 || w.word(len(w.item)-2*len(parts)-1) == "["
			}
			return isType(d)
		})
	case t.definition != nil:
		return members(t.definition)
	}
	return nil
}

func members(d *definition) []completionItem {
	var items []completionItem
	if _, isEnum := d.node.(*syntax.Enum); isEnum {
		for _, c := range d.children {
			items = append(items, item(c))
		}
	}
	return items
}

// values are what may stand behind an equals sign, by the type that stands before it.
func (s *server) values(x *index, w *written, colon, equals int) []completionItem {
	if colon >= 0 && colon < equals {
		at := equals - 1
		if w.item[at].Kind == syntax.WordToken {
			parts := append(w.path(at-1), syntax.Ident{Text: w.word(at)})
			name := &syntax.Type{Kind: syntax.NameType, Name: syntax.Path{Parts: parts}}
			if enum := s.enumOf(x, name, 0); enum != nil {
				return members(enum)
			}
			if w.word(at) == ir.Bool.String() {
				return append(keywordItems("true", "false"), s.constants(x)...)
			}
		}
	}
	return s.constants(x)
}

// arguments are what may stand in the parentheses of an attribute.
func (s *server) arguments(x *index, attribute string) []completionItem {
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
func (s *server) files(x *index) []completionItem {
	const filesShown = 200
	var items []completionItem
	importer := filepath.FromSlash(x.file.Source.Name())
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
