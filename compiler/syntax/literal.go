package syntax

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// shownBytesMax bounds how much of the source a message repeats.
const shownBytesMax = 40

// quoteShort quotes source text for a message, cut where it is long.
func quoteShort(s string) string {
	if len(s) > shownBytesMax {
		cut := shownBytesMax
		for !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return "`" + s + "`"
}

// number reads an integer or a float. All letters and digits that follow are
// part of it, so that `12abc` is one problem and not two tokens.
func (l *lexer) number(t *token) {
	start := l.offset
	if l.text[l.offset] == '-' {
		t.value.negative = true
		l.offset++
	}
	digits := l.offset
	l.offset += identLength(l.text[l.offset:])
	isFloat := false
	if l.at(0) == '.' && isDigit(l.at(1)) {
		isFloat = true
		l.offset++
		l.offset += identLength(l.text[l.offset:])
	}
	hex := strings.HasPrefix(l.text[digits:], "0x")
	if last := l.text[l.offset-1]; !hex && (last == 'e' || last == 'E') && (l.at(0) == '-' || l.at(0) == '+') {
		l.offset++
		l.offset += identLength(l.text[l.offset:])
	}
	text := l.text[digits:l.offset]
	isFloat = isFloat || !hex && !strings.HasPrefix(text, "0b") && strings.ContainsAny(text, "eE")
	t.kind = kindInteger
	if isFloat {
		t.kind = kindFloat
	}
	l.numberValue(t, start, text)
}

func (l *lexer) numberValue(t *token, start int, text string) {
	span := l.span(start, l.offset)
	if !wellFormedNumber(text, t.kind == kindFloat) {
		t.kind = kindInvalid
		l.problems.Error(codeBadNumber, span, "%s is not a number", quoteShort(span.Text())).
			WithHelp("write `12`, `-1_000`, `0xFF`, `0b101`, `0.5` or `1e-6`; `_` stands only between digits")
		return
	}
	plain := strings.ReplaceAll(text, "_", "")
	var err error
	if t.kind == kindFloat {
		t.value.float, err = strconv.ParseFloat(plain, 64)
		if t.value.negative {
			t.value.float = -t.value.float
		}
	} else {
		t.value.magnitude, err = parseInteger(plain)
	}
	if errors.Is(err, strconv.ErrRange) {
		l.problems.Error(codeNumberTooLarge, span, "%s needs more than 64 bits", quoteShort(span.Text()))
		t.kind = kindInvalid
	}
}

// parseInteger reads decimal with any leading zeros, hexadecimal or binary.
func parseInteger(s string) (uint64, error) {
	switch {
	case strings.HasPrefix(s, "0x"):
		return strconv.ParseUint(s[2:], 16, 64)
	case strings.HasPrefix(s, "0b"):
		return strconv.ParseUint(s[2:], 2, 64)
	}
	return strconv.ParseUint(s, 10, 64)
}

// wellFormedNumber checks the digits of each part and where `_` stands.
func wellFormedNumber(s string, float bool) bool {
	if !float {
		switch {
		case strings.HasPrefix(s, "0x"):
			return digitRun(s[2:], 16)
		case strings.HasPrefix(s, "0b"):
			return digitRun(s[2:], 2)
		}
		return digitRun(s, 10)
	}
	mantissa := s
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa = s[:i]
		exponent := strings.TrimPrefix(s[i+1:], "-")
		if exponent == s[i+1:] {
			exponent = strings.TrimPrefix(exponent, "+")
		}
		if !digitRun(exponent, 10) {
			return false
		}
	}
	whole, fraction, found := strings.Cut(mantissa, ".")
	return digitRun(whole, 10) && (!found || digitRun(fraction, 10))
}

// digitRun tells whether s is digits of a base with single `_` between them.
func digitRun(s string, base uint64) bool {
	afterDigit := false
	for i := range len(s) {
		if s[i] == '_' {
			if !afterDigit {
				return false
			}
			afterDigit = false
			continue
		}
		if digitValue(s[i]) >= base {
			return false
		}
		afterDigit = true
	}
	return afterDigit
}

// digitValue returns the value of a hexadecimal digit, and a number that is no
// digit in any base for other bytes.
func digitValue(c byte) uint64 {
	switch {
	case isDigit(c):
		return uint64(c - '0')
	case 'a' <= c && c <= 'f':
		return uint64(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return uint64(c-'A') + 10
	}
	return math.MaxUint64
}

// string reads a string literal, which ends on its line.
func (l *lexer) string(t *token) {
	t.kind = kindString
	start := l.offset
	var out strings.Builder
	l.offset++
	for {
		switch c := l.at(0); {
		case l.offset == len(l.text), c == '\n', c == '\r':
			l.problems.Error(codeUnterminatedString, l.span(start, l.offset), "this string does not end on its line").
				WithHelp("close it with `\"`; a line feed inside is written `\\n`")
			t.kind = kindInvalid
			return
		case c == '"':
			l.offset++
			t.value.text = out.String()
			return
		case c == '\\':
			l.escape(&out)
		default:
			out.WriteByte(c)
			l.offset++
		}
	}
}

var simpleEscapes = map[byte]byte{'"': '"', '\\': '\\', 'n': '\n', 'r': '\r', 't': '\t', '0': 0}

// escape reads one escape of a string, whose backslash is at the offset.
func (l *lexer) escape(b *strings.Builder) {
	start := l.offset
	l.offset++
	if c := l.at(0); l.offset == len(l.text) || c == '\n' || c == '\r' {
		// That the string does not end is reported, and is enough.
		return
	}
	if c, ok := simpleEscapes[l.at(0)]; ok {
		b.WriteByte(c)
		l.offset++
		return
	}
	if l.at(0) == 'u' {
		l.offset++
		if l.unicodeEscape(b) {
			return
		}
	} else {
		_, size := utf8.DecodeRuneInString(l.text[l.offset:])
		l.offset += size
	}
	span := l.span(start, l.offset)
	l.problems.Error(codeBadEscape, span, "%s is not an escape", quoteShort(span.Text())).
		WithHelp("the escapes are `\\\"` `\\\\` `\\n` `\\r` `\\t` `\\0` and `\\u{…}` with 1 to 6 hexadecimal digits of a Unicode scalar value")
}

// unicodeEscape reads `{…}`, and tells whether it names a scalar value.
func (l *lexer) unicodeEscape(b *strings.Builder) bool {
	if l.at(0) != '{' {
		return false
	}
	l.offset++
	var r uint64
	digits := 0
	for ; digitValue(l.at(0)) < 16; l.offset++ {
		if digits++; digits <= 6 {
			r = r*16 + digitValue(l.at(0))
		}
	}
	if l.at(0) != '}' {
		return false
	}
	l.offset++
	if digits < 1 || digits > 6 || r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
		return false
	}
	b.WriteRune(rune(r))
	return true
}
