package layout

import "strings"

// typ is a type, or another argument between angle brackets: a lifetime or a
// number.
type typ struct {
	// prefix is what stands before the path or the brackets: `&'a mut `.
	prefix string
	path   path
	// elem is the element of a slice or array, and after the text behind it: `; 4`.
	elem  *typ
	after string
}

// path is a path of an expression or a type.
type path []segment

// segment is one name of a path, with the separator before it.
type segment struct {
	text string
	// turbo says that `::` stands before the arguments.
	turbo bool
	args  []*typ
}

func (s *scanner) typ() *typ {
	t := &typ{}
	start := s.at
	for s.takes("&") || s.keyword("mut") || s.keyword("dyn") || s.keyword("impl") {
		if s.takes("'") {
			s.word()
			s.space()
		}
	}
	t.prefix = s.text[start:s.at]
	switch {
	case s.takes("["):
		t.elem = s.typ()
		t.after = s.until()
		s.expect("]")
	case s.sees("("):
		start := s.at
		s.at++
		s.until()
		s.expect(")")
		t.path = path{{text: s.text[start:s.at]}}
	case s.takes("'"):
		t.path = path{{text: "'" + s.word()}}
	default:
		t.path = s.path(false)
	}
	return t
}

// path passes a path; in an expression `<` opens arguments only behind `::`.
func (s *scanner) path(expression bool) path {
	var p path
	separator := ""
	if s.sees("<") { // a type that stands for the first name
		start := s.at
		s.at++
		s.until()
		s.expect(">")
		p = append(p, segment{text: s.text[start:s.at]})
		s.expect("::")
		separator = "::"
	} else if s.takes("::") { // a path of crates
		separator = "::"
	}
	for !s.failed {
		next := segment{text: separator + s.word()}
		switch {
		case s.takes("::<"):
			next.turbo = true
			next.args = list(s, ">", s.typ)
		case !expression && s.takes("<"):
			next.args = list(s, ">", s.typ)
		}
		p = append(p, next)
		if !s.takes("::") {
			return p
		}
		separator = "::"
	}
	return p
}

// in lays out a path.
func (p path) in(s shape) (string, bool) {
	text := ""
	for _, segment := range p {
		text += segment.text
		if segment.args == nil {
			if extra(text, s) > s.width {
				return "", false
			}
			continue
		}
		rest, ok := s.behind(extra(text, s))
		if !ok {
			return "", false
		}
		if segment.turbo {
			text += "::" // which rustfmt does not count
		}
		args, ok := items{items: layouts(segment.args), open: "<", shut: ">", most: lineWidthMax}.in(rest)
		if !ok {
			return "", false
		}
		text += args
	}
	return text, true
}

// extra is how many columns the last line of a text takes in a shape.
func extra(text string, s shape) int {
	if broken(text) {
		return max(width(lastLine(text))-s.indent, 0)
	}
	return width(text)
}

// in lays out a type.
func (t *typ) in(s shape) (string, bool) {
	rest, ok := s.behind(width(t.prefix))
	if !ok {
		return "", false
	}
	if t.elem == nil {
		text, ok := t.path.in(rest)
		return t.prefix + text, ok
	}
	return t.bracketed(rest)
}

// bracketed lays out a slice or an array.
func (t *typ) bracketed(s shape) (string, bool) {
	if t.after != "" {
		text, ok := numbered(t.elem, strings.TrimPrefix(t.after, "; "), s)
		return t.prefix + text, ok
	}
	inner, ok := s.behind(1)
	if ok {
		inner, ok = inner.before(1)
	}
	if !ok {
		return "", false
	}
	elem, ok := t.elem.in(inner)
	return t.prefix + "[" + elem + "]", ok
}

// layouts are types as what lists hold.
func layouts(types []*typ) []layout {
	list := make([]layout, len(types))
	for i, t := range types {
		list[i] = t
	}
	return list
}

// String is the type in one line.
func (t *typ) String() string {
	text := t.path.String()
	if t.elem != nil {
		text = "[" + t.elem.String() + t.after + "]"
	}
	return t.prefix + text
}

// String is the path in one line.
func (p path) String() string {
	var text strings.Builder
	for _, segment := range p {
		text.WriteString(segment.text)
		if segment.args == nil {
			continue
		}
		if segment.turbo {
			text.WriteString("::")
		}
		text.WriteByte('<')
		for i, arg := range segment.args {
			if i > 0 {
				text.WriteString(", ")
			}
			text.WriteString(arg.String())
		}
		text.WriteByte('>')
	}
	return text.String()
}
