package prose_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/tools/prose"
)

var update = flag.Bool("update", false, "write the debts that there are")

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

// debts lists the pages that were written before the rules, with the faults that each has at most.
const debts = "debts.txt"

// TestPagesAreReadable holds each page of Markdown to its debt, which only falls. A page that is not listed has none.
func TestPagesAreReadable(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(debts)
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string]int{}
	for line := range strings.Lines(string(text)) {
		var file string
		var n int
		if _, err := fmt.Sscan(line, &n, &file); err != nil {
			t.Fatalf("%s: %q: %v", debts, line, err)
		}
		allowed[file] = n
	}
	list := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := strings.Fields(string(out))
	if len(files) < 100 {
		t.Fatalf("there are %d pages, so that the test looks in the wrong place", len(files))
	}
	have := map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(root, file))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		found := prose.Read(string(text)).Faults()
		if len(found) > 0 {
			have[file] = len(found)
		}
		switch {
		case *update:
		case len(found) > allowed[file]:
			t.Errorf("%s costs its readers too much (%d places, %d allowed):", file, len(found), allowed[file])
			for _, f := range found {
				t.Error("    ", f)
			}
		case len(found) < allowed[file]:
			t.Errorf("%s has %d places left of %d: go test ./tools/prose -update lowers its debt", file, len(found), allowed[file])
		}
	}
	if *update {
		var b strings.Builder
		for _, file := range slices.Sorted(maps.Keys(have)) {
			fmt.Fprintf(&b, "%d %s\n", have[file], file)
		}
		if err := os.WriteFile(debts, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
