package names

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
		b.WriteString(capital(w))
	}
	return b.String()
}

// Snake joins words as in "display_name".
func Snake(words []string) string { return strings.Join(words, "_") }

// capital makes a word's first letter a capital.
func capital(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

// camel is a schema's name as that of a type: as it stands where it is one already.
// A name without a letter in front, as schemas may have, gets one.
func camel(name string) string {
	if 'A' <= name[0] && name[0] <= 'Z' && !strings.Contains(name, "_") {
		return name
	}
	text := UpperCamel(Words(name))
	if text == "" || text[0] < 'A' || text[0] > 'Z' {
		return "X" + text // the name starts with a digit, or is all underscores
	}
	return text
}

// snake is a schema's name in snake case. A name without a letter in front gets one.
func snake(name string) string {
	text := Snake(Words(name))
	if text == "" || '0' <= text[0] && text[0] <= '9' {
		return "x" + text
	}
	return text
}

// join is the name of a generated thing of a type. The underscore of a name that is taken stays the
// last.
func join(name, suffix string) string {
	if base, ok := strings.CutSuffix(name, "_"); ok {
		return base + suffix + "_"
	}
	return name + suffix
}

// set is a set of the words of a text.
func set(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// beside puts an underscore behind a name that is taken.
func beside(names map[string]bool, name string) string {
	if names[name] {
		return name + "_"
	}
	return name
}

// devices are names that Windows gives no file and no folder, with any ending.
var devices = set(`aux con nul prn com0 com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt0 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9`)

// IsDevice tells whether no file of Windows has a name.
func IsDevice(name string) bool { return devices[strings.ToLower(name)] }

// FileStem is the name of a package's file without its ending.
func FileStem(name string) string {
	stem := strings.ReplaceAll(name, ".", "_")
	if IsDevice(stem) {
		return stem + "_"
	}
	return stem
}
