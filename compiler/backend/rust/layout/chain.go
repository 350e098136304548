package layout

import "strings"

// chain is a place with fields, calls of methods and `?` behind it.
type chain struct {
	root  layout
	tries int // how many `?` follow the root
	links []link
}

// link is one part of a chain.
type link struct {
	name   string
	types  []*typ
	isCall bool
	args   []layout
	tries  int
}

func (l link) in(s shape) (string, bool) {
	room, ok := s.before(l.tries)
	if !ok {
		return "", false
	}
	text := "." + l.name
	if l.isCall {
		if len(l.types) > 0 {
			types := make([]string, len(l.types))
			for i, t := range l.types {
				if types[i], ok = t.in(room); !ok {
					return "", false
				}
			}
			text += "::<" + strings.Join(types, ", ") + ">"
		}
		if text, ok = (items{text, "(", ")", l.args, callWidthMax}).in(room); !ok {
			return "", false
		}
	}
	return text + strings.Repeat("?", l.tries), true
}

func (c chain) rootIn(s shape) (string, bool) {
	room, ok := s.before(c.tries)
	if !ok {
		return "", false
	}
	text, ok := c.root.in(room)
	return text + strings.Repeat("?", c.tries), ok
}

// in lays out a chain: in one line, perhaps with its last call broken, or a link a
// line. Links that would leave the root alone on a narrow line stay with it.
func (c chain) in(s shape) (string, bool) {
	root, ok := c.rootIn(s)
	if !ok || len(c.links) == 0 {
		return root, ok
	}
	endsInBlock := broken(root) && isBlockLike(c.root)
	links := c.links
	for len(links) > 0 && width(root) <= indentWidth-s.offset && !broken(root) {
		room, ok := s.behind(width(root))
		if !ok {
			return "", false
		}
		text, ok := links[0].in(room)
		if !ok {
			break
		}
		root += text
		endsInBlock = isOpenEnded(root)
		links = links[1:]
	}
	if len(links) == 0 {
		return root, s.holds(root)
	}
	return c.layLinks(root, links, endsInBlock, s)
}

func (c chain) layLinks(root string, links []link, endsInBlock bool, s shape) (string, bool) {
	child := s.deeper(map[bool]int{true: 0, false: indentWidth}[endsInBlock])
	texts := []string{root}
	for _, l := range links[:len(links)-1] {
		text, ok := l.in(child)
		if !ok {
			return "", false
		}
		texts = append(texts, text)
	}
	last, inOneLine, ok := c.lastLink(texts, links[len(links)-1], child, s)
	if !ok || !inOneLine && s.straight {
		return "", false
	}
	texts = append(texts, last)
	text := strings.Join(texts, child.newline())
	if inOneLine {
		text = strings.Join(texts, "")
	}
	return text, s.holds(text)
}

// lastLink lays out the last link: behind the others if that takes no more lines
// than to give each link one.
func (c chain) lastLink(texts []string, last link, child, s shape) (text string, inOneLine, ok bool) {
	extendable := isOpenEnded(texts[0])
	taken := last.tries
	straight := true
	for _, text := range texts {
		straight = straight && !broken(text)
		taken += width(text)
	}
	if extendable {
		taken = width(lastLine(texts[0])) + last.tries
	}
	budget := s.width
	if len(c.links) > 1 {
		budget = min(budget, chainWidthMax)
	}
	budget = max(budget-taken, 0)
	straight = straight && budget > 0
	own, ownFits := child.before(s.overhead() + last.tries)
	room := own
	switch {
	case straight:
		room, ok = s.before(last.tries)
	case extendable:
		room, ok = child.before(last.tries)
	default:
		ok = ownFits
	}
	if !ok {
		return "", false, false
	}
	if straight || extendable {
		if behind, fits := room.behind(taken); fits {
			if text, fits := last.in(behind); fits {
				return c.better(text, last, budget, straight, own, ownFits)
			}
		}
	}
	text, ok = last.in(room)
	return text, false, ok
}

// better is the better of a last link behind the others and on a line of its own.
func (c chain) better(text string, last link, budget int, straight bool, own shape, ownFits bool) (string, bool, bool) {
	fits := width(firstLine(text)) <= budget
	lines := newlines(text) + 1
	if fits && lines >= 5 {
		return text, straight, true
	}
	if !ownFits {
		return "", false, false
	}
	alone, ok := last.in(own)
	switch {
	case ok && !fits, ok && newlines(alone)+1 < lines:
		return alone, false, true
	}
	return text, fits && straight, true
}

// isOpenEnded reports whether the last line of a text is nothing but brackets.
func isOpenEnded(text string) bool { return strings.Trim(lastLine(text), "()]}?> ") == "" }

// isBlockLike reports whether what is broken of an expression ends in a bracket on
// a line of its own.
func isBlockLike(e layout) bool {
	switch e.(type) {
	case call, array, literal, tuple:
		return true
	}
	return false
}

// From here on, expressions as arguments.

// core is an expression without operators in front of it.
func core(e layout) layout {
	switch e := e.(type) {
	case prefixExpression:
		return core(e.of)
	case chain:
		if len(e.links) == 0 {
			return core(e.root)
		}
	}
	return e
}

// canOverflow reports whether the last of so many arguments may be broken on the
// line of the others.
func canOverflow(e layout, n int) bool {
	_, isClosure := core(e).(closure)
	return isClosure || n == 1 && (isBlockLike(core(e)) || isMethodCall(e))
}

func isMethodCall(e layout) bool {
	c, ok := core(e).(chain)
	return ok && c.links[len(c.links)-1].isCall
}

func isNestedCall(e layout) bool {
	_, ok := core(e).(call)
	return ok
}

// isSimple reports whether an item may share a line with others where not all fit
// one line.
func isSimple(e layout) bool {
	switch e := e.(type) {
	case atom:
		return true
	case path:
		return len(e) == 1 && e[0].args == nil
	case prefixExpression:
		return isSimple(e.of)
	case indexed:
		return isSimple(e.of)
	case chain:
		for _, l := range e.links {
			if l.isCall {
				return false
			}
		}
		return isSimple(e.root)
	}
	return false
}
