package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// languages are the languages that pages have programs in, by the first word of a block of code.
var languages = map[string]string{"go": "Go", "rust": "Rust", "cpp": "C++", "ts": "TypeScript", "js": "TypeScript", "python": "Python"}

// piece is some lines of a page that a tab may show. Without a language it is none.
type piece struct {
	language string
	lines    []string
}

var languageHeading = regexp.MustCompile(`^(##+) (Go|Rust|C\+\+|TypeScript|Python)$`)

// tabbed wraps runs of pieces that show the same in several languages, so that tabs.js makes tabs of them: sections
// that follow each other under the names of languages, and blocks of code, each with the paragraph before it. Without
// JavaScript a page shows all of them.
func tabbed(text string) string {
	return strings.Join(wrapped(blocksOfLanguages(wrapped(sectionsOfLanguages(strings.SplitAfter(text, "\n"))))), "")
}

// wrapped joins pieces. A run of two and more different languages gets a division for each.
func wrapped(pieces []piece) (lines []string) {
	for i := 0; i < len(pieces); {
		end := i
		seen := []string{}
		for end < len(pieces) && pieces[end].language != "" && !slices.Contains(seen, pieces[end].language) {
			seen = append(seen, pieces[end].language)
			end++
		}
		if len(seen) < 2 {
			end = i + 1
			lines = append(lines, pieces[i].lines...)
			i = end
			continue
		}
		for ; i < end; i++ {
			lines = append(lines, fmt.Sprintf("<div class=\"language\" data-language=\"%s\">\n", pieces[i].language), "\n")
			lines = append(lines, pieces[i].lines...)
			lines = append(lines, "\n", "</div>\n", "\n")
		}
	}
	return lines
}

// sectionsOfLanguages cuts a page at its headings: a section is of the language that its heading names, up to the
// next heading of that level or a higher one.
func sectionsOfLanguages(lines []string) []piece {
	pieces := []piece{{}}
	level, fence := 0, ""
	for _, line := range lines {
		trimmed := strings.TrimSpace(line)
		fence = fenceAfter(fence, trimmed)
		if fence == "" && strings.HasPrefix(trimmed, "#") {
			depth := len(trimmed) - len(strings.TrimLeft(trimmed, "#"))
			if m := languageHeading.FindStringSubmatch(trimmed); m != nil && (level == 0 || depth <= level) {
				pieces, level = append(pieces, piece{language: m[2]}), depth
			} else if level > 0 && depth <= level {
				pieces, level = append(pieces, piece{}), 0
			}
		}
		last := &pieces[len(pieces)-1]
		last.lines = append(last.lines, line)
	}
	return pieces
}

// blocksOfLanguages cuts a page at its paragraphs: a paragraph and the block of code behind it are one piece of the
// block's language.
func blocksOfLanguages(lines []string) []piece {
	var pieces []piece
	var paragraph []string
	flush := func() {
		if len(paragraph) > 0 {
			pieces = append(pieces, piece{lines: paragraph})
		}
		paragraph = nil
	}
	for i := 0; i < len(lines); i++ {
		trimmed := strings.TrimSpace(lines[i])
		if !strings.HasPrefix(trimmed, "```") {
			if trimmed != "" && i > 0 && strings.TrimSpace(lines[i-1]) == "" {
				flush()
			}
			paragraph = append(paragraph, lines[i])
			continue
		}
		end := i + 1
		for fence := fenceAfter("", trimmed); end < len(lines) && fence != ""; end++ {
			fence = fenceAfter(fence, strings.TrimSpace(lines[end]))
		}
		for end < len(lines) && strings.TrimSpace(lines[end]) == "" {
			end++
		}
		word, _, _ := strings.Cut(strings.TrimLeft(trimmed, "`"), " ")
		word, _, _ = strings.Cut(word, ",")
		isText := len(paragraph) > 0 && !strings.ContainsAny(paragraph[0][:1], "#<|-*")
		language := languages[word]
		if language == "" || !isText {
			flush()
		}
		pieces = append(pieces, piece{language, append(paragraph, lines[i:end]...)})
		paragraph = nil
		i = end - 1
	}
	flush()
	return pieces
}

// fenceAfter is the fence that is open behind a line, or nothing.
func fenceAfter(open, line string) string {
	if !strings.HasPrefix(line, "```") {
		return open
	}
	marks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
	switch open {
	case "":
		return marks
	case marks:
		return ""
	}
	return open
}
