// Package layout breaks the lines of generated Rust where rustfmt breaks them: the generator prints
// a statement, and the head of a thing with a body in braces, in one line of any length, and the
// lines of the body deeper.
package layout

import "strings"

// Code lays out code, an item after the other. Items without a layout within the width stay as they
// are, as rustfmt leaves them.
func Code(text string) string {
	r := &reader{lines: strings.Split(strings.TrimRight(text, "\n"), "\n")}
	var out strings.Builder
	out.Grow(len(text) + len(text)/8)
	for r.at < len(r.lines) {
		b := &body{nodes: []node{r.node(strings.TrimLeft(r.lines[r.at], " "))}}
		b.write(&out, 0)
	}
	return strings.TrimPrefix(out.String(), "\n") + "\n"
}

// body is what stands in braces.
type body struct {
	nodes []node
	// declares says that it is that of a struct or enum.
	declares bool
	// laid remembers the layouts by indentation: which of two suits what is around a
	// body, only the whole shows.
	laid map[int]string
	// least is the first indentation, which is the least.
	least int
}

// node is an item, statement or comment.
type node struct {
	// code is its text, without the text of its bodies: a zero stands for each.
	code   string
	bodies []*body
	// text is a node without a layout.
	text bool
}

// reader reads printed lines.
type reader struct {
	lines []string
	at    int
}

// body reads lines up to the brace that closes it.
func (r *reader) body(declares bool) *body {
	b := &body{declares: declares}
	for r.at < len(r.lines) {
		code := strings.TrimLeft(r.lines[r.at], " ")
		if strings.HasPrefix(code, "}") {
			return b
		}
		b.nodes = append(b.nodes, r.node(code))
	}
	return b
}

func (r *reader) node(code string) node {
	r.at++
	if end := textEnd(code); end != "" || code == "" {
		for !strings.HasSuffix(r.lines[r.at-1], end) {
			code += "\n" + r.lines[r.at]
			r.at++
		}
		return node{code: code, text: true}
	}
	n := node{code: code}
	for strings.HasSuffix(n.code, "{") {
		n.bodies = append(n.bodies, r.body(strings.HasPrefix(code, "pub struct ") || strings.HasPrefix(code, "pub enum ")))
		n.code += "\x00" + strings.TrimLeft(r.lines[r.at], " ")
		r.at++
	}
	return n
}

// textEnd is how what starts with a line ends if it has no layout: comments,
// attributes, and text that goes on in the next line.
func textEnd(code string) string {
	switch {
	case strings.HasPrefix(code, "//"):
		return code
	case strings.HasPrefix(code, "#"):
		return "]"
	case strings.HasSuffix(code, `"\`):
		return `";`
	}
	return ""
}

// at lays out the lines at an indentation, each behind its line break.
func (b *body) at(indent int) string {
	if laid, ok := b.laid[indent]; ok {
		return laid
	}
	var out strings.Builder
	b.write(&out, indent)
	if b.laid == nil {
		b.laid = map[int]string{}
	}
	b.laid[indent] = out.String()
	return out.String()
}

func (b *body) write(builder *strings.Builder, indent int) {
	if b.least == 0 {
		b.least = indent
	}
	s := lineAt(indent)
	newline := s.newline()
	for _, n := range b.nodes {
		if n.code == "" {
			builder.WriteByte('\n')
			continue
		}
		builder.WriteString(newline)
		text, isShort := n.short(s)
		if !isShort {
			text = n.lay(b, s)
		}
		builder.WriteString(text)
		if isShort && len(n.bodies) > 0 {
			builder.WriteByte('{')
			n.bodies[0].write(builder, indent+indentWidth)
			builder.WriteString(newline)
			builder.WriteByte('}')
		}
	}
}

// short is a node that stays in its line, up to the body if it ends with one: the head of a
// function, or a text within the width of the least breakable thing but the fields of a literal.
func (n node) short(s shape) (string, bool) {
	head, isBlock := strings.CutSuffix(n.code, "{\x00}")
	if !isBlock || !strings.HasPrefix(head, "fn ") && !strings.HasPrefix(head, "pub fn ") && !strings.HasPrefix(head, "impl") {
		s.width = min(s.width, chainWidthMax)
	}
	return head, !n.text && len(head) < s.width && !strings.Contains(head, "{")
}

// lay lays out one node of a body.
func (n node) lay(b *body, s shape) string {
	if n.text {
		return n.code
	}
	if text, ok := n.laid(b.declares, s); ok {
		return text
	}
	// A statement that is left as it is may have been moved here by the code around it.
	for indent := s.indent - indentWidth; indent >= b.least && len(n.bodies) == 0; indent -= indentWidth {
		if text, ok := n.laid(b.declares, lineAt(indent)); ok {
			return text
		}
	}
	return n.asItIs(s)
}

func (n node) laid(declared bool, s shape) (string, bool) {
	scan := &scanner{text: n.code, bodies: n.bodies}
	lay := scan.item
	if declared {
		lay = scan.member
	}
	text, ok := lay(s)
	return text, ok && !scan.failed
}

// asItIs is the node with no layout but in its bodies.
func (n node) asItIs(s shape) string {
	var out strings.Builder
	rest := n.code
	for _, b := range n.bodies {
		before, after, _ := strings.Cut(rest, "\x00")
		out.WriteString(before + b.at(s.indent+indentWidth) + s.newline())
		rest = after
	}
	return out.String() + rest
}

// in lays out a body with its braces.
func (b *body) in(s shape) (string, bool) {
	return "{" + b.at(s.indent+indentWidth) + s.newline() + "}", true
}
