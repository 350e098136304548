package typescript

import (
	"encoding/json"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

// All text of a schema that is no name gets into TypeScript by this file: as lines of
// a comment or as a literal, in which no text can be code.

// comment prints lines of a comment behind a marker.
func comment(p *emit.Printer, marker string, lines ...string) {
	for _, line := range lines {
		p.Line("%s", strings.TrimRight(marker+" "+plain(line), " "))
	}
}

// plain is a line of a schema's comment that ends none, and tells no tool what to do.
func plain(line string) string {
	line = strings.ReplaceAll(source.Visible(line), "*/", "*\u2060/")
	for _, word := range []string{"@ts-", "@__PURE__", "#__PURE__", "eslint-", "sourceMappingURL", "sourceURL"} {
		line = strings.ReplaceAll(line, word, word[:1]+"\u2060"+word[1:])
	}
	return line
}

// quote is a string literal.
func quote(text string) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out) // with U+2028 and U+2029 escaped
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		panic(err) // of a string there is none
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// doc prints a comment of JSDoc: the schema's, or one that says what it is; then notes;
// then that it is deprecated.
func (g *generator) doc(meta *ir.Meta, otherwise string, notes ...string) {
	lines := make([]string, 0, len(meta.Doc)+2)
	for _, line := range meta.Doc {
		lines = append(lines, tagless(line))
	}
	if len(lines) == 0 && otherwise != "" {
		lines = []string{otherwise}
	}
	for _, note := range notes {
		lines = append(lines, "", note)
	}
	if meta.Deprecated != nil {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, strings.TrimSpace("@deprecated "+tagless(*meta.Deprecated)))
	}
	switch {
	case len(lines) == 0:
	case len(lines) == 1:
		g.Line("/** %s */", plain(lines[0]))
	default:
		g.Line("/**")
		comment(g.Printer, " *", lines...)
		g.Line(" */")
	}
}

// tagless is a line of a schema's comment in which nothing is a tag of JSDoc's.
func tagless(line string) string {
	if strings.HasPrefix(strings.TrimSpace(line), "@") {
		return strings.Replace(line, "@", "\\@", 1)
	}
	return line
}
