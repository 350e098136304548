package emit

import (
	"strings"
	"unicode"
)

// Words splits an identifier of a schema into lower-case words, at underscores
// and at changes of case: "display_name", "HTTPServer2" and "minValue" are
// [display name], [http server2] and [min value].
func Words(name string) []string {
	var words []string
	var word []rune
	runes := []rune(name)
	flush := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = nil
		}
	}
	for i, r := range runes {
		switch {
		case r == '_' || r == '.':
			flush()
			continue
		case unicode.IsUpper(r) && len(word) > 0:
			follows := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if !unicode.IsUpper(runes[i-1]) || follows {
				flush()
			}
		}
		word = append(word, r)
	}
	flush()
	return words
}

// UpperCamel joins words as in "DisplayName".
func UpperCamel(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(Capital(w))
	}
	return b.String()
}

// Snake joins words as in "display_name".
func Snake(words []string) string { return strings.Join(words, "_") }

// Capital makes a word's first letter a capital.
func Capital(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}
