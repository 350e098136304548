// Package mangled makes texts that are almost schemas: tests hold against them what
// must be true of any text.
package mangled

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// piece is a piece of a cut text: a comment, string, word, blank or sign.
var piece = regexp.MustCompile(`//[^\n]*|(?s:/\*.*?\*/)|"(?:[^"\\\n]|\\.)*"|[A-Za-z0-9_]+|[ \t]+|\r?\n|(?s:.)`)

// strange are pieces that are put anywhere.
var strange = []string{
	"\n", "\n\n", "\r\n", " ", ",", ";", "{", "}", "(", ")", "?", "// c\n", "/// d\n", "//! e\n", "/* f */", "/* g\n */", " // h\r\n",
	"reserved", "struct", "\nstruct E {}\n", "message", "@since(2) ", "@deprecated ", "@max(3) ", "@x.y(1) ", "u8", "= 1", "..", "->", "1", "\"s\"", "E",
}

// Text changes a few pieces of a text: they are left out, repeated, swapped, or
// something else is put before them.
func Text(r *rand.Rand, text string) string {
	pieces := piece.FindAllString(text, -1)
	for range 1 + r.IntN(3) {
		if len(pieces) < 2 {
			break
		}
		i := r.IntN(len(pieces) - 1)
		switch r.IntN(6) {
		case 0:
			pieces = slices.Delete(pieces, i, i+1)
		case 1:
			pieces = slices.Insert(pieces, i, pieces[i])
		case 2:
			pieces[i], pieces[i+1] = pieces[i+1], pieces[i]
		case 3:
			pieces[i] = pieces[r.IntN(len(pieces))]
		default:
			pieces = slices.Insert(pieces, i, strange[r.IntN(len(strange))])
		}
	}
	return strings.Join(pieces, "")
}

// Short is a run of a text's lines, so that one change meets another more often.
func Short(r *rand.Rand, text string) string {
	lines := strings.SplitAfter(text, "\n")
	start := r.IntN(len(lines))
	return strings.Join(lines[start:min(len(lines), start+1+r.IntN(12))], "")
}
