package syntax

// skipStatement moves to where the next statement may start: behind a `;` or a
// closed body, or to a word that starts a declaration on a line of its own.
func (p *parser) skipStatement() {
	depth := 0
	for !p.is(kindEOF) && !p.startsDeclaration() {
		switch {
		case p.is('{'):
			depth++
		case p.is('}'):
			depth--
			if depth <= 0 {
				p.take()
				return
			}
		case p.is(';') && depth == 0:
			p.take()
			return
		}
		p.take()
	}
}

// skipItem moves behind the separator that ends a broken item of a body, or to
// the brace that closes the body.
func (p *parser) skipItem() {
	braces, parens, angles := 0, 0, 0
	for !p.is(kindEOF) && !p.startsDeclaration() {
		switch {
		case p.is('{'):
			braces++
		case p.is('}'):
			if braces == 0 {
				return
			}
			braces--
		case p.is('('):
			parens++
		case p.is(')'):
			parens = max(0, parens-1)
		case p.is('<'):
			angles++
		case p.is('>'):
			angles = max(0, angles-1)
		case (p.is(',') && angles == 0 || p.is(';')) && braces == 0 && parens == 0:
			p.take()
			return
		}
		p.take()
	}
}

// startsDeclaration tells whether a declaration starts at the current token: a
// word like `struct`, first on its line, with a name behind it. Inside a body
// that means that its closing brace is missing.
func (p *parser) startsDeclaration() bool {
	if !p.token.firstOnLine || !p.is(kindIdent) || p.peek.kind != kindIdent {
		return false
	}
	word := p.text(p.token)
	for _, w := range declarationWords {
		if word == w {
			return true
		}
	}
	return false
}

// body reads `{ … }`, with one call of item for each thing in it. An item
// returns false if it could not be read; the body then goes on behind it. The
// result is false if the body has no start or no end.
func (p *parser) body(subject string, item func() bool) (Span, bool) {
	open, ok := p.expect('{', subject)
	if !ok {
		return Span{}, false
	}
	for !p.is('}') {
		if p.protobufItem() {
			continue
		}
		if p.is(kindEOF) || p.startsDeclaration() || p.lexer.problems.Full() {
			p.unclosed(open)
			return p.since(open.start), false
		}
		if !item() {
			p.skipItem()
		}
	}
	p.take()
	return p.since(open.start), true
}

func (p *parser) unclosed(open token) {
	if p.cut() {
		return
	}
	p.lexer.problems.Error(codeUnclosed, p.here(), "expected `}`, found %s", p.found()).
		WithRelated(p.span(open), "this brace is never closed").
		WithHelp("close the body with `}`")
}
