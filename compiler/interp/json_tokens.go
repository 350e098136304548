package interp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// token is one token of a JSON text. Its kind is its first byte, for a number
// '0'.
type token struct {
	kind   byte
	text   string // of a string its characters, of a number its digits
	offset int64  // of its first byte
	place  place
}

// place is a line and a column of a text, counted from 1.
type place struct{ line, column int }

// behind is the place where a text ends that begins at p.
func (p place) behind(text []byte) place {
	if n := bytes.Count(text, []byte("\n")); n > 0 {
		p.line, p.column = p.line+n, 1
		text = text[bytes.LastIndexByte(text, '\n')+1:]
	}
	p.column += utf8.RuneCount(text)
	return p
}

// tokens splits JSON texts. It is encoding/json's tokenizer, made strict where
// that one is lenient: ill-formed UTF-8 and half surrogate pairs are refused,
// and so is a text that opens too many brackets.
type tokens struct {
	decoder *json.Decoder
	recent  recent
	open    int
}

// recent keeps what the decoder has read ahead, from the last token on, since
// the decoder itself tells only how far it has come.
type recent struct {
	source io.Reader
	bytes  []byte
	start  int64 // offset of the first of bytes
	place  place // the same
}

func (r *recent) Read(b []byte) (int, error) {
	n, err := r.source.Read(b)
	r.bytes = append(r.bytes, b[:n]...)
	return n, err
}

// drop forgets what stands before an offset.
func (r *recent) drop(offset int64) {
	r.place = r.place.behind(r.bytes[:offset-r.start])
	r.bytes = r.bytes[offset-r.start:]
	r.start = offset
}

func newTokens(source io.Reader) *tokens {
	t := &tokens{recent: recent{source: source, place: place{1, 1}}}
	t.decoder = json.NewDecoder(&t.recent)
	t.decoder.UseNumber()
	return t
}

// next is read, and says of a refusal where it is in the text.
func (t *tokens) next() (token, error) {
	found, err := t.read()
	var refusal *Refusal
	if at := &t.recent; errors.As(err, &refusal) {
		ahead := max(0, min(refusal.Offset-at.start, int64(len(at.bytes))))
		end := at.place.behind(at.bytes[:ahead])
		refusal.Line, refusal.Column = end.line, end.column
	}
	return found, err
}

// read returns io.EOF at the end of the source between two texts.
func (t *tokens) read() (token, error) {
	start := t.decoder.InputOffset()
	t.recent.drop(start)
	found, err := t.decoder.Token()
	if err != nil {
		return token{}, t.failed(err)
	}
	raw := t.recent.bytes[:t.decoder.InputOffset()-start]
	lexeme := bytes.TrimLeft(raw, " \t\r\n:,")
	blank := len(raw) - len(lexeme)
	made := token{kind: lexeme[0], offset: start + int64(blank), place: t.recent.place.behind(raw[:blank])}
	switch found := found.(type) {
	case json.Delim:
		return made, t.bracket(found, made.offset)
	case json.Number:
		made.kind, made.text = numberToken, found.String()
	case string:
		made.text = found
		if bad := illFormedString(lexeme, found); bad >= 0 {
			return token{}, malformed(made.offset+int64(bad), "the string is not Unicode")
		}
	}
	return made, nil
}

func (t *tokens) bracket(delim json.Delim, offset int64) error {
	if delim == ']' || delim == '}' {
		t.open--
		return nil
	}
	t.open++
	if t.open > JSONBrackets {
		return malformed(offset, "more than "+strconv.Itoa(JSONBrackets)+" brackets are open")
	}
	return nil
}

// failed tells the end of the source and its errors from text that is no JSON.
func (t *tokens) failed(err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF) && t.open == 0 && len(bytes.TrimLeft(t.recent.bytes, " \t\r\n")) == 0:
		return io.EOF
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return malformed(t.recent.start+int64(len(t.recent.bytes)), "the text ends too early")
	case errors.As(err, &syntax):
		if t.recent.start == 0 && bytes.HasPrefix(t.recent.bytes, byteOrderMark) {
			return markedText()
		}
		return malformed(t.decoder.InputOffset(), syntax.Error())
	}
	return err
}

// byteOrderMark is what some editors and shells begin a UTF-8 text with, unseen.
var byteOrderMark = []byte("\xef\xbb\xbf")

func markedText() error { return malformed(0, "a byte order mark stands before the value") }

// skip passes over a value whose first token was read.
func (t *tokens) skip(first token) error {
	if first.kind != '{' && first.kind != '[' {
		return nil
	}
	for outside := t.open - 1; t.open > outside; {
		if _, err := t.next(); err != nil {
			return endless(err, t)
		}
	}
	return nil
}

// inside is next within a text: the end of the source is no clean end there.
func (t *tokens) inside() (token, error) {
	found, err := t.next()
	return found, endless(err, t)
}

func endless(err error, t *tokens) error {
	if errors.Is(err, io.EOF) {
		return malformed(t.decoder.InputOffset(), "the text ends too early")
	}
	return err
}

func malformed(offset int64, detail string) error {
	return &Refusal{Kind: ErrJSONInvalid, Offset: offset, Detail: detail}
}

// checkText refuses a whole text that is not one JSON value, wherever in it the
// fault is.
func checkText(text []byte) error {
	if bytes.HasPrefix(text, byteOrderMark) {
		return markedText()
	}
	var whole json.RawMessage
	var syntax *json.SyntaxError
	if err := json.Unmarshal(text, &whole); errors.As(err, &syntax) {
		return malformed(syntaxOffset(text), syntax.Error())
	} else if err != nil {
		return err
	}
	t := newTokens(bytes.NewReader(text))
	for {
		if _, err := t.next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// syntaxOffset is that of the first byte that cannot stand where it is in a text
// that isn't JSON. With a NUL behind it, which can stand nowhere, a text that
// ends too early is like any other.
func syntaxOffset(text []byte) int64 {
	var whole json.RawMessage
	var syntax *json.SyntaxError
	if err := json.Unmarshal(append(bytes.Clone(text), 0), &whole); !errors.As(err, &syntax) {
		return int64(len(text))
	}
	return syntax.Offset - 1
}

// illFormedString finds what encoding/json would have replaced by U+FFFD in a
// string: ill-formed UTF-8, or an escape that is half a surrogate pair. It
// returns -1 if there is nothing.
func illFormedString(lexeme []byte, text string) int {
	if !bytes.ContainsRune([]byte(text), utf8.RuneError) {
		return -1
	}
	for i := 0; i < len(lexeme); {
		if lexeme[i] == '\\' {
			n := escapeBytes(lexeme[i:])
			if n == 0 {
				return i
			}
			i += n
			continue
		}
		r, n := utf8.DecodeRune(lexeme[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// escapeBytes is the length of the escape that b begins with, of a pair of
// surrogates that of both; 0 for half a pair. The escape is well-formed.
func escapeBytes(b []byte) int {
	const unit = len(`\uXXXX`)
	if b[1] != 'u' {
		return len(`\n`)
	}
	first := escaped(b)
	if !utf16.IsSurrogate(first) {
		return unit
	}
	if len(b) < 2*unit || b[unit] != '\\' || b[unit+1] != 'u' ||
		utf16.DecodeRune(first, escaped(b[unit:])) == utf8.RuneError {
		return 0
	}
	return 2 * unit
}

func escaped(b []byte) rune {
	n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}
