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
	badUTF8 := utf8Flaw(text)
	if !json.Valid(text) {
		at := jsonSyntaxFlaw(text)
		if badUTF8 >= 0 {
			at = min(at, badUTF8)
		}
		return at
	}
	if badUTF8 >= 0 {
		return badUTF8
	}
	return surrogateFlaw(text)
}

// jsonIgnored takes any JSON value.
type jsonIgnored struct{}

// UnmarshalJSON does nothing.
func (jsonIgnored) UnmarshalJSON([]byte) error { return nil }

// jsonSyntaxFlaw is where the grammar breaks: at the byte that can't stand there,
// at the end of a text that ends too early, or behind a value that should have
// been the only one.
func jsonSyntaxFlaw(text []byte) int {
	decoder := json.NewDecoder(bytes.NewReader(text))
	err := decoder.Decode(&jsonIgnored{})
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

// surrogateFlaw is the offset of the first escape in a well-formed text that is
// half a surrogate pair, or -1. Backslashes stand only in strings there, and the
// grammar has checked what follows them.
func surrogateFlaw(text []byte) int {
	for at := 0; at < len(text); at++ {
		if text[at] != '\\' {
			continue
		}
		at++
		if text[at] != 'u' {
			continue
		}
		switch first := hex4(text[at+1:]); {
		case first < 0xd800 || first > 0xdfff:
			at += 4
		case first < 0xdc00 && isLowSurrogate(text[at+5:]):
			at += 10
		default:
			return at - 1
		}
	}
	return -1
}

func isLowSurrogate(text []byte) bool {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return false
	}
	c := hex4(text[2:])
	return 0xdc00 <= c && c <= 0xdfff
}

// hex4 is the number of four hexadecimal digits.
func hex4(text []byte) int {
	n, _ := strconv.ParseUint(string(text[:4]), 16, 16)
	return int(n)
}
