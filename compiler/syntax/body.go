package syntax

import "github.com/serial-data-protocol/sdp/compiler/diag"

// head reads the documentation and attributes of something inside a body.
func (p *parser) head() (Head, int, bool) {
	head := Head{Docs: p.docs()}
	start := p.token.start
	var ok bool
	head.Attributes, ok = p.attributes()
	return head, start, ok
}

// comma takes the separator of two items. A missing comma, and a `;` in its
// place, is reported with a fix, and the body goes on.
func (p *parser) comma(newer string) bool {
	switch {
	case p.accept(','), p.is('}'):
		return true
	case p.is(';'):
		span := p.span(p.token)
		p.lexer.problems.Error(codeSeparator, span, "expected `,` after %s, found `;`", newer).
			WithHelp("write `,`").
			WithFix("write `,`", diag.Edit{Span: span, Text: ","})
		p.take()
		return true
	case (p.is(kindIdent) || p.is('@')) && p.token.firstOnLine:
		p.missing(",", newer)
		return true
	case p.is(kindEOF):
		return true
	}
	p.expected("`,` or `}`", newer)
	return false
}

// atReserved tells whether a reserved statement starts here, and not an item
// of that name.
func (p *parser) atReserved() bool {
	if !p.isWord("reserved") {
		return false
	}
	k := p.peek.kind
	return k == kindInteger || k == kindString || k == kindIdent
}

// enum reads `: base { members }` after the name.
func (p *parser) enum(e *Enum) bool {
	if !p.is(':') {
		p.expected("`:`", "the enum's name").
			WithHelp("name the integer that holds its numbers, as in `enum " + shortName(e.Name.Text) + ": u8`")
		return false
	}
	p.take()
	var ok bool
	if e.Base, ok = p.parseType(); !ok {
		return false
	}
	e.Body, ok = p.body("the enum's base", func() bool {
		if p.atReserved() {
			return p.reservedStatement(&e.Reserved)
		}
		m := &Member{}
		ok := p.member(m)
		if m.Name.Text == "" || !ok {
			e.Broken = true
		} else {
			e.Members = append(e.Members, m)
		}
		return ok && p.commaOrReserved("the member")
	})
	return ok
}

// commaOrReserved is comma where a reserved statement, which ends itself, may
// follow.
func (p *parser) commaOrReserved(newer string) bool {
	return p.atReserved() || p.comma(newer)
}

func (p *parser) member(m *Member) bool {
	head, start, ok := p.head()
	if !ok {
		return false
	}
	m.Head = head
	if m.Name, ok = p.ident("a member's name"); !ok {
		return false
	}
	if _, ok := p.expect('=', "the member's name"); !ok {
		return false
	}
	if m.Value, ok = p.value(); !ok {
		return false
	}
	m.Span = p.since(start)
	return true
}

// structBody reads the fields of a struct, message or inline alternative.
func (p *parser) structBody(s *Struct) bool {
	var ok bool
	s.Body, ok = p.body("`"+shortName(s.Name.Text)+"`", func() bool {
		if p.atReserved() {
			return p.refuseReserved()
		}
		f := &Field{}
		ok := p.field(f)
		if f.Name.Text == "" || !ok {
			s.Broken = true
		} else {
			s.Fields = append(s.Fields, f)
		}
		return ok && p.comma("the field")
	})
	return ok
}

// refuseReserved reads a reserved statement where none may stand.
func (p *parser) refuseReserved() bool {
	start := p.token.start
	var dropped []*Reserved
	ok := p.reservedStatement(&dropped)
	p.lexer.problems.Error(codeReservedPlace, p.since(start), "fields cannot be reserved").
		WithHelp("fields have no numbers; `reserved` stands in enums, unions and services, and at the top level for type ids")
	return ok
}

func (p *parser) field(f *Field) bool {
	head, start, ok := p.head()
	if !ok {
		return false
	}
	f.Head = head
	if f.Name, ok = p.ident("a field's name"); !ok {
		return false
	}
	if _, ok := p.expect(':', "the field's name"); !ok {
		return false
	}
	if f.Type, ok = p.parseType(); !ok {
		return false
	}
	if p.accept('=') {
		if f.Default, ok = p.value(); !ok {
			return false
		}
	}
	f.Span = p.since(start)
	return true
}

// union reads `{ alternatives }` after the name.
func (p *parser) union(u *Union) bool {
	var ok bool
	u.Body, ok = p.body("the union's name", func() bool {
		if p.atReserved() {
			return p.reservedStatement(&u.Reserved)
		}
		a := &Alternative{}
		ok := p.alternative(a)
		if a.Name.Text == "" || !ok {
			u.Broken = true
		} else {
			u.Alternatives = append(u.Alternatives, a)
		}
		return ok && p.commaOrReserved("the alternative")
	})
	return ok
}

func (p *parser) alternative(a *Alternative) bool {
	head, start, ok := p.head()
	if !ok {
		return false
	}
	a.Head = head
	if a.Name, ok = p.ident("an alternative's name"); !ok {
		return false
	}
	switch {
	case p.accept('('):
		if a.Type, ok = p.parseType(); !ok {
			return false
		}
		if _, ok := p.expect(')', "the payload"); !ok {
			return false
		}
	case p.is('{'):
		a.Inline = &Struct{Head: Head{Name: a.Name}}
		ok := p.structBody(a.Inline)
		a.Inline.Span = p.since(start)
		a.Broken = a.Inline.Broken
		if !ok {
			return false
		}
	}
	if _, ok := p.expect('=', "the alternative"); !ok {
		return false
	}
	if a.Tag, ok = p.integer("the alternative's tag, an integer"); !ok {
		return false
	}
	a.Span = p.since(start)
	return true
}

// shortName keeps a hostile name out of messages that mention it in passing.
func shortName(name string) string {
	if len(name) > shownBytesMax {
		return name[:shownBytesMax] + "…"
	}
	return name
}
