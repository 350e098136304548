package format

import (
	"sort"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// noLimit is for the last statement, after which only the line's end limits which
// comments are its own.
const noLimit = int(^uint(0) >> 1)

func (p *printer) packageStatement(f *syntax.File) {
	start := p.attributeLines(f.Attributes, f.Package.Span.Start, f.Package.Name.Span.Start, nil)
	p.line(syntax.Span{File: f.Source, Start: start, End: f.Package.Span.End}, nil, p.limit,
		"package "+f.Package.Name.String()+";")
}

func (p *printer) importStatement(s *syntax.Import) {
	text := "import " + s.PathSpan.Text()
	if s.Name != nil {
		text += " as " + s.Name.Text
	}
	p.line(s.Span, nil, p.limit, text+";")
}

// attributeLines prints the attributes of a statement, each on a line of its
// own, and returns where the rest of the statement starts. Comments from its name on are
// not the attributes'.
func (p *printer) attributeLines(attributes []*syntax.Attribute, start, name int, docs []syntax.Comment) int {
	for i, a := range attributes {
		limit := name
		if i+1 < len(attributes) {
			limit = attributes[i+1].Span.Start
		}
		if i > 0 {
			p.comments(a.Span.Start, nil)
			p.sourceLine = p.lineOf(a.Span.Start)
		}
		p.line(a.Span, docs, limit, attribute(a))
		docs, start = nil, a.Span.End
	}
	return start
}

// declarationLine starts the line of a declaration, whose first line ends at
// an offset, behind its documentation and attributes.
func (p *printer) declarationLine(h *syntax.Head, end int) {
	start := p.attributeLines(h.Attributes, h.Span.Start, h.Name.Span.Start, h.Docs)
	docs := h.Docs
	if len(h.Attributes) > 0 {
		// Comments between the attributes and the rest stay where they are.
		p.comments(h.Name.Span.Start, nil)
		start, docs = h.Name.Span.Start, nil
		p.sourceLine = p.lineOf(start)
	}
	p.begin(start, end, docs)
}

func (p *printer) constant(c *syntax.Const) {
	p.declarationLine(&c.Head, c.Span.End)
	p.out.WriteString("const " + c.Name.Text + ": " + typeText(c.Type) + " = " + valueText(c.Value) + ";")
	p.end(c.Span.End, p.limit)
}

func (p *printer) alias(a *syntax.Alias) {
	p.declarationLine(&a.Head, a.Span.End)
	p.out.WriteString("type " + a.Name.Text + " = " + typeText(a.Type) + ";")
	p.end(a.Span.End, p.limit)
}

func (p *printer) enum(e *syntax.Enum) {
	p.declarationLine(&e.Head, e.Body.Start)
	p.out.WriteString("enum " + e.Name.Text + ": " + typeText(e.Base))
	items := p.reservedItems(e.Reserved)
	for _, m := range e.Members {
		items = append(items, p.item(&m.Head, m.Name.Text+" = "+valueText(m.Value)+","))
	}
	p.declarationBody(&e.Head, e.Body, items)
}

func (p *printer) structure(s *syntax.Struct) {
	p.declarationLine(&s.Head, s.Body.Start)
	word := "struct "
	if s.Message {
		word = "message "
	}
	p.out.WriteString(word + s.Name.Text)
	p.declarationBody(&s.Head, s.Body, p.fieldItems(s.Fields))
}

func (p *printer) fieldItems(fields []*syntax.Field) []item {
	var items []item
	for _, f := range fields {
		items = append(items, p.item(&f.Head, fieldText(f)+","))
	}
	return items
}

func (p *printer) union(u *syntax.Union) {
	p.declarationLine(&u.Head, u.Body.Start)
	p.out.WriteString("union " + u.Name.Text)
	items := p.reservedItems(u.Reserved)
	for _, a := range u.Alternatives {
		items = append(items, item{a.Span, func(limit int) { p.alternative(a, limit) }})
	}
	p.declarationBody(&u.Head, u.Body, items)
}

func (p *printer) service(s *syntax.Service) {
	p.declarationLine(&s.Head, s.Body.Start)
	p.out.WriteString("service " + s.Name.Text)
	items := p.reservedItems(s.Reserved)
	for _, m := range s.Methods {
		items = append(items, p.item(&m.Head, methodText(m)+";"))
	}
	p.declarationBody(&s.Head, s.Body, items)
}

func (p *printer) declarationBody(h *syntax.Head, body syntax.Span, items []item) {
	sort.SliceStable(items, func(i, j int) bool { return items[i].span.Start < items[j].span.Start })
	p.body(body, body.End-1, items)
	p.end(h.Span.End, p.limit)
}

// item is an item of one line, with its attributes before its text.
func (p *printer) item(h *syntax.Head, text string) item {
	return item{h.Span, func(limit int) {
		p.line(h.Span, h.Docs, limit, attributesText(h.Attributes)+text)
	}}
}

func (p *printer) reservedItems(statements []*syntax.Reserved) []item {
	var items []item
	for _, s := range statements {
		items = append(items, item{s.Span, func(limit int) { p.line(s.Span, nil, limit, reservedText(s)) }})
	}
	return items
}

func (p *printer) reserved(s *syntax.Reserved) {
	p.line(s.Span, nil, p.limit, reservedText(s))
}

// lineMax is the length of a line up to which the body of an inline
// alternative stays on it.
const lineMax = 100

// alternative prints an alternative; the body of an inline one is broken into
// lines if it has comments or is long.
func (p *printer) alternative(a *syntax.Alternative, limit int) {
	text := attributesText(a.Attributes) + a.Name.Text
	tail := " = " + valueText(a.Tag) + ","
	if a.Type != nil {
		p.line(a.Span, a.Docs, limit, text+"("+typeText(a.Type)+")"+tail)
		return
	}
	if a.Inline == nil {
		p.line(a.Span, a.Docs, limit, text+tail)
		return
	}
	var fields []string
	for _, f := range a.Inline.Fields {
		fields = append(fields, attributesText(f.Attributes)+fieldText(f))
	}
	whole := text + " {}" + tail
	if len(fields) > 0 {
		whole = text + " { " + strings.Join(fields, ", ") + " }" + tail
	}
	if len(indentation)+len(whole) <= lineMax && !p.hasComments(a.Inline.Body) {
		p.line(a.Span, a.Docs, limit, whole)
		return
	}
	p.begin(a.Span.Start, a.Inline.Body.Start, a.Docs)
	p.out.WriteString(text)
	p.body(a.Inline.Body, a.Span.End, p.fieldItems(a.Inline.Fields))
	p.out.WriteString(tail)
	p.end(a.Span.End, limit)
}

// hasComments tells whether a comment starts in a span.
func (p *printer) hasComments(span syntax.Span) bool {
	i := sort.Search(len(p.all), func(i int) bool { return p.all[i].Span.Start >= span.Start })
	return i < len(p.all) && p.all[i].Span.Start < span.End
}
