package format

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

func fieldText(f *syntax.Field) string {
	text := f.Name.Text + ": " + typeText(f.Type)
	if f.Default != nil {
		text += " = " + valueText(f.Default)
	}
	return text
}

var methodWords = [...]string{syntax.CallMethod: "call ", syntax.StreamMethod: "stream ", syntax.EventMethod: "event "}

func methodText(m *syntax.Method) string {
	text := methodWords[m.Kind] + m.Name.Text + "(" + flowText(m.Request, m.RequestStream) + ")"
	if m.Response != nil {
		text += " -> " + flowText(m.Response, m.ResponseStream)
	}
	return text + " = " + valueText(m.Number)
}

func flowText(t *syntax.Type, stream bool) string {
	if stream {
		return "stream " + typeText(t)
	}
	return typeText(t)
}

func reservedText(s *syntax.Reserved) string {
	items := make([]string, len(s.Items))
	for i, it := range s.Items {
		switch {
		case it.Last != nil:
			items[i] = valueText(it.First) + ".." + valueText(it.Last)
		case it.First != nil:
			items[i] = valueText(it.First)
		default:
			items[i] = it.Name.Span.Text()
		}
	}
	return "reserved " + strings.Join(items, ", ") + ";"
}

// attributesText is the attributes with a space behind each.
func attributesText(attributes []*syntax.Attribute) string {
	var text strings.Builder
	for _, a := range attributes {
		text.WriteString(attribute(a) + " ")
	}
	return text.String()
}

func attribute(a *syntax.Attribute) string {
	text := "@" + a.Name.String()
	if len(a.Args) == 0 {
		return text
	}
	args := make([]string, len(a.Args))
	for i, argument := range a.Args {
		args[i] = valueText(argument.Value)
		if argument.Name != nil {
			args[i] = argument.Name.Text + " = " + args[i]
		}
	}
	return text + "(" + strings.Join(args, ", ") + ")"
}

func typeText(t *syntax.Type) string {
	return attributesText(t.Attributes) + bareTypeText(t)
}

func bareTypeText(t *syntax.Type) string {
	switch t.Kind {
	case syntax.ListType:
		return "[]" + typeText(t.Elem)
	case syntax.ArrayType:
		return "[" + valueText(t.Length) + "]" + typeText(t.Elem)
	case syntax.OptionalType:
		return "?" + typeText(t.Elem)
	case syntax.OptionType:
		return "Option<" + typeText(t.Elem) + ">"
	case syntax.BoxType:
		return "Box<" + typeText(t.Elem) + ">"
	case syntax.MapType:
		return "map<" + typeText(t.Key) + ", " + typeText(t.Elem) + ">"
	}
	return t.Name.String()
}

// valueText is a literal as it was written, or a name.
func valueText(v *syntax.Value) string {
	if v.Kind == syntax.PathValue {
		return v.Path.String()
	}
	return v.Span.Text()
}
