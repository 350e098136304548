package doc

import (
	"net/url"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

// comment is documentation of a schema, read as CommonMark: text alone. HTML in it is text
// that is shown, images are links, and links lead to where schemes allow. So a renderer has nothing
// to refuse.
type comment []block

// block is a part of a comment.
type block struct {
	kind   blockKind
	spans  []span  // of a paragraph or heading
	blocks []block // of a quotation, a list, or an item
	text   string  // of code
	// ordered says that a list has numbers, from start on.
	ordered bool
	start   int
}

type blockKind uint8

const (
	paragraph blockKind = iota
	heading
	code
	quotation
	list
	item
	rule
)

// span is a part of a line.
type span struct {
	kind  spanKind
	text  string // of text and code
	href  string // of a link
	spans []span
}

type spanKind uint8

const (
	plainSpan spanKind = iota
	codeSpan
	emphasis
	strong
	linkSpan
	lineBreak
)

// Comments that are longer than commentMax, in bytes, or in which more blocks lie in each
// other than depthOfComment, are shown as they are written.
const (
	commentMax     = 16 << 10
	depthOfComment = 24
)

// schemes are the schemes of links that stay links.
var schemes = []string{"http", "https", "mailto"}

var commonMark = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithInlineParsers(parser.DefaultInlineParsers()...),
	parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
)

// readComment reads documentation.
func readComment(doc ir.Doc) comment {
	lines := make([]string, len(doc))
	for i, line := range doc {
		lines[i] = source.Visible(line)
	}
	all := strings.Join(lines, "\n")
	if strings.TrimSpace(all) == "" {
		return nil
	}
	if len(all) > commentMax {
		return comment{{kind: code, text: all}}
	}
	r := commentReader{[]byte(all)}
	root := commonMark.Parse(text.NewReader(r.source))
	if isDeep(root, depthOfComment) {
		return comment{{kind: code, text: all}}
	}
	return r.blocks(root)
}

// isDeep reports whether more blocks lie in each other than a number.
func isDeep(n ast.Node, most int) bool {
	if most == 0 {
		return true
	}
	for c := n.FirstChild(); c != nil && c.Type() == ast.TypeBlock; c = c.NextSibling() {
		if isDeep(c, most-1) {
			return true
		}
	}
	return false
}

// commentReader turns the library's tree into ours, which has no more than is rendered.
type commentReader struct{ source []byte }

func (r commentReader) blocks(parent ast.Node) []block {
	var all []block
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Paragraph, *ast.TextBlock:
			all = append(all, block{kind: paragraph, spans: r.spans(n)})
		case *ast.Heading:
			all = append(all, block{kind: heading, spans: r.spans(n)})
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			all = append(all, block{kind: code, text: r.lines(n.Lines())})
		case *ast.HTMLBlock:
			html := r.lines(n.Lines())
			if n.HasClosure() {
				html += string(n.ClosureLine.Value(r.source))
			}
			all = append(all, block{kind: paragraph, spans: []span{{text: strings.Join(strings.Fields(html), " ")}}})
		case *ast.Blockquote:
			all = append(all, block{kind: quotation, blocks: r.blocks(n)})
		case *ast.List:
			all = append(all, block{kind: list, blocks: r.blocks(n), ordered: n.IsOrdered(), start: n.Start})
		case *ast.ListItem:
			all = append(all, block{kind: item, blocks: r.blocks(n)})
		case *ast.ThematicBreak:
			all = append(all, block{kind: rule})
		}
	}
	return all
}

func (r commentReader) lines(segments *text.Segments) string {
	return strings.TrimRight(string(segments.Value(r.source)), "\n")
}

func (r commentReader) spans(parent ast.Node) []span {
	var all []span
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			all = append(all, span{text: r.plain(n.Segment.Value(r.source))})
			switch {
			case n.HardLineBreak():
				all = append(all, span{kind: lineBreak})
			case n.SoftLineBreak():
				all = append(all, span{text: " "})
			}
		case *ast.String:
			all = append(all, span{text: r.plain(n.Value)})
		case *ast.CodeSpan:
			all = append(all, span{kind: codeSpan, text: r.codeText(n)})
		case *ast.Emphasis:
			kind := emphasis
			if n.Level > 1 {
				kind = strong
			}
			all = append(all, span{kind: kind, spans: r.spans(n)})
		case *ast.Link:
			all = append(all, r.link(n.Destination, r.spans(n))...)
		case *ast.Image:
			all = append(all, r.link(n.Destination, r.spans(n))...)
		case *ast.AutoLink:
			address := n.URL(r.source)
			if n.AutoLinkType == ast.AutoLinkEmail {
				address = append([]byte("mailto:"), address...)
			}
			all = append(all, r.link(address, []span{{text: source.Visible(string(n.Label(r.source)))}})...)
		case *ast.RawHTML:
			all = append(all, span{text: strings.ReplaceAll(string(n.Segments.Value(r.source)), "\n", " ")})
		}
	}
	return all
}

// plain is text without escapes and entities. The characters of escapes and entities may be
// invisible.
func (r commentReader) plain(raw []byte) string {
	raw = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(raw)))
	return source.Visible(strings.ReplaceAll(string(raw), "\n", " "))
}

func (r commentReader) codeText(n *ast.CodeSpan) string {
	var out strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, isText := c.(*ast.Text); isText {
			out.Write(t.Segment.Value(r.source))
		}
	}
	return strings.ReplaceAll(out.String(), "\n", " ")
}

// link is a link where its address may be one, else what it says.
func (r commentReader) link(destination []byte, spans []span) []span {
	address := string(util.URLEscape(destination, true))
	parsed, err := url.Parse(address)
	if err != nil || !slices.Contains(schemes, parsed.Scheme) {
		return spans
	}
	if len(spans) == 0 {
		spans = []span{{text: source.Visible(address)}}
	}
	return []span{{kind: linkSpan, href: parsed.String(), spans: spans}}
}

// Summary is the first sentence of a comment, without its marks.
func (c comment) Summary() string {
	for _, b := range c {
		if b.kind != paragraph && b.kind != heading {
			continue
		}
		text := strings.Join(strings.Fields(spansText(b.spans)), " ")
		if end := strings.Index(text, ". "); end > 0 {
			text = text[:end+1]
		}
		if runes := []rune(text); len(runes) > summaryMax {
			text = string(runes[:summaryMax]) + "…"
		}
		return text
	}
	return ""
}

// summaryMax is how many characters a summary has at most.
const summaryMax = 160

func spansText(spans []span) string {
	var out strings.Builder
	for _, s := range spans {
		switch s.kind {
		case plainSpan, codeSpan:
			out.WriteString(s.text)
		case lineBreak:
			out.WriteByte(' ')
		case emphasis, strong, linkSpan:
			out.WriteString(spansText(s.spans))
		}
	}
	return out.String()
}
