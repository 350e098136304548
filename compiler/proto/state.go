package proto

import (
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/source"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// state is the existing .sdp, by the origins of its parts.
type state struct {
	tree *syntax.File
	text *source.File
	// declared are the declarations by their names in the .proto, without the package.
	declared map[string]syntax.Declaration
	edits    []diag.Edit
}

// read understands the text of a .sdp. It is nil if that has errors.
func read(name, text string, problems *diag.List) *state {
	var found diag.List
	tree := syntax.Parse(name, text, &found)
	if found.HasErrors() {
		problems.Append(&found)
		return nil
	}
	// In the canonical form every item has a comma behind it, so that more can be put there.
	s := &state{tree: syntax.Parse(name, format.File(tree), &found), declared: map[string]syntax.Declaration{}}
	s.text = s.tree.Source
	for _, d := range s.tree.Declarations {
		if m, found := markOf(d.DeclarationHead().Attributes); found && m.text != "" {
			s.declared[m.text] = d
		}
	}
	return s
}

// put adds text before the bracket that ends a body.
func (s *state) put(body syntax.Span, text string) {
	if text != "" {
		s.edits = append(s.edits, diag.Edit{Span: s.text.Span(body.End-1, body.End-1), Text: "\n" + text})
	}
}

// remark gives a thing another mark, and says that it is deprecated and why.
func (s *state) remark(h *syntax.Head, m mark, deprecated string) {
	at := attributeOf(h.Attributes, markName)
	text := m.String()
	if deprecated != "" && attributeOf(h.Attributes, "deprecated") == nil {
		text = "@deprecated(" + quote(deprecated) + ") " + text
	}
	if text != at.Span.Text() {
		s.edits = append(s.edits, diag.Edit{Span: at.Span, Text: text})
	}
}

// isBack tells whether a thing was deprecated because it was gone, and takes that away.
func (s *state) isBack(h *syntax.Head) bool {
	at := attributeOf(h.Attributes, "deprecated")
	if at == nil || len(at.Args) != 1 || at.Args[0].Value.Text != goneText {
		return false
	}
	s.edits = append(s.edits, diag.Edit{Span: at.Span, Text: ""})
	return true
}

// The reasons of @deprecated.
const (
	goneText       = "gone from the .proto"
	changedText    = "of another type in the .proto now"
	deprecatedText = "deprecated in the .proto"
)

// same tells whether two types of the .sdp are one but for attributes and spelling.
func (s *state) same(a, b *syntax.Type) bool { return s.plain(a, 0) == s.plain(b, 0) }

// plain spells a type without attributes, and with its aliases replaced.
func (s *state) plain(t *syntax.Type, depth int) string {
	if depth > syntax.TypeNestingMax {
		return ""
	}
	elem := func() string { return s.plain(t.Elem, depth+1) }
	switch t.Kind {
	case syntax.ListType:
		if text := elem(); text != "u8" {
			return "[]" + text
		}
		return "bytes"
	case syntax.ArrayType:
		return "[" + t.Length.Span.Text() + "]" + elem()
	case syntax.OptionalType, syntax.OptionType:
		return "?" + elem()
	case syntax.BoxType:
		return elem()
	case syntax.MapType:
		return "map<" + s.plain(t.Key, depth+1) + ", " + elem() + ">"
	}
	name := t.Name.String()
	for _, d := range s.tree.Declarations {
		if alias, is := d.(*syntax.Alias); is && alias.Name.Text == name {
			return s.plain(alias.Type, depth+1)
		}
	}
	if name == "string" {
		return "str"
	}
	return name
}

// typeNamed parses a type as this package spells it.
func typeNamed(text string) *syntax.Type {
	var problems diag.List
	tree := syntax.Parse("", "type T = "+text+";", &problems)
	return tree.Declarations[0].(*syntax.Alias).Type
}
