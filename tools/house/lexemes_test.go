package house_test

import (
	"strings"
	"unicode"
)

// lexeme is a word, a literal or a sign of a source in C++, Rust or TypeScript.
type lexeme struct {
	text       string
	start, end int
	isWord     bool
	isApart    bool // A space or a comment is before it.
}

// signs are the signs of more than one character that a reader of parameters has to know as one.
var signs = []string{"...", "->", "::", "=>", "&&", "||", "==", "!=", "<=", ">=", "?.", "??"}

// lexemesOf splits a source, without its comments and lines of C++'s preprocessor.
func lexemesOf(source, language string) (lexemes []lexeme) {
	for i := 0; i < len(source); {
		start := i
		switch skipped := skippedAt(source, i, language); {
		case skipped > 0:
			i += skipped
			continue
		case isWordByte(source[i]):
			for i < len(source) && isWordByte(source[i]) {
				i++
			}
		default:
			i += literalOrSign(source[i:], language, lexemes)
		}
		isWord := isWordByte(source[start]) && !unicode.IsDigit(rune(source[start]))
		isApart := start == 0 || strings.ContainsRune(" \n\t/", rune(source[start-1]))
		lexemes = append(lexemes, lexeme{source[start:i], start, i, isWord, isApart})
	}
	return lexemes
}

func isWordByte(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c))
}

// skippedAt gives the length of the space, comment or line of the preprocessor at a position.
func skippedAt(source string, i int, language string) int {
	rest := source[i:]
	switch {
	case strings.ContainsRune(" \n\t\r", rune(rest[0])):
		return 1
	case strings.HasPrefix(rest, "//"):
		return lengthTo(rest, "\n")
	case strings.HasPrefix(rest, "/*"):
		return lengthTo(rest, "*/")
	case language == "cpp" && rest[0] == '#' && strings.TrimSpace(source[strings.LastIndexByte(source[:i], '\n')+1:i]) == "":
		length := lengthTo(rest, "\n")
		for strings.HasSuffix(rest[:length], "\\\n") {
			length += lengthTo(rest[length:], "\n")
		}
		return length
	}
	return 0
}

func lengthTo(text, end string) int {
	if i := strings.Index(text, end); i >= 0 {
		return i + len(end)
	}
	return len(text)
}

// literalOrSign gives the length of what begins with no letter. The lexemes before it tell a
// regular expression from a division.
func literalOrSign(rest, language string, before []lexeme) int {
	last := ""
	if len(before) > 0 {
		last = before[len(before)-1].text
	}
	switch c := rest[0]; {
	case c == '"' && language == "cpp" && last == "R":
		return lengthTo(rest, ")"+rest[1:max(1, strings.IndexByte(rest, '('))]+`"`)
	case language == "rust" && (last == "r" || last == "br") && strings.HasPrefix(strings.TrimLeft(rest, "#"), `"`):
		open := lengthTo(rest, `"`)
		return open + lengthTo(rest[open:], `"`+rest[:open-1])
	case c == '\'' && language == "rust" && !isCharacter(rest):
		return 1 // A lifetime.
	case c == '\'' && language == "cpp" && last != "" && unicode.IsDigit(rune(last[0])):
		return 1 // A separator of digits.
	case c == '"' || c == '\'' || c == '`' && language == "ts":
		return quoted(rest)
	case c == '/' && language == "ts" && strings.Contains("( , = : [ ! && || ? { } ; => return", last):
		return quoted(rest)
	}
	for _, sign := range signs {
		if strings.HasPrefix(rest, sign) {
			return len(sign)
		}
	}
	return 1
}

func isCharacter(rest string) bool {
	runes := []rune(rest[:min(len(rest), 12)])
	return len(runes) > 2 && (runes[1] == '\\' || runes[2] == '\'')
}

// quoted gives the length of a literal that ends with the character that it begins with.
func quoted(rest string) int {
	isClass := false
	for i := 1; i < len(rest); i++ {
		switch {
		case rest[i] == '\\':
			i++
		case rest[0] == '/' && (rest[i] == '[' || rest[i] == ']'):
			isClass = rest[i] == '['
		case rest[i] == rest[0] && !isClass:
			return i + 1
		}
	}
	return len(rest)
}
