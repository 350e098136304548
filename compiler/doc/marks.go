package doc

import (
	"fmt"
	"strings"
)

// plain is text in which Markdown sees no marks, and HTML no tags.
func plain(text string) string {
	var out strings.Builder
	for _, r := range strings.ReplaceAll(text, "\n", " ") {
		switch {
		case r == '<':
			out.WriteString("&lt;")
		case r == '>':
			out.WriteString("&gt;")
		case r == '&':
			out.WriteString("&amp;")
		case strings.ContainsRune("\\`*_{}[]#|~!", r):
			out.WriteByte('\\')
			out.WriteRune(r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// codeText is text as code, behind marks that are longer than any in it.
func codeText(text string) string {
	text = strings.ReplaceAll(text, "\n", " ")
	if text == "" {
		return ""
	}
	marks := strings.Repeat("`", longestRun(text)+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || strings.HasPrefix(text, " ") && strings.HasSuffix(text, " ") {
		text = " " + text + " "
	}
	return marks + text + marks
}

// inTable is Markdown as a cell of a table may have it: bars end cells even in code.
func inTable(text string) string {
	var out strings.Builder
	escaped := false
	for _, r := range text {
		if r == '|' && !escaped {
			out.WriteByte('\\')
		}
		escaped = r == '\\' && !escaped
		out.WriteRune(r)
	}
	return out.String()
}

func fenced(language, text string) string {
	marks := strings.Repeat("`", max(3, longestRun(text)+1))
	return marks + language + "\n" + text + "\n" + marks + "\n"
}

// longestRun is how many backticks stand behind each other in a text at most.
func longestRun(text string) int {
	longest, run := 0, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

func linkTo(text, href string) string { return "[" + plain(text) + "](" + href + ")" }

// spelledText is a type; code has no links in it, so that it is in pieces.
func spelledText(pieces []link) string {
	var out strings.Builder
	for _, p := range pieces {
		switch {
		case p.Href != "":
			out.WriteString("[" + codeText(p.Text) + "](" + p.Href[:strings.IndexByte(p.Href+"#", '#')] + ")")
		case strings.TrimSpace(p.Text) == "":
			out.WriteString(p.Text)
		default:
			text := strings.TrimRight(p.Text, " ")
			out.WriteString(codeText(text) + p.Text[len(text):])
		}
	}
	return out.String()
}

// usesText are links in a line.
func usesText(uses []link) string {
	var all []string
	for _, u := range uses {
		all = append(all, "["+codeText(u.Text)+"]("+u.Href[:strings.IndexByte(u.Href+"#", '#')]+")")
	}
	return strings.Join(all, ", ")
}

// about writes the documentation of a page's subject.
func (o *sheet) about(c common) {
	if c.Deprecated {
		o.paragraph(c.deprecation())
	}
	o.WriteString(c.Doc.markdown(""))
	if len(c.Custom) > 0 {
		o.paragraph(c.attributes())
	}
}

func (c common) deprecation() string {
	if c.Reason == "" {
		return "**Deprecated.**"
	}
	return "**Deprecated:** " + plain(c.Reason)
}

func (c common) attributes() string {
	var all []string
	for _, text := range c.Custom {
		all = append(all, codeText(text))
	}
	return strings.Join(all, " ")
}

// cell is all that is said of something, in a cell of a table.
func (c common) cell() string {
	var parts []string
	if c.Deprecated {
		parts = append(parts, c.deprecation())
	}
	parts = append(parts, c.Doc.lines()...)
	if len(c.Custom) > 0 {
		parts = append(parts, inTable(c.attributes()))
	}
	return strings.Join(parts, "<br>")
}

// lines are the comment's blocks, each in a line.
func (c comment) lines() []string {
	var all []string
	for _, b := range c {
		switch b.kind {
		case paragraph:
			all = append(all, inTable(spansMarkdown(b.spans)))
		case heading:
			all = append(all, inTable(emphasized("**", b.spans)))
		case code:
			for line := range strings.SplitSeq(b.text, "\n") {
				if strings.TrimSpace(line) != "" {
					all = append(all, inTable(codeText(line)))
				}
			}
		case quotation, item:
			all = append(all, comment(b.blocks).lines()...)
		case list:
			for _, i := range b.blocks {
				for n, line := range comment(i.blocks).lines() {
					all = append(all, map[bool]string{true: "• ", false: ""}[n == 0]+line)
				}
			}
		case rule:
		}
	}
	return all
}

// markdown is the comment as blocks, each line behind a prefix.
func (c comment) markdown(prefix string) string {
	var out strings.Builder
	for _, b := range c {
		out.WriteString(strings.TrimRight(prefix, " ") + "\n")
		switch b.kind {
		case paragraph:
			out.WriteString(prefix + lineStart(spansMarkdown(b.spans)) + "\n")
		case heading:
			out.WriteString(prefix + emphasized("**", b.spans) + "\n")
		case code:
			for line := range strings.Lines(fenced("text", b.text)) {
				out.WriteString(prefix + line)
			}
		case quotation:
			out.WriteString(strings.TrimPrefix(comment(b.blocks).markdown(prefix+"> "), prefix+">\n"))
		case list:
			for i, it := range b.blocks {
				sign := "* "
				if b.ordered {
					sign = fmt.Sprintf("%d. ", b.start+i)
				}
				indent := strings.Repeat(" ", len(sign))
				text := comment(it.blocks).markdown(prefix + indent)
				text = strings.TrimPrefix(text, strings.TrimRight(prefix+indent, " ")+"\n")
				out.WriteString(prefix + sign + strings.TrimPrefix(text, prefix+indent))
				if text == "" {
					out.WriteByte('\n')
				}
			}
		case item:
		case rule:
			out.WriteString(prefix + "---\n")
		}
	}
	return out.String()
}

// lineStart escapes what would begin a list, a title or a rule at the start of a line.
func lineStart(text string) string {
	digits := strings.TrimLeft(text, "0123456789")
	switch {
	case text == "":
		return text
	case strings.ContainsRune("-+=", rune(text[0])):
		return `\` + text
	case len(digits) < len(text) && digits != "" && (digits[0] == '.' || digits[0] == ')'):
		return text[:len(text)-len(digits)] + `\` + digits
	}
	return text
}

func spansMarkdown(spans []span) string {
	var out strings.Builder
	for _, s := range spans {
		switch s.kind {
		case plainSpan:
			out.WriteString(plain(s.text))
		case codeSpan:
			out.WriteString(codeText(s.text))
		case emphasis:
			out.WriteString(emphasized("*", s.spans))
		case strong:
			out.WriteString(emphasized("**", s.spans))
		case linkSpan:
			out.WriteString("[" + spansMarkdown(s.spans) + "](<" + strings.NewReplacer("<", "%3C", ">", "%3E", "\\", "%5C", "|", "%7C").Replace(s.href) + ">)")
		case lineBreak:
			out.WriteString("<br>")
		}
	}
	return strings.TrimSpace(out.String())
}

func emphasized(marks string, spans []span) string {
	if text := spansMarkdown(spans); text != "" {
		return marks + text + marks
	}
	return ""
}
