package sdp

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"
)

// jsonFlaw is the offset of the first byte that keeps a text from being
// well-formed: encoding/json checks the grammar and the open brackets, but lets
// bad UTF-8 and halves of surrogate pairs pass [JSON-1.3]. It is -1 for a
// well-formed text.
func jsonFlaw(text []byte) int {
	flaw, end := -1, len(text)
	if !json.Valid(text) {
		flaw = jsonSyntaxFlaw(text)
		end = flaw
	}
	if at := utf8Flaw(text); at >= 0 && at <= end {
		flaw, end = at, at
	}
	if at := surrogateFlaw(text, end); at >= 0 {
		return at
	}
	return flaw
}

// jsonSkip takes any JSON value.
type jsonSkip struct{}

// UnmarshalJSON does nothing.
func (jsonSkip) UnmarshalJSON([]byte) error { return nil }

// jsonSyntaxFlaw is where the grammar breaks: at the byte that can't stand there,
// at the end of a text that ends too early, or behind a value that should have
// been the only one.
func jsonSyntaxFlaw(text []byte) int {
	decoder := json.NewDecoder(bytes.NewReader(text))
	err := decoder.Decode(&jsonSkip{})
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return int(syntax.Offset) - 1
	case err != nil:
		return len(text)
	}
	at := int(decoder.InputOffset())
	return at + len(text[at:]) - len(bytes.TrimLeft(text[at:], " \t\r\n"))
}

// utf8Flaw is the end of the longest prefix of b that is UTF-8, or -1 if all of
// it is.
func utf8Flaw(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	at := 0
	for {
		c, size := utf8.DecodeRune(b[at:])
		if c == utf8.RuneError && size <= 1 {
			return at
		}
		at += size
	}
}

// surrogateFlaw is the offset of the first escape that is half a surrogate pair,
// or -1. The text has no other flaw before end, so that backslashes stand only in strings there and
// begin whole escapes.
func surrogateFlaw(text []byte, end int) int {
	for at := 0; at < end; at++ {
		if text[at] != '\\' {
			continue
		}
		switch unit, isUnit := codeUnit(text[at:end]); {
		case !isUnit:
			at++ // what is escaped may be a backslash
		case unit < 0xd800 || unit > 0xdfff:
			at += 5
		case unit > 0xdbff || !endsPair(text[at+6:], end-(at+6)):
			return at
		default:
			at += 11
		}
	}
	return -1
}

// endsPair reports whether the second half of a pair follows. Where the text ends,
// or has another flaw, before that shows, it may have been about to.
func endsPair(text []byte, sound int) bool {
	for i, c := range []byte(`\u`) {
		if i == len(text) {
			return true
		}
		if text[i] != c {
			return false
		}
	}
	unit, isUnit := codeUnit(text[:sound])
	return !isUnit || 0xdc00 <= unit && unit <= 0xdfff
}

// codeUnit is that of an escape with four hexadecimal digits, if a whole one starts
// the text.
func codeUnit(text []byte) (unit uint64, ok bool) {
	if len(text) < 6 || text[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return unit, err == nil
}
