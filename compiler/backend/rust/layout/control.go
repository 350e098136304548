package layout

// control is a control flow expression.
type control struct {
	keyword string
	// pattern is what stands in front of the operator of `let` or `for`.
	pattern  layout
	operator string
	value    layout
	bodies   []*body
}

// control passes a control flow expression.
func (s *scanner) control() layout {
	var c control
	start := s.at
	switch {
	case s.takes("if let "), s.takes("for "):
		c.keyword = s.text[start:s.at]
		c.operator = map[bool]string{true: " in", false: " ="}[c.keyword == "for "]
		c.pattern = alone(s.until(c.operator + " ")).pattern()
		s.expect(c.operator + " ")
	case s.takes("if "), s.takes("match "):
		c.keyword = s.text[start:s.at]
	}
	c.value = s.expression()
	s.expect(" ")
	c.bodies = append(c.bodies, s.body())
	for s.takes(" else ") {
		c.bodies = append(c.bodies, s.body())
	}
	return c
}

func (c control) in(s shape) (string, bool) {
	text, ok := c.head(s)
	if !ok {
		return "", false
	}
	for i, b := range c.bodies {
		if i > 0 {
			text += " else "
		}
		laid, _ := b.in(s)
		text += laid
	}
	return text, true
}

// head lays out what stands before the first brace. Where that doesn't fit the line,
// it gets one of its own.
func (c control) head(s shape) (string, bool) {
	// The rest of the line stands behind the last brace of the whole expression.
	s.width += s.overhead()
	room, ok := s.behind(width(c.keyword))
	if !ok {
		return "", false
	}
	text := ""
	if c.pattern == nil {
		text, ok = c.value.in(room)
	} else if text, ok = c.pattern.in(room); ok {
		text, ok = assigned(text+c.operator, c.value, room)
	}
	if (broken(text) || width(text)+len(" {") > room.width) && !isOpenEnded(text) {
		return c.keyword + text + s.newline(), ok
	}
	return c.keyword + text + " ", ok
}
