package syntax

import (
	"fmt"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/diag"
)

// Words of the language of Protocol Buffers that this language has not are
// recognised, to say how their meaning is written here.

// protobufTypes are the types of that language that have another name here.
var protobufTypes = map[string]string{
	"double": "f64", "float": "f32",
	"int32": "i32", "sint32": "i32", "sfixed32": "i32", "uint32": "u32", "fixed32": "u32",
	"int64": "i64", "sint64": "i64", "sfixed64": "i64", "uint64": "u64", "fixed64": "u64",
	"string": "str", "google.protobuf.Timestamp": "timestamp", "google.protobuf.Duration": "duration",
}

// ProtobufType is the name here of a type of Protocol Buffers; empty if it is
// none or has the same name.
func ProtobufType(name string) string { return protobufTypes[name] }

// protobufTokensMax bounds how far options are read, so that a trial is short.
const protobufTokensMax = 64

// oneofShownMax is how many alternatives advice on a oneof spells out.
const oneofShownMax = 3

// foreign reports a construct of Protocol Buffers that was taken.
func (p *parser) foreign(start int, subject, help string, fixes ...string) {
	p.protobuf++
	span := p.since(start)
	d := p.lexer.problems.Error(codeProtobuf, span, "this %s is written as in Protocol Buffers", subject).WithHelp(help)
	for _, text := range fixes {
		d.WithFix("write `"+text+"`", diag.Edit{Span: span, Text: text})
	}
}

// try reads something that may not be there. It takes nothing, and reports
// nothing, unless all of it is.
func (p *parser) try(body func() bool) bool {
	saved, problems := *p, p.lexer.problems
	var trial diag.List
	p.lexer.problems = &trial
	if !body() || trial.Len() > 0 {
		*p = saved
		return false
	}
	p.lexer.problems = problems
	return true
}

// protobufStatement takes a statement of Protocol Buffers, if one starts here.
func (p *parser) protobufStatement() bool {
	start, word := p.token.start, p.text(p.token)
	switch {
	case (word == "syntax" || word == "edition") && p.peek.kind == '=' && p.try(p.protobufOption):
		p.foreign(start, "statement", "remove it; a schema starts with `package name;`")
	case word == "option" && p.try(p.protobufOption):
		p.foreign(start, "option", "remove it; what a schema says about a declaration are attributes like `@id(1)`, and where code goes says sdp.toml")
	case word == "extend" && p.peek.kind == kindIdent:
		p.file.Incomplete = true
		p.take()
		p.take()
		p.foreign(start, "extension", "add fields to the message itself, at its end and with `@since(2)`")
		p.skipStatement()
	default:
		return false
	}
	return true
}

// protobufOption reads `option (a).b = value;` or `syntax = "proto3";`.
func (p *parser) protobufOption() bool {
	p.take()
	assigned := false
	for range protobufTokensMax {
		switch {
		case p.accept(';'):
			return assigned
		case p.is(kindEOF), p.is('{') && !assigned, p.is(':') && !assigned, p.is(',') && !assigned:
			return false
		}
		assigned = assigned || p.is('=')
		p.take()
	}
	return false
}

// protobufItem takes an item of a body in the form that Protocol Buffers gives
// it, if one starts here.
func (p *parser) protobufItem() bool {
	if !p.is(kindIdent) {
		return false
	}
	start, word := p.token.start, p.text(p.token)
	switch {
	case word == "option" && (p.peek.kind == kindIdent || p.peek.kind == '(') && p.try(p.protobufOption):
		p.foreign(start, "option", "remove it; what a schema says about a declaration are attributes like `@id(1)`")
	case word == "oneof" && p.peek.kind == kindIdent:
		return p.protobufOneof()
	case word == "rpc" && p.peek.kind == kindIdent:
		return p.protobufMethod()
	case p.protobuf > 0 && (word == "message" || word == "enum") && p.peek.kind == kindIdent:
		p.file.Incomplete = true
		p.take()
		name := p.text(p.take())
		p.foreign(start, "nested declaration", fmt.Sprintf("move `%s` to the top level", shortName(name)))
		p.skipStatement()
	case p.peek.kind == kindIdent, p.peek.kind == '.', p.peek.kind == '<':
		return p.protobufField()
	default:
		return false
	}
	return true
}

// protobufField takes `repeated int32 x = 2 [deprecated = true];`.
func (p *parser) protobufField() bool {
	start := p.token.start
	var typ, name string
	if !p.try(func() bool { var ok bool; typ, name, ok = p.protobufMember(); return ok }) {
		return false
	}
	field := fmt.Sprintf("%s: %s,", shortName(name), typ)
	help := "write `" + field + "`"
	if !p.protobufFields {
		p.protobufFields = true
		help += "; fields have no numbers, their order counts, and a message gains fields at its end, with `@since(2)`"
	}
	p.foreign(start, "field", help, field)
	return true
}

// protobufMember reads a field, and returns its type as it is written here.
func (p *parser) protobufMember() (typ, name string, ok bool) {
	prefix := ""
	if labels := map[string]string{"repeated": "[]", "optional": "?", "required": ""}; p.peek.kind == kindIdent {
		if put, isLabel := labels[p.text(p.token)]; isLabel {
			prefix = put
			p.take()
		}
	}
	if typ, ok = p.protobufType(); !ok {
		return "", "", false
	}
	id, ok := p.ident("a name")
	if !ok || !p.accept('=') || !p.accept(kindInteger) {
		return "", "", false
	}
	if p.accept('[') {
		for n := 0; !p.accept(']'); n++ {
			if p.is(kindEOF) || n == protobufTokensMax {
				return "", "", false
			}
			p.take()
		}
	}
	return prefix + typ, id.Text, p.accept(';')
}

// protobufType reads a type, and spells it as it is written here.
func (p *parser) protobufType() (string, bool) {
	if p.isGeneric("map") {
		p.take()
		p.take()
		key, ok := p.protobufName()
		if !ok || !p.accept(',') {
			return "", false
		}
		elem, ok := p.protobufName()
		return "map<" + key + ", " + elem + ">", ok && p.accept('>')
	}
	return p.protobufName()
}

func (p *parser) protobufName() (string, bool) {
	path, ok := p.path("a type")
	if name := shortName(path.String()); ProtobufType(name) == "" {
		return name, ok
	}
	return ProtobufType(path.String()), ok
}

// protobufOneof takes `oneof value { string text = 1; int32 number = 2; }`.
func (p *parser) protobufOneof() bool {
	start := p.token.start
	var name string
	var alternatives []string
	found := p.try(func() bool {
		p.take()
		name = shortName(p.text(p.take()))
		if !p.accept('{') {
			return false
		}
		for n := 1; !p.is('}') && n <= protobufTokensMax; n++ {
			typ, member, ok := p.protobufMember()
			if !ok {
				return false
			}
			alternatives = append(alternatives, fmt.Sprintf("%s(%s) = %d", pascal(shortName(member)), typ, n))
		}
		return len(alternatives) > 0 && p.accept('}')
	})
	if !found {
		return false
	}
	if len(alternatives) > oneofShownMax {
		alternatives = append(alternatives[:oneofShownMax], "…")
	}
	p.foreign(start, "oneof", fmt.Sprintf("declare `union %s { %s }` beside the message, and write `%s: ?%s,`",
		pascal(name), strings.Join(alternatives, ", "), name, pascal(name)))
	return true
}

// protobufMethod takes `rpc Get(Request) returns (stream Response);`.
func (p *parser) protobufMethod() bool {
	start := p.token.start
	var name, request, response string
	found := p.try(func() bool {
		p.take()
		name = shortName(p.text(p.take()))
		var ok bool
		if request, ok = p.protobufFlow(); !ok || !p.isWord("returns") {
			return false
		}
		p.take()
		if response, ok = p.protobufFlow(); !ok {
			return false
		}
		if !p.is('{') {
			return p.accept(';')
		}
		for n := 0; !p.accept('}'); n++ {
			if p.is(kindEOF) || n == protobufTokensMax {
				return false
			}
			p.take()
		}
		return true
	})
	if !found {
		return false
	}
	kind := "call"
	if strings.HasPrefix(request, "stream ") || strings.HasPrefix(response, "stream ") {
		kind = "stream"
	}
	p.foreign(start, "method", fmt.Sprintf("write `%s %s(%s) -> %s = 1;`, each method with a number of its own", kind, name, request, response))
	return true
}

// protobufFlow reads `(stream T)`.
func (p *parser) protobufFlow() (string, bool) {
	if !p.accept('(') {
		return "", false
	}
	prefix := ""
	if p.isWord("stream") && p.peek.kind == kindIdent {
		prefix = "stream "
		p.take()
	}
	name, ok := p.protobufName()
	return prefix + name, ok && p.accept(')')
}

// pascal is a name in the case that types have.
func pascal(name string) string {
	words := slices.DeleteFunc(strings.Split(name, "_"), func(w string) bool { return w == "" })
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, "")
}
