package syntax

import (
	"strings"
	"unicode/utf8"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

// FileBytesMax is the size from which on a file is refused unread [LANG-1.1].
const FileBytesMax = 64 << 20

const byteOrderMark = "\uFEFF"

// Parse reads a schema file. Problems go to the list; the tree is never nil
// and holds everything that was understood.
func Parse(name, text string, problems *diag.List) *File {
	if len(text) >= FileBytesMax {
		file := source.New(name, "")
		problems.Error(codeFileTooLarge, file.Span(0, 0), "this file has %d bytes; a schema file has less than %d", len(text), FileBytesMax).
			WithHelp("split it into packages that import each other")
		return &File{Source: file, Incomplete: true}
	}
	file := source.New(name, text)
	tree := &File{Source: file}
	if !utf8.ValidString(text) {
		reportNotUTF8(file, problems)
		tree.Incomplete = true
		return tree
	}
	p := &parser{file: tree, lexer: lexer{file: file, text: text, problems: problems}}
	if strings.HasPrefix(text, byteOrderMark) {
		p.lexer.offset = len(byteOrderMark)
	}
	p.token, p.peek = p.lexer.next(), p.lexer.next()
	p.parseFile()
	tree.Comments = p.lexer.comments
	return tree
}

func reportNotUTF8(file *source.File, problems *diag.List) {
	offset := 0
	for {
		r, size := utf8.DecodeRuneInString(file.Text()[offset:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		offset += size
	}
	problems.Error(codeNotUTF8, file.Span(offset, offset+1), "this byte is not UTF-8").
		WithLabel("here").
		WithHelp("save the file as UTF-8")
}

// parser holds the current token and one more. Methods that read a construct
// return false if they reported a problem that leaves the rest of it unread;
// the caller then skips to where the next construct may start.
type parser struct {
	lexer lexer
	file  *File
	token token
	peek  token
	// end is where the last token that was taken ends.
	end int
	// comments is the number of comments in the file before that token.
	comments int
	// protobuf counts the constructs of Protocol Buffers that were found, and
	// protobufFields says that a field was among them.
	protobuf       int
	protobufFields bool
}

// take moves to the next token and returns the one it leaves.
func (p *parser) take() token {
	taken := p.token
	p.end = taken.end
	p.comments = taken.comments
	p.token, p.peek = p.peek, p.lexer.next()
	return taken
}

// text is the source text of a token.
func (p *parser) text(t token) string { return p.lexer.text[t.start:t.end] }

func (p *parser) span(t token) Span { return p.lexer.span(t.start, t.end) }

// since is the span from an offset to the end of the last token taken.
func (p *parser) since(start int) Span { return p.lexer.span(start, p.end) }

// is tells whether the current token is of a kind.
func (p *parser) is(k kind) bool { return p.token.kind == k }

// isWord tells whether the current token is a word of the language.
func (p *parser) isWord(word string) bool {
	return p.token.kind == kindIdent && p.text(p.token) == word
}

// accept takes the current token if it is of a kind.
func (p *parser) accept(k kind) bool {
	if !p.is(k) {
		return false
	}
	p.take()
	return true
}

// expect takes a token of a kind, or reports what stands there instead.
func (p *parser) expect(k kind, newer string) (token, bool) {
	if !p.is(k) {
		p.expected(k.name(), newer)
		return token{}, false
	}
	return p.take(), true
}

// expected reports that something else stands where `what` should. A token
// that was reported already gets no second report.
func (p *parser) expected(subject, newer string) *diag.Diagnostic {
	if newer != "" {
		newer = " after " + newer
	}
	if p.is(kindInvalid) || p.cut() {
		return &diag.Diagnostic{}
	}
	return p.lexer.problems.Error(codeExpected, p.here(), "expected %s%s, found %s", subject, newer, p.found())
}

// cut tells whether the current token is the end of the read text, and not of the file.
func (p *parser) cut() bool { return p.is(kindEOF) && p.lexer.cut }

// here is where a problem with the current token is shown. At the end of the
// file that is the end of the last token, since nobody looks below that.
func (p *parser) here() Span {
	if p.is(kindEOF) {
		return p.lexer.span(p.end, p.end)
	}
	return p.span(p.token)
}

// found names the current token for a message.
func (p *parser) found() string {
	if p.is(kindEOF) {
		return p.token.kind.name()
	}
	return quoteShort(p.text(p.token))
}

// ident takes a name.
func (p *parser) ident(subject string) (Ident, bool) {
	if !p.is(kindIdent) || p.startsDeclaration() {
		p.expected(subject, "")
		return Ident{}, false
	}
	t := p.take()
	return Ident{Text: p.text(t), Span: p.span(t)}, true
}

// path takes names joined by dots, the first of which is there already.
func (p *parser) path(subject string) (Path, bool) {
	first, ok := p.ident(subject)
	if !ok {
		return Path{}, false
	}
	path := Path{Parts: []Ident{first}}
	for p.accept('.') {
		part, ok := p.ident("a name after `.`")
		if !ok {
			return Path{}, false
		}
		path.Parts = append(path.Parts, part)
	}
	path.Span = p.since(first.Span.Start)
	return path, true
}

// docs returns the documentation before the current token: the `///` lines
// that stand on lines of their own since the last token.
func (p *parser) docs() []Comment {
	return p.commentsBefore(DocComment)
}

func (p *parser) commentsBefore(kind CommentKind) []Comment {
	var docs []Comment
	for _, c := range p.lexer.comments[p.comments:p.token.comments] {
		if c.Kind == kind && c.OwnLine {
			docs = append(docs, c)
		}
	}
	return docs
}
