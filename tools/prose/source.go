package prose

import (
	"path/filepath"
	"regexp"
	"strings"
)

// commentMarks are what whole lines of comment begin with, by the ending of a source's name.
var commentMarks = map[string]*regexp.Regexp{
	".go": slashes, ".java": slashes, ".rs": slashes, ".cpp": slashes, ".hpp": slashes, ".h": slashes, ".ts": slashes, ".mjs": slashes, ".js": slashes, ".sdp": slashes,
	".py": hash, ".sh": hash, ".toml": hash, ".yml": hash, ".cmake": hash,
}

var (
	slashes = regexp.MustCompile(`^(?://[/!]?|/?\*+/?)(?: |$)`)
	hash    = regexp.MustCompile(`^#(?: |$)`)
	// literal is a text between quotation marks within a line.
	literal = regexp.MustCompile("\"(?:[^\"\\\\\\n]|\\\\.)*\"|`[^`\\n]*`")
	// escape is a part of a literal that is no text: an escape, or a place for a value.
	escape = regexp.MustCompile(`\\[nt"\\]|%[-+#0-9.*]*[a-zA-Z]|\$?\{[^}]*\}`)
	// instruction is a comment for a tool, and no sentence.
	instruction = regexp.MustCompile(`^(go:|nolint|clang-format|NOLINT|eslint|@ts-|ts-|#|SPDX|rustfmt|-{3,}|={3,}|Code generated)`)
)

// IsSource says whether ReadSource knows how comments look in a file.
func IsSource(file string) bool { return commentMarks[filepath.Ext(file)] != nil }

// ReadSource finds the sentences of a source: the sentences of its comments, and of its texts, which are literals
// of four words and more. A block of comments is a page of Markdown.
func ReadSource(file, text string) (comments, texts []Sentence) {
	marks := commentMarks[filepath.Ext(file)]
	var block []string
	first := 0
	flush := func() {
		for _, s := range Read(strings.Join(block, "\n")).Sentences {
			s.Line += first - 1
			comments = append(comments, s)
		}
		block = nil
	}
	for n, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if mark := marks.FindString(trimmed); mark != "" && mark != "*" {
			rest := strings.TrimSuffix(trimmed[len(mark):], "*/")
			if instruction.MatchString(rest) {
				rest = ""
			}
			if len(block) == 0 {
				first = n + 1
			}
			block = append(block, rest)
			continue
		}
		flush()
		if marks == hash {
			continue
		}
		for _, quoted := range literal.FindAllString(trimmed, -1) {
			said := strings.TrimSpace(escape.ReplaceAllString(quoted[1:len(quoted)-1], " CODE "))
			if len(strings.Fields(said)) < 4 {
				continue
			}
			for _, s := range Read(said).Sentences {
				s.Line = n + 1
				texts = append(texts, s)
			}
		}
	}
	flush()
	return comments, texts
}
