package rust

import (
	"regexp"
	"slices"
	"strings"
)

// markdown is documentation of a schema as rustdoc may have it. rustdoc takes
// blocks of code for Rust, which `cargo test` compiles and runs, unless they say
// that they are something else. So every block of code begins at the margin and
// names a language that is not Rust, and nothing else looks like the start of
// one: not in a list or a quotation, not by its indentation, and not behind
// HTML, in which Markdown sees no blocks.
func markdown(lines []string) []string {
	var out []string
	afterBlank := true
	for len(lines) > 0 {
		block := 0
		if mark, language := fence(lines[0]); mark != "" {
			out, block = fenced(out, lines, mark, language)
		} else if afterBlank && isIndented(lines[0]) {
			out, block = indented(out, lines)
		}
		if block > 0 {
			lines, afterBlank = lines[block:], false
			continue
		}
		out = append(out, flowing(lines[0]))
		afterBlank = strings.TrimSpace(lines[0]) == ""
		lines = lines[1:]
	}
	return out
}

// languages are the languages that a block may name. rustdoc takes unknown words for languages, but
// no list has the languages that it will know.
var languages = strings.Fields(`
	bash c console cpp csv go hex html java javascript json proto python sdp sh sql text toml txt typescript xml yaml
`)

var fenceStart = regexp.MustCompile("^[ \t]*(`{3,}|~{3,})(.*)$")

// fence is the mark that opens a block, and the language that the block is said
// to be; an empty mark where a line opens none.
func fence(line string) (mark, language string) {
	parts := fenceStart.FindStringSubmatch(line)
	if parts == nil || parts[1][0] == '`' && strings.Contains(parts[2], "`") {
		return "", ""
	}
	if language = strings.TrimSpace(parts[2]); !slices.Contains(languages, language) {
		language = "text"
	}
	return parts[1], language
}

// fenced adds a block up to the mark that closes it, and returns how many lines
// it has.
func fenced(output, lines []string, mark, language string) ([]string, int) {
	output = append(output, mark+language)
	for i, line := range lines[1:] {
		if end := strings.TrimSpace(line); strings.HasPrefix(end, mark) && strings.Trim(end, mark[:1]) == "" {
			return append(output, mark), i + 2
		}
		output = append(output, line)
	}
	return append(output, mark), len(lines)
}

const codeIndent = 4

// indented adds a block that its indentation makes one, between marks.
func indented(output, lines []string) ([]string, int) {
	n, mark := 0, "```"
	for i, line := range lines {
		if isIndented(line) {
			n = i + 1
		} else if strings.TrimSpace(line) != "" {
			break
		}
	}
	for _, line := range lines[:n] {
		for strings.Contains(line, mark) {
			mark += "`"
		}
	}
	output = append(output, mark+"text")
	for _, line := range lines[:n] {
		rest, indent := unindented(line)
		output = append(output, strings.Repeat(" ", max(0, indent-codeIndent))+rest)
	}
	return append(output, mark), n
}

func isIndented(line string) bool {
	rest, indent := unindented(line)
	return indent >= codeIndent && rest != ""
}

// unindented is a line without the white space before it, and the columns of that.
func unindented(line string) (rest string, columns int) {
	for i := range len(line) {
		switch line[i] {
		case ' ':
			columns++
		case '\t':
			columns += codeIndent - columns%codeIndent
		default:
			return line[i:], columns
		}
	}
	return "", 0
}

var (
	// containers are the starts of quotations, list items and footnotes.
	containers = regexp.MustCompile(`^(?:(?:>|[-+*][ \t]|[0-9]{1,9}[.)][ \t]|\[\^[^\]]*\]:)[ \t]*)+`)
	spaces     = regexp.MustCompile(`[ \t]+`)
	html       = regexp.MustCompile(`^<[/!?A-Za-z]`)
	link       = regexp.MustCompile(`^<[A-Za-z][A-Za-z0-9+.-]*[:@]`)
)

// flowing is a line that is in no block of code, and starts none.
func flowing(line string) string {
	rest, indent := unindented(line)
	start := strings.Repeat(" ", min(indent, codeIndent-1))
	if held := containers.FindString(rest); held != "" {
		start += spaces.ReplaceAllString(held, " ")
		rest = rest[len(held):]
		if mark, _ := fence(rest); mark != "" {
			return start + `\` + rest
		}
	}
	if html.MatchString(rest) && !link.MatchString(rest) {
		return start + `\` + rest
	}
	return start + rest
}
