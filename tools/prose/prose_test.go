package prose_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/tools/prose"
)

var update = flag.Bool("update", false, "write the debts that there are")

func TestSentencesOfSourcesAreFound(t *testing.T) {
	source := strings.ReplaceAll(`package a

§ Whoever reads it is told.
§ One more.
§go:embed x
var a = "those that wait are asked" § What is this
/* Requests wait. */
var b, c = fmt.Errorf("who waits %d of 3", n), "two words"
`, "§", "//")
	comments, texts := prose.ReadSource("a.go", source)
	if len(comments) != 3 || comments[0].Line != 3 || len(texts) != 2 || texts[0].Line != 6 || texts[1].Text != "who waits CODE of 3" {
		t.Errorf("comments %v, texts %v", comments, texts)
	}
}

func TestBentSentencesAreFound(t *testing.T) {
	for text, want := range map[string]int{
		"Who has connected is in each request.":                                1,
		"Who may connect?":                                                     0,
		"What fails is an `MxpError`.":                                         1,
		"# What is new\n\nText.":                                               1,
		"# What is new?\n\nText.":                                              0,
		"It is the node that decides.":                                         1,
		"A server refuses those that lie.":                                     1,
		"The log has the one that came last.":                                  1,
		"A peer of what is asked.":                                             1,
		"Agents get what they shall have.":                                     1,
		"Requests, whatever they cost, are counted.":                           1,
		"The server counts requests. It refuses the rest.":                     0,
		"```\nWho has connected is code.\n```":                                 0,
		"| a | Who may connect is a rule |\n|---|---|":                         1,
		"* Failed requests throw.\n* What fails throws.":                       1,
		"One. Two words.\n" + strings.Repeat("word ", 46) + ".":                1,
		strings.Repeat(strings.Repeat("word ", 21)+".\n\n", 3):                 1,
		"Links count by [their text](whatever.md), code by a `word or three`.": 0,
	} {
		if found := prose.Read(text).Faults(); len(found) != want {
			t.Errorf("%q has %d faults, and should have %d: %v", text, len(found), want, found)
		}
	}
	page := prose.Read("One `two words` three. Next [to it](x.md)!\n\n| a b | c |\n")
	if len(page.Sentences) != 4 || page.Words != 9 || page.Mean() != 3 || page.Minutes() != 1 {
		t.Errorf("%d sentences, %d words, %v a sentence: %v", len(page.Sentences), page.Words, page.Mean(), page.Sentences)
	}
}

// debt is a list of pages or folders from before the rules, with the most faults that each may have. It only falls.
type debt struct {
	file    string
	allowed map[string]int
}

func readDebt(t *testing.T, file string) debt {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d := debt{file, map[string]int{}}
	for line := range strings.Lines(string(text)) {
		var place string
		var n int
		if _, err := fmt.Sscan(line, &n, &place); err != nil {
			t.Fatalf("%s: %q: %v", file, line, err)
		}
		d.allowed[place] = n
	}
	return d
}

// compare holds the faults of each place against its debt, or writes them as the debt.
func (d debt) compare(t *testing.T, have map[string][]string) {
	t.Helper()
	if *update {
		var b strings.Builder
		for _, place := range slices.Sorted(maps.Keys(have)) {
			fmt.Fprintf(&b, "%d %s\n", len(have[place]), place)
		}
		if err := os.WriteFile(d.file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for place := range d.allowed {
		if _, ok := have[place]; !ok {
			have[place] = nil
		}
	}
	for _, place := range slices.Sorted(maps.Keys(have)) {
		switch found, allowed := have[place], d.allowed[place]; {
		case len(found) > allowed:
			t.Errorf("%s costs its readers too much (%d places, %d allowed):\n    %s", place, len(found), allowed, strings.Join(found, "\n    "))
		case len(found) < allowed:
			t.Errorf("%s has %d places left of %d: go test ./tools/prose -update lowers its debt", place, len(found), allowed)
		}
	}
}

// filesOf are files of the repository with their texts.
func filesOf(t *testing.T, patterns ...string) map[string]string {
	t.Helper()
	root := filepath.Join("..", "..")
	list := exec.Command("git", append([]string{"ls-files", "--cached", "--others", "--exclude-standard"}, patterns...)...)
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, file := range strings.Fields(string(out)) {
		text, err := os.ReadFile(filepath.Join(root, file))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		files[file] = string(text)
	}
	return files
}

// TestPagesAreReadable holds each page of Markdown to its debt. A page that is not listed has none.
func TestPagesAreReadable(t *testing.T) {
	files := filesOf(t, "*.md")
	if len(files) < 100 {
		t.Fatalf("there are %d pages, so that the test looks in the wrong place", len(files))
	}
	have := map[string][]string{}
	for file, text := range files {
		for _, f := range prose.Read(text).Faults() {
			have[file] = append(have[file], f.String())
		}
	}
	readDebt(t, "debts.txt").compare(t, have)
}

// wordsMax is the length of all pages for users, and generatedPages the pages that data write, which nobody reads
// whole.
const wordsMax = 45_000

var generatedPages = regexp.MustCompile(`^docs/(endpoints|cli|troubleshooting|guide/tables-.*)\.md$`)

// TestDocumentsStayShort counts the words of README and of the pages that people write.
func TestDocumentsStayShort(t *testing.T) {
	words, pages := 0, 0
	for file, text := range filesOf(t, "README.md", "docs/*.md") {
		if file != "README.md" && !strings.HasPrefix(file, "docs/") || generatedPages.MatchString(file) {
			continue
		}
		pages++
		words += prose.Read(text).Words
	}
	if pages < 40 || words > wordsMax {
		t.Errorf("%d pages have %d words, and may have %d", pages, words, wordsMax)
	}
}

// isTest says whether a source is of a test, whose texts no user reads.
var isTest = regexp.MustCompile(`_test\.go$|\.test\.(ts|mjs)$|/tests/`)

// TestSourcesArePlain holds the comments of each folder to its debt, and the texts that programs print to the rules.
func TestSourcesArePlain(t *testing.T) {
	comments, texts := map[string][]string{}, 0
	for file, text := range filesOf(t) {
		if !prose.IsSource(file) || strings.Contains(text[:min(len(text), 300)], "DO NOT EDIT") {
			continue
		}
		inComments, inTexts := prose.ReadSource(file, text)
		parts := strings.Split(file, "/")
		place := strings.Join(parts[:min(2, len(parts)-1)], "/") + "/"
		for _, s := range inComments {
			if reason := prose.Bent(s.Text); reason != "" {
				comments[place] = append(comments[place], fmt.Sprintf("%s:%d: %s: %s", file, s.Line, reason, s.Text))
			}
		}
		if isTest.MatchString(file) || strings.HasPrefix(file, "tools/prose/") {
			continue
		}
		texts += len(inTexts)
		for _, s := range inTexts {
			if reason := prose.Bent(s.Text); reason != "" {
				t.Errorf("%s:%d: %s: %q", file, s.Line, reason, s.Text)
			}
		}
	}
	if texts < 3000 {
		t.Errorf("there are %d texts, so that the test looks in the wrong place", texts)
	}
	readDebt(t, "debts_of_comments.txt").compare(t, comments)
}
