package layout

// constructor is a pattern with parts in parentheses, which may take the whole line.
type constructor struct {
	name  path
	parts []layout
}

func (c constructor) in(s shape) (string, bool) {
	name, ok := c.name.in(s)
	if !ok {
		return "", false
	}
	return items{name, "(", ")", c.parts, lineWidthMax}.in(s)
}

// pattern passes all as a pattern.
func (s *scanner) pattern() layout {
	if s.sees("mut ") {
		return atom(s.text)
	}
	p := s.expression()
	if s.failed || s.rest() != "" {
		return atom(s.text)
	}
	return asPattern(p)
}

// asPattern is an expression as the pattern that is spelled like it.
func asPattern(e layout) layout {
	switch e := e.(type) {
	case tuple:
		return items{"", "(", ")", asPatterns(e.elements), lineWidthMax}
	case call:
		return constructor{e.callee, asPatterns(e.args)}
	}
	return e
}

func asPatterns(list []layout) []layout {
	patterns := make([]layout, len(list))
	for i, e := range list {
		patterns[i] = part{asPattern(e)}
	}
	return patterns
}

// part is a pattern inside another. However short, it shares no line with others if
// not all fit one.
type part struct{ layout }
