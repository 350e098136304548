package syntax

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/diag"
)

var methodWords = map[string]MethodKind{"call": CallMethod, "stream": StreamMethod, "event": EventMethod}

// service reads `{ methods }` after the name.
func (p *parser) service(s *Service) bool {
	var ok bool
	s.Body, ok = p.body("the service's name", func() bool {
		if p.atReserved() {
			return p.reservedStatement(&s.Reserved)
		}
		m := &Method{}
		ok := p.method(m)
		if m.Name.Text == "" || !ok {
			s.Broken = true
		} else {
			s.Methods = append(s.Methods, m)
		}
		return ok
	})
	return ok
}

func (p *parser) method(m *Method) bool {
	head, start, ok := p.head()
	if !ok {
		return false
	}
	m.Head = head
	if m.Kind, ok = p.methodKind(); !ok {
		return false
	}
	if m.Name, ok = p.ident("the method's name"); !ok {
		return false
	}
	if _, ok := p.expect('(', "the method's name"); !ok {
		return false
	}
	if m.Request, m.RequestStream, ok = p.flow(); !ok {
		return false
	}
	if _, ok := p.expect(')', "the method's request"); !ok {
		return false
	}
	if m.Kind != EventMethod {
		if _, ok := p.expect(kindArrow, "the request"); !ok {
			return false
		}
		if m.Response, m.ResponseStream, ok = p.flow(); !ok {
			return false
		}
	}
	if _, ok := p.expect('=', "the method"); !ok {
		return false
	}
	if m.Number, ok = p.integer("the method's number, an integer"); !ok {
		return false
	}
	m.Span = p.since(start)
	return p.semicolon("the method's number")
}

// methodKind takes the word that a method starts with.
func (p *parser) methodKind() (MethodKind, bool) {
	if !p.is(kindIdent) {
		p.expected("`call`, `stream` or `event`", "")
		return 0, false
	}
	word := p.text(p.token)
	kind, ok := methodWords[word]
	if !ok {
		d := p.expected("`call`, `stream` or `event`", "")
		if near := diag.Nearest(word, []string{"call", "stream", "event"}); near != "" {
			d.WithHelp(fmt.Sprintf("did you mean `%s`?", near)).
				WithFix(fmt.Sprintf("write `%s`", near), diag.Edit{Span: p.span(p.token), Text: near})
		}
		return 0, false
	}
	p.take()
	return kind, true
}

// flow reads `T` or `stream T`.
func (p *parser) flow() (*Type, bool, bool) {
	stream := p.isWord("stream") && p.peek.kind == kindIdent
	if stream {
		p.take()
	}
	t, ok := p.parseType()
	return t, stream, ok
}

// reservedStatement reads `reserved 4, 7..9, "Old", Older;`.
func (p *parser) reservedStatement(target *[]*Reserved) bool {
	r := &Reserved{}
	start := p.take().start
	for {
		item, ok := p.reservedItem()
		if !ok {
			return false
		}
		r.Items = append(r.Items, item)
		if !p.accept(',') {
			break
		}
	}
	if !p.semicolon("what is reserved") {
		return false
	}
	r.Span = p.since(start)
	*target = append(*target, r)
	return true
}

func (p *parser) reservedItem() (ReservedItem, bool) {
	start := p.token.start
	switch {
	case p.is(kindString):
		t := p.take()
		name := Ident{Text: t.value.text, Span: p.span(t)}
		return ReservedItem{Name: name, Quoted: true, Span: name.Span}, true
	case p.is(kindIdent):
		name, ok := p.ident("a number, a range or a name")
		return ReservedItem{Name: name, Span: name.Span}, ok
	case p.is(kindInteger):
		item := ReservedItem{}
		item.First, _ = p.integer("")
		if p.accept(kindRange) {
			var ok bool
			if item.Last, ok = p.integer("the end of the range, an integer"); !ok {
				return ReservedItem{}, false
			}
		}
		item.Span = p.since(start)
		return item, true
	}
	p.expected("a number, a range or a name", "")
	return ReservedItem{}, false
}
