package agreement

import (
	"math/rand/v2"
	"regexp"
	"strings"
)

var token = regexp.MustCompile(`(?s)[ \t\r\n]+|//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|[A-Za-z_][A-Za-z0-9_]*|-?[0-9][0-9A-Za-z_]*(?:\.[0-9]+)?|->|\.\.|.`)

// tokens cuts a text into pieces, white space and comments too, that are it together.
func tokens(text string) []string { return token.FindAllString(text, -1) }

// odd are pieces that change what the pieces around them are.
var odd = []string{
	"", " ", "\n", "\r", "\t", "\x00", "\f", "\v", "\u00A0", "\uFEFF", "\u2028", "é", "\xff", `"`, `""`, `\`, `\"`, `"\u{D800}"`, `"\u{0010FFFF}"`, `"\u{110000}"`, `"\q"`, "/", "//", "///", "////", "//!", "/*", "*/",
	"/**/", "/***/", "/*/", "-", "->", "-1", "0", "1", "0x", "0x_1", "0xfF", "0b", "0b2", "0b1_0", "1_", "1__0", "1_000", "1.", ".5", "1.5", "1e5", "1e", "1E-6", "1e+", "1.5e-3_0", "0x1e-5", "0b1e-5",
	"18446744073709551615", "18446744073709551616", "0x1_0000_0000_0000_0000", "1e308", "1e309", ".", "..", "...", ",", ";", ":", "=", "?", "@", "<", ">", "(", ")", "[", "]", "{", "}", "_", "+", "#", "true", "false",
	"package", "import", "as", "const", "type", "enum", "struct", "message", "union", "service", "call", "stream", "event", "reserved", "Option", "Box", "map", "reserved 3;", "reserved x", "reserved=1", "@a", "@a()", "@a(b=1,)",
	"@max(1)", "\nstruct X {}\n", "\ntype", "\nconst T", "map<a,", "Box<", "?[]", "[true]", "[1]", "a.b.c", "stream x", "option a = 1;", "oneof a { b c = 1; }", "repeated int32 x = 2;", "rpc A(B) returns (C);", "message X {",
}

// mutate changes a text in one to three places.
func mutate(random *rand.Rand, text string, words []string) string {
	for range 1 + random.IntN(3) {
		if random.IntN(5) == 0 {
			text = cutBytes(random, text)
			continue
		}
		pieces := tokens(text)
		if len(pieces) == 0 {
			return odd[random.IntN(len(odd))]
		}
		i, j := random.IntN(len(pieces)), random.IntN(len(pieces))
		switch random.IntN(7) {
		case 0:
			pieces[i] = ""
		case 1:
			pieces[i], pieces[j] = pieces[j], pieces[i]
		case 2:
			pieces[i] += pieces[j]
		case 3:
			pieces[i] = words[random.IntN(len(words))]
		case 4:
			pieces[i] = odd[random.IntN(len(odd))]
		case 5:
			pieces[i] += odd[random.IntN(len(odd))]
		case 6:
			near := min(i+1+random.IntN(3), len(pieces)-1)
			pieces[i], pieces[near] = pieces[near], pieces[i]
		}
		text = strings.Join(pieces, "")
	}
	return text
}

// cutBytes takes some bytes away, wherever characters end.
func cutBytes(random *rand.Rand, text string) string {
	if text == "" {
		return text
	}
	at := random.IntN(len(text))
	switch random.IntN(8) {
	case 0:
		return text[:at]
	case 1:
		return text[at:]
	}
	return text[:at] + text[min(at+1+random.IntN(4), len(text)):]
}
