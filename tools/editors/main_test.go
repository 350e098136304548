package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

const root = "../.."

func TestQueriesOfEditorsAreAsWritten(t *testing.T) {
	for _, e := range editors {
		for _, name := range e.files {
			want, err := e.query(root, name)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(root, e.folder, name)
			if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s is not what go run ./tools/editors writes (%v)", file, err)
			}
		}
	}
}

func TestNamesOfClassesAreReplacedWhole(t *testing.T) {
	helix := editors[1]
	text, err := helix.query(root, "highlights.scm")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"(integer) @constant.numeric.integer\n", "(float) @constant.numeric.float\n", "(#match? @type ", "(field name: (identifier) @variable.other.member)"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// colouring are the files that list the words of the language and its types, each in the
// manner of its editor.
var colouring = []string{
	"editors/tree-sitter-sdp/queries/highlights.scm",
	"editors/vscode/syntaxes/sdp.tmLanguage.json",
	"editors/emacs/sdp-mode.el",
}

// The types are the types of the language, which spec/scalars.toml declares, and the words the
// words of the grammar: an addition to the language fails here until every editor has it.
func TestEditorsKnowTheWordsOfTheLanguage(t *testing.T) {
	words := []string{
		"package", "import", "as", "const", "type", "enum", "struct", "message", "union", "service", "call", "stream", "event", "reserved",
		"true", "false", "Option", "Box", "map", "str", "string", "bytes",
	}
	for _, scalar := range ir.Scalars() {
		words = append(words, scalar.String())
	}
	grammar, err := os.ReadFile(filepath.Join(root, "editors/tree-sitter-sdp/grammar.js"))
	if err != nil {
		t.Fatal(err)
	}
	spec, err := os.ReadFile(filepath.Join(root, "spec/grammar.ebnf"))
	if err != nil {
		t.Fatal(err)
	}
	in := func(text []byte) map[string]bool {
		found := map[string]bool{}
		for _, word := range regexp.MustCompile(`"([A-Za-z]{2,})"`).FindAllSubmatch(text, -1) {
			found[string(word[1])] = true
		}
		return found
	}
	written := in(grammar)
	for word := range in(spec) {
		if !written[word] {
			t.Errorf("the grammar lacks %q, a word of spec/grammar.ebnf", word)
		}
		if !slices.Contains(words, word) {
			t.Errorf("spec/grammar.ebnf has the word %q, and this test has not", word)
		}
	}
	for _, name := range colouring {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		known := map[string]bool{}
		for _, word := range regexp.MustCompile(`[A-Za-z]\w*`).FindAll(text, -1) {
			known[string(word)] = true
		}
		for _, word := range words {
			if isBoolean := word == "true" || word == "false"; isBoolean && filepath.Ext(name) == ".scm" {
				continue // a node of the grammar
			}
			// In TextMate's JSON a word may stand behind an escape, as in \\bas.
			if !known[word] && !known["b"+word] {
				t.Errorf("%s lacks the word %q", name, word)
			}
		}
	}
}
