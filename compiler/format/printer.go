package format

import (
	"regexp"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

const indentation = "    "

// printer writes lines, and between them the comments that the source has
// there. Comments are written in order; next is the first that is not yet.
type printer struct {
	tree      *syntax.File
	out       strings.Builder
	canonical bool
	indent    int
	all       []syntax.Comment
	next      int
	// limit is where the next statement starts: comments from there on are not this one's.
	limit int
	// endsLine[i] is true if comment i is of one line, and only comments of the
	// same sort follow on that line.
	endsLine []bool
	// sourceLine is the line of the source where what was printed last ends.
	sourceLine int
	// wantBlank asks for a blank line before the next line, atStart forbids one.
	wantBlank, atStart bool
}

func newPrinter(f *syntax.File, comments []syntax.Comment) *printer {
	p := &printer{tree: f, all: comments, atStart: true, sourceLine: 1}
	p.endsLine = make([]bool, len(comments))
	for i := len(comments) - 1; i >= 0; i-- {
		c := comments[i].Span
		if strings.Contains(c.Text(), "\n") {
			continue
		}
		rest := p.blankAfter(c.End)
		p.endsLine[i] = p.lineEndsAt(rest) || i+1 < len(comments) && comments[i+1].Span.Start == rest && p.endsLine[i+1]
	}
	return p
}

// blankAfter moves an offset past white space within its line.
func (p *printer) blankAfter(offset int) int {
	text := p.tree.Source.Text()
	for offset < len(text) && (text[offset] == ' ' || text[offset] == '\t' || text[offset] == '\r') {
		offset++
	}
	return offset
}

func (p *printer) lineEndsAt(offset int) bool {
	text := p.tree.Source.Text()
	return offset == len(text) || text[offset] == '\n'
}

func (p *printer) lineOf(offset int) int { return p.tree.Source.LineOf(offset) }

// startLine starts a line for something that the source has at a line of its
// own. A blank line there is kept.
func (p *printer) startLine(sourceLine int) {
	blank := p.wantBlank || !p.canonical && sourceLine-p.sourceLine > 1
	if blank && !p.atStart {
		p.out.WriteByte('\n')
	}
	p.wantBlank, p.atStart = false, false
	for range p.indent {
		p.out.WriteString(indentation)
	}
}

// comments writes, each on a line of its own, the comments before an offset.
// Documentation that is not in docs is written as an ordinary comment, so that it does not document
// the next item.
func (p *printer) comments(column int, docs []syntax.Comment) {
	for ; p.next < len(p.all) && p.all[p.next].Span.Start < column; p.next++ {
		c := p.all[p.next]
		p.startLine(p.lineOf(c.Span.Start))
		for len(docs) > 0 && docs[0].Span.Start < c.Span.Start {
			docs = docs[1:]
		}
		isDoc := len(docs) > 0 && docs[0].Span.Start == c.Span.Start
		p.comment(c, c.Kind == syntax.DocComment && !isDoc)
		p.out.WriteByte('\n')
		p.sourceLine = p.lineOf(c.Span.End)
	}
}

// carriageReturns finds line ends with any number of carriage returns, so that
// none is left to be part of a shorter one.
var carriageReturns = regexp.MustCompile(`\r+\n`)

func (p *printer) comment(c syntax.Comment, plain bool) {
	text := carriageReturns.ReplaceAllLiteralString(c.Span.Text(), "\n")
	if plain {
		text = plainComment(text[len("///"):])
	}
	p.out.WriteString(text)
}

// plainComment is a comment of one line that documents nothing, for any first characters of its
// text.
func plainComment(text string) string {
	if strings.HasPrefix(text, "/") || strings.HasPrefix(text, "!") {
		return "// " + text
	}
	return "//" + text
}

// begin starts the line of an item whose first line ends at an offset of the
// source. Comments inside that line are written before the item.
func (p *printer) begin(start, end int, docs []syntax.Comment) {
	p.comments(start, docs)
	line := p.lineOf(start)
	for ; p.next < len(p.all) && p.all[p.next].Span.Start < end; p.next++ {
		c := p.all[p.next]
		p.startLine(line)
		p.sourceLine = line
		p.comment(c, c.Kind == syntax.DocComment || c.Kind == syntax.FileDocComment)
		p.out.WriteByte('\n')
	}
	p.startLine(line)
}

// end ends the line of an item that ends at an offset of the source, with its comments there:
// before the separator, and at the end of the line. Comments from limit on belong to something
// else.
func (p *printer) end(offset, limit int) { p.endLine(offset, limit, true) }

// endLine is end where comments directly behind the offset may be attached to the text before it,
// and else belong to the next text of the line.
func (p *printer) endLine(offset, limit int, attached bool) {
	p.sourceLine = p.lineOf(offset)
	for at := offset; p.next < len(p.all); p.next++ {
		c := p.all[p.next].Span
		if c.Start >= limit || p.lineOf(c.Start) != p.sourceLine || p.lineOf(c.End) != p.sourceLine {
			break
		}
		attached = attached && p.blankAfter(at) == c.Start
		if !attached && !p.endsLine[p.next] {
			break
		}
		p.out.WriteByte(' ')
		p.comment(p.all[p.next], false)
		at = c.End
	}
	p.out.WriteByte('\n')
}

// line prints an item of one line.
func (p *printer) line(span syntax.Span, docs []syntax.Comment, limit int, text string) {
	p.begin(span.Start, span.End, docs)
	p.out.WriteString(text)
	p.end(span.End, limit)
}

// body prints `{`, the items, and `}`. Comments before closing stand before
// the closing brace.
func (p *printer) body(span syntax.Span, closing int, items []item) {
	p.out.WriteString(" {")
	if len(items) == 0 && (p.next == len(p.all) || p.all[p.next].Span.Start >= closing) {
		p.out.WriteByte('}')
		return
	}
	first := span.End - 1
	if len(items) > 0 {
		first = items[0].span.Start
	}
	p.endLine(span.Start+1, first, false)
	p.indent++
	p.atStart = true
	for i, it := range items {
		limit := span.End - 1
		if i+1 < len(items) {
			limit = items[i+1].span.Start
		}
		it.print(limit)
	}
	p.comments(closing, nil)
	p.indent--
	p.atStart = true
	p.startLine(0)
	p.out.WriteByte('}')
}

// item is something in a body. It is printed with the offset from which on
// comments belong to the next.
type item struct {
	span  syntax.Span
	print func(limit int)
}
