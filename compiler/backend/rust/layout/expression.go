package layout

import "strings"

// The expressions of generated code. An expression without breaks is an atom.
type (
	atom string
	call struct {
		callee path
		args   []layout
	}
	// prefixExpression is an expression behind an operator, or `return`.
	prefixExpression struct {
		prefix string
		of     layout
	}
	// pairs are operands of the same operator.
	pairs struct {
		operator string
		operands []layout
	}
	indexed struct {
		of    layout
		index string
	}
	array struct{ elements []layout }
	tuple struct{ elements []layout }
	// literal is that of a struct.
	literal struct {
		name   path
		fields []field
	}
	field struct {
		name  string
		value layout // nil if it is a variable of that name
	}
	closure struct {
		head string
		body layout
		text string // of the body, in one line
	}
	// asyncBlock is an async block.
	asyncBlock struct{ body *body }
	// arrayCopies is an array of copies of an element.
	arrayCopies struct {
		of layout
		n  string
	}
)

func (a atom) in(s shape) (string, bool) { return string(a), width(string(a)) <= s.width }

func (c call) in(s shape) (string, bool) {
	callee, ok := c.callee.in(s)
	if !ok {
		return "", false
	}
	return items{callee, "(", ")", c.args, callWidthMax}.in(s)
}

func (p prefixExpression) in(s shape) (string, bool) {
	rest, ok := s.behind(width(p.prefix))
	if !ok {
		return "", false
	}
	text, ok := p.of.in(rest)
	return p.prefix + text, ok
}

func (i indexed) in(s shape) (string, bool) {
	text, ok := i.of.in(s)
	if !ok || width(lastLine(text))+width(i.index)+2 > s.width {
		return "", false
	}
	return text + "[" + i.index + "]", true
}

func (a array) in(s shape) (string, bool) {
	return items{"", "[", "]", a.elements, arrayWidthMax}.in(s)
}

func (t tuple) in(s shape) (string, bool) {
	return items{"", "(", ")", t.elements, callWidthMax}.in(s)
}

// in lays out operands: in one line, or a line each with its operator in front.
func (p pairs) in(s shape) (string, bool) {
	if text, ok := p.oneLine(s); ok {
		return text, true
	}
	nested, ok := s.deeper(indentWidth).before(s.overhead())
	if !ok {
		return "", false
	}
	text, ok := p.operands[0].in(s)
	if !ok {
		return "", false
	}
	behind, ok := nested.behind(len(p.operator) + 1)
	for _, operand := range p.operands[1:] {
		if !ok {
			return "", false
		}
		column := width(lastLine(text))
		if !broken(text) {
			column += s.used()
		}
		if column <= nested.used() {
			if room, fits := s.behind(len(p.operator) + 2 + width(lastLine(text))); fits {
				if next, fits := operand.in(room); fits {
					text += " " + p.operator + " " + next
					continue
				}
			}
		}
		var next string
		next, ok = operand.in(behind)
		text += nested.newline() + p.operator + " " + next
	}
	return text, ok
}

func (p pairs) oneLine(s shape) (string, bool) {
	text := ""
	last := len(p.operands) - 1
	for _, operand := range p.operands[:last] {
		next, ok := operand.in(s)
		if !ok || broken(next) {
			return "", false
		}
		text += next + " " + p.operator + " "
	}
	room := s
	room.offset = 0
	room, ok := room.behind(width(text))
	if !ok {
		return "", false
	}
	next, ok := p.operands[last].in(room)
	if !ok || broken(next) && (next[0] == '(' || width(text) > indentWidth) {
		return "", false
	}
	text += next
	return text, s.holds(text)
}

// in lays out a struct literal. Fields share a line only if they are very short.
func (l literal) in(s shape) (string, bool) {
	name, ok := l.name.in(s)
	if !ok {
		return "", false
	}
	if len(l.fields) == 0 {
		return name + " {}", true
	}
	var parts []string
	room, fits := s.behind(width(name) + len(" {  }"))
	for _, f := range l.fields {
		text, ok := f.in(room)
		fits = fits && ok && !broken(text)
		parts = append(parts, text)
	}
	if joined := strings.Join(parts, ", "); fits && width(joined) <= min(literalWidthMax, room.width) {
		return name + " { " + joined + " }", true
	}
	nested := s.deeper(indentWidth)
	room, _ = nested.before(len(","))
	text := name + " {"
	for _, f := range l.fields {
		laid, ok := f.in(room)
		if !ok {
			return "", false
		}
		text += nested.newline() + laid + ","
	}
	return text + s.newline() + "}", true
}

func (f field) in(s shape) (string, bool) {
	if f.value == nil {
		return f.name, width(f.name) <= s.width
	}
	if room, ok := s.behind(width(f.name) + len(": ")); ok {
		if text, ok := f.value.in(room); ok {
			return f.name + ": " + text, true
		}
	}
	nested := s.deeper(indentWidth)
	text, ok := f.value.in(nested)
	return f.name + ":" + nested.newline() + text, ok
}

// in lays out a closure, whose body gets braces unless it fits a line or is a
// literal.
func (c closure) in(s shape) (string, bool) {
	room, ok := s.behind(width(c.head) + 1)
	if !ok || room.width < len("{") || c.head == "|_|" && room.width < len("{}") {
		return "", false
	}
	if text, ok := c.body.in(room); ok && (!broken(text) || mayBreakBehindClosure(c.body)) {
		return c.head + " " + text, true
	}
	nested := s.deeper(indentWidth)
	return c.head + " {" + nested.newline() + c.braced(nested) + s.newline() + "}", true
}

// braced lays out the body as a statement of its own. A body without a layout there is left as it
// is: as it would be at a smaller depth, which is the same wherever the code around it moves it.
func (c closure) braced(s shape) string {
	for indent := s.indent; indent >= 0; indent -= indentWidth {
		if text, ok := c.body.in(lineAt(indent)); ok {
			return text
		}
	}
	return c.text
}

// in lays out an async block: in one line if it has one expression that fits there.
func (d asyncBlock) in(s shape) (string, bool) {
	const before, behind = "async move { ", " }"
	if d.body == nil {
		return "", false
	}
	if nodes := d.body.nodes; len(nodes) == 1 && !nodes[0].text && !strings.HasSuffix(nodes[0].code, ";") {
		if room, ok := s.behind(width(before) + width(behind)); ok {
			room.offset = 0
			if text, ok := nodes[0].laid(false, room); ok && !broken(text) && width(text) <= room.width {
				return before + text + behind, true
			}
		}
	}
	text, ok := d.body.in(s)
	return "async move " + text, ok
}

func (r arrayCopies) in(s shape) (string, bool) { return numbered(r.of, r.n, s) }

// numbered lays out an array of so many elements that are alike. The number moves to
// the next line if it doesn't fit.
func numbered(elem layout, n string, s shape) (string, bool) {
	inner := s
	inner.width = lineWidthMax - s.used() - len("[;")
	text, ok := elem.in(inner)
	if !ok {
		return "", false
	}
	if text := "[" + text + "; " + n + "]"; width(lastLine(text)) <= s.width {
		return text, true
	}
	return "[" + text + ";" + s.deeper(indentWidth+s.align).newline() + n + "]", true
}

func mayBreakBehindClosure(e layout) bool {
	switch e := e.(type) {
	case literal, *body, asyncBlock:
		return true
	case control:
		return e.keyword == "match "
	case prefixExpression:
		return mayBreakBehindClosure(e.of)
	}
	return false
}
