package syntax

import (
	"unicode/utf8"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

// TokenKind tells tokens apart.
type TokenKind uint8

// The kinds of tokens.
const (
	WordToken TokenKind = iota
	NumberToken
	StringToken
	// SignToken is punctuation, and characters that are not of the language.
	SignToken
)

// Token is a piece of a text that is no comment.
type Token struct {
	Kind       TokenKind
	Start, End int
}

// Tokens cuts a text into tokens, also one that is of no grammar yet. A text that
// Parse does not read has none.
func Tokens(file *source.File) []Token {
	text := file.Text()
	if !utf8.ValidString(text) || len(text) >= FileBytesMax {
		return nil
	}
	l := lexer{file: file, text: text, problems: &diag.List{}}
	if len(text) >= len(byteOrderMark) && text[:len(byteOrderMark)] == byteOrderMark {
		l.offset = len(byteOrderMark)
	}
	var tokens []Token
	for t := l.next(); t.kind != kindEOF; t = l.next() {
		token := Token{Kind: SignToken, Start: t.start, End: t.end}
		switch t.kind {
		case kindIdent:
			token.Kind = WordToken
		case kindInteger, kindFloat:
			token.Kind = NumberToken
		case kindString:
			token.Kind = StringToken
		}
		tokens = append(tokens, token)
	}
	return tokens
}
