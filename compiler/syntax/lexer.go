package syntax

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

// bracketsMax is the number of brackets that may not be open at once
// [LANG-1.1].
const bracketsMax = 10_000

// lexer cuts a text into tokens, one at a time. Comments go to a list.
type lexer struct {
	file     *source.File
	text     string
	offset   int
	problems *diag.List
	comments []Comment
	// lineHasToken is true once a token was found on the current line.
	lineHasToken bool
	// open is the number of brackets that are open.
	open int
	// cut is true if the rest of the text was given up, so that what seems to be
	// missing at the end is no further mistake.
	cut bool
}

// next returns the next token. At the end of the text it returns an end of
// file for ever.
func (l *lexer) next() token {
	l.skipBlank()
	t := token{start: l.offset, firstOnLine: !l.lineHasToken, comments: len(l.comments)}
	l.lineHasToken = true
	if l.offset == len(l.text) {
		t.end = l.offset
		return t
	}
	switch c := l.text[l.offset]; {
	case isLetter(c):
		t.kind = kindIdent
		l.offset += identLength(l.text[l.offset:])
	case isDigit(c), c == '-' && isDigit(l.at(1)):
		l.number(&t)
	case c == '"':
		l.string(&t)
	default:
		l.punctuation(&t, c)
	}
	t.end = l.offset
	return t
}

// at returns the byte at a distance from the offset, 0 past the end.
func (l *lexer) at(distance int) byte {
	if l.offset+distance < len(l.text) {
		return l.text[l.offset+distance]
	}
	return 0
}

func (l *lexer) span(start, end int) source.Span { return l.file.Span(start, end) }

// skipBlank moves past white space and comments.
func (l *lexer) skipBlank() {
	for l.offset < len(l.text) {
		switch c := l.text[l.offset]; {
		case c == '\n':
			l.lineHasToken = false
			l.offset++
		case c == ' ', c == '\t', c == '\r':
			l.offset++
		case c == '/' && l.at(1) == '/':
			l.lineComment()
		case c == '/' && l.at(1) == '*':
			l.blockComment()
		default:
			return
		}
	}
}

func (l *lexer) lineComment() {
	rest := l.text[l.offset:]
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	l.addComment(lineCommentKind(rest), l.offset+len(strings.TrimRight(rest, " \t\r")))
	l.offset += len(rest)
}

// lineCommentKind tells documentation from other comments. Four slashes or
// more draw a line and document nothing.
func lineCommentKind(text string) CommentKind {
	switch {
	case strings.HasPrefix(text, "////"):
		return LineComment
	case strings.HasPrefix(text, "///"):
		return DocComment
	case strings.HasPrefix(text, "//!"):
		return FileDocComment
	}
	return LineComment
}

func (l *lexer) blockComment() {
	length := strings.Index(l.text[l.offset+2:], "*/")
	if length < 0 {
		l.problems.Error(codeUnterminatedComment, l.span(l.offset, l.offset+2), "this comment never ends").
			WithHelp("close it with `*/`")
		l.giveUp()
		return
	}
	end := l.offset + 2 + length + 2
	ownLine := !l.lineHasToken
	l.addComment(BlockComment, end)
	// The token behind a comment of several lines starts on a line of its own.
	if ownLine || strings.Contains(l.text[l.offset:end], "\n") {
		l.lineHasToken = false
	}
	l.offset = end
}

func (l *lexer) giveUp() {
	l.offset = len(l.text)
	l.cut = true
}

func (l *lexer) addComment(kind CommentKind, end int) {
	l.comments = append(l.comments, Comment{
		Kind:    kind,
		Span:    l.span(l.offset, end),
		OwnLine: !l.lineHasToken,
	})
}

// punctuation reads a bracket, a sign, or a run of characters that no token
// starts with.
func (l *lexer) punctuation(t *token, c byte) {
	switch c {
	case '{', '(', '[', '<':
		l.open++
		if l.open == bracketsMax {
			l.problems.Error(codeBracketsTooDeep, l.span(l.offset, l.offset+1), "%d brackets are open here", bracketsMax).
				WithHelp("the rest of the file is not read")
			l.giveUp()
			t.start = l.offset
			return
		}
	case '}', ')', ']', '>':
		l.open = max(0, l.open-1)
	case ',', ';', ':', '=', '?', '@':
	case '.':
		if l.at(1) == '.' {
			l.offset++
			c = byte(kindRange)
		}
	case '-':
		if l.at(1) != '>' {
			l.invalid(t)
			return
		}
		l.offset++
		c = byte(kindArrow)
	default:
		l.invalid(t)
		return
	}
	t.kind = kind(c)
	l.offset++
}

// invalid reports a run of characters that no token starts with as one
// problem.
func (l *lexer) invalid(t *token) {
	t.kind = kindInvalid
	l.offset++
	for l.offset < len(l.text) && !startsToken(l.text[l.offset]) {
		l.offset++
	}
	span := l.span(t.start, l.offset)
	l.problems.Error(codeUnexpectedCharacter, span, "%s is not part of the language", quoteShort(span.Text()))
}

func startsToken(c byte) bool {
	return isLetter(c) || isDigit(c) || strings.IndexByte(" \t\r\n{}()[]<>,;:=?@.-\"/", c) >= 0
}

func isLetter(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func identLength(s string) int {
	n := 0
	for n < len(s) && (isLetter(s[n]) || isDigit(s[n])) {
		n++
	}
	return n
}
