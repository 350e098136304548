package typescript

import (
	"fmt"
	"strings"
	"unicode"

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
	line = strings.ReplaceAll(source.Visible(line), "*/", "* /")
	for _, word := range []string{"@ts-", "@__PURE__", "#__PURE__", "eslint-", "sourceMappingURL", "sourceURL"} {
		line = strings.ReplaceAll(line, word, word[:1]+" "+word[1:])
	}
	return line
}

// quote is a string literal.
func quote(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out.WriteString(`\` + string(r))
		case r == '\n':
			out.WriteString(`\n`)
		case r != ' ' && !unicode.IsPrint(r) && r < 0x10000:
			fmt.Fprintf(&out, `\u%04x`, r)
		case r != ' ' && !unicode.IsPrint(r):
			fmt.Fprintf(&out, `\u{%x}`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}

// literalText is the value of a string or uuid.
func literalText(v ir.Value) string { return quote(v.Str) }

// headComment prints the comment at the start of a file. Its first words tell JavaScript from a
// compiler's output for TypeScript, where that line is copied.
func (g *generator) headComment(f face) {
	schema := g.pkg.Path[strings.LastIndexAny(g.pkg.Path, `/\`)+1:]
	words := "Code generated"
	if f != typeScript {
		words = "@generated"
	}
	comment(g.Printer, "//", words+" by sdp "+g.options.Version+" from "+schema+". DO NOT EDIT.")
	comment(g.Printer, "//", "", "The types of "+g.pkg.Name+".")
	if len(g.pkg.Doc) > 0 {
		comment(g.Printer, "//", append([]string{""}, g.pkg.Doc...)...)
	}
}

// inJSON is the name that something has in JSON, where that is another, behind a text.
func inJSON(meta *ir.Meta, name, prefix string) string {
	if given, ok := meta.Names[ir.JSON]; ok && given != name {
		return prefix + quote(given)
	}
	return ""
}

// doc prints a comment of JSDoc: the schema's, or a description of the declaration; then notes;
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
