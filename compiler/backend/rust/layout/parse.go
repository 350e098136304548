package layout

// operators are the binary ones, the most closely binding last.
var operators = [][]string{{"||"}, {"&&"}, {"==", "!=", "<=", ">="}, {"+", "-"}, {"*", "/"}}

func (s *scanner) expression() layout { return s.binary(0) }

func (s *scanner) binary(level int) layout {
	if level == len(operators) {
		return s.unary()
	}
	operand := s.binary(level + 1)
	for !s.failed {
		operator := s.operator(operators[level])
		if operator == "" {
			return operand
		}
		next := s.binary(level + 1)
		if p, ok := operand.(pairs); ok && p.operator == operator {
			p.operands = append(p.operands, next)
			operand = p
			continue
		}
		operand = pairs{operator, []layout{operand, next}}
	}
	return operand
}

// operator passes one of the operators with the spaces around it.
func (s *scanner) operator(items []string) string {
	for _, operator := range items {
		if s.sees(" ") && s.takes(" "+operator+" ") {
			return operator
		}
	}
	return ""
}

func (s *scanner) unary() layout {
	start := s.at
	switch {
	case s.takes("&mut "), s.takes("&"), s.takes("*"), s.takes("!"), s.takes("-"), s.takes("return "):
		return prefixExpression{s.text[start:s.at], s.unary()}
	}
	return s.postfix(s.primary())
}

// postfix passes what follows a place.
func (s *scanner) postfix(root layout) layout {
	c := chain{root: root}
	for !s.failed {
		switch {
		case s.takes("?"):
			if len(c.links) == 0 {
				c.tries++
			} else {
				c.links[len(c.links)-1].tries++
			}
		case s.sees("..") || !s.sees(".") && !s.sees("["):
			return c.simple()
		case s.takes("["):
			index := s.until()
			s.expect("]")
			c = chain{root: indexed{c.simple(), index}}
		default:
			s.at++
			l := link{name: s.word()}
			if s.takes("::<") {
				l.types = list(s, ">", s.typ)
			}
			if s.takes("(") {
				l.isCall = true
				l.args = list(s, ")", s.expression)
			}
			c.links = append(c.links, l)
		}
	}
	return c
}

// simple is the root alone if there is nothing else.
func (c chain) simple() layout {
	if len(c.links) == 0 && c.tries == 0 {
		return c.root
	}
	return c
}

func (s *scanner) primary() layout {
	switch c := byteAt(s.text, s.at); {
	case c == '"':
		return atom(s.quoted())
	case '0' <= c && c <= '9':
		return s.number()
	case c == '|':
		start := s.at
		s.at++
		s.until("|")
		s.expect("|")
		head := s.text[start:s.at]
		s.space()
		start = s.at
		body := s.expression()
		return closure{head, body, s.text[start:s.at]}
	case s.takes("("):
		return tuple{list(s, ")", s.expression)}
	case c == '[':
		return s.array()
	case c == '{':
		return s.body()
	case s.takes("async move "):
		return asyncBlock{s.body()}
	case s.sees("if "), s.sees("match "), s.sees("for "):
		return s.control()
	}
	p := s.path(true)
	switch {
	case s.takes("("):
		return call{p, list(s, ")", s.expression)}
	case s.takes(" {}"):
		return literal{name: p}
	case s.takes(" { "): // a body stands on lines of its own
		return literal{p, list(s, "}", s.field)}
	}
	return p
}

func (s *scanner) number() layout {
	start := s.at
	for isWord(byteAt(s.text, s.at)) || byteAt(s.text, s.at) == '.' && '0' <= byteAt(s.text, s.at+1) && byteAt(s.text, s.at+1) <= '9' ||
		byteAt(s.text, s.at) == '-' && s.text[s.at-1] == 'e' {
		s.at++
	}
	return atom(s.text[start:s.at])
}

func (s *scanner) array() layout {
	s.at++
	probe := *s
	probe.until(",", ";")
	if !probe.sees(";") {
		return array{list(s, "]", s.expression)}
	}
	element := s.expression()
	s.expect("; ")
	n := s.until()
	s.expect("]")
	return arrayCopies{element, n}
}

func (s *scanner) field() field {
	f := field{name: s.word()}
	if s.takes(": ") {
		f.value = s.expression()
	}
	return f
}
