package main

import (
	"strings"
	"testing"
)

// TestPlaygroundHasAFolderOfItsOwn looks at what copying it would find there.
func TestPlaygroundHasAFolderOfItsOwn(t *testing.T) {
	t.Chdir("../..")
	tracked, err := trackedFiles()
	if err != nil {
		t.Fatal(err)
	}
	for name := range tracked {
		if name == playgroundAt || strings.HasPrefix(name, playgroundAt+"/") {
			t.Errorf("%s is a chapter's or a picture's place, too", name)
		}
	}
	if !tracked["playground/README.md"] {
		t.Error("there is no chapter in playground/")
	}
}

// TestPartsAreTheHeadingsOfTheIndex looks at the order that a reader of docs/README.md has chosen there.
func TestPartsAreTheHeadingsOfTheIndex(t *testing.T) {
	t.Chdir("../..")
	tracked, err := trackedFiles()
	if err != nil {
		t.Fatal(err)
	}
	b := newBook(tracked)
	var titles []string
	chapters := 0
	for _, p := range b.parts {
		titles = append(titles, p.title)
		chapters += len(p.files)
	}
	if got, want := strings.Join(titles, ", "), "Start, Guides, Reference, Explanations, Specification, Examples, Development"; got != want {
		t.Errorf("the parts are %s, and should be %s", got, want)
	}
	if start := b.parts[0].files; len(start) < 6 || start[0] != "docs/README.md" || start[1] != "docs/start/go.md" {
		t.Errorf("the first part has %v", start)
	}
	for name := range tracked {
		if strings.HasPrefix(name, "docs/") && strings.HasSuffix(name, ".md") && !b.chapters[name] {
			t.Errorf("%s is no chapter", name)
		}
	}
	if chapters+1 != len(b.chapters) {
		t.Errorf("%d chapters are in parts, of %d", chapters, len(b.chapters))
	}
}

// TestLanguagesThatShowTheSameAreWrapped looks at blocks that become tabs, and at blocks that are left
// alone.
func TestLanguagesThatShowTheSameAreWrapped(t *testing.T) {
	const block = "`a`:\n\n```%s a\n## Go\n```\n\n"
	for text, want := range map[string]int{
		"# A\n\n## Go\n\na\n\n## Rust\n\nb\n\n### More\n\n## Else\n\nc\n":                                         2,
		"## Go\n\na\n\n## Else\n\n## Rust\n\nb\n":                                                                 0,
		"## Go\n\na\n\n## Rust\n\nb\n\n## C++\n\nc\n":                                                             3,
		"First.\n\n" + strings.ReplaceAll(block, "%s", "go") + strings.ReplaceAll(block, "%s", "rust") + "End.\n": 2,
		strings.ReplaceAll(block, "%s", "go") + strings.ReplaceAll(block, "%s", "go"):                             0,
		strings.ReplaceAll(block, "%s", "go") + "Then.\n\n" + strings.ReplaceAll(block, "%s", "rust"):             0,
		strings.ReplaceAll(block, "%s", "sh") + strings.ReplaceAll(block, "%s", "rust"):                           0,
	} {
		got := tabbed(text)
		if n := strings.Count(got, `<div class="language"`); n != want {
			t.Errorf("%q has %d tabs, and should have %d:\n%s", text, n, want, got)
		}
		plain := strings.NewReplacer("</div>\n\n", "")
		rest := plain.Replace(got)
		for _, name := range []string{"Go", "Rust", "C++"} {
			rest = strings.ReplaceAll(rest, `<div class="language" data-language="`+name+"\">\n\n", "")
		}
		if strings.ReplaceAll(rest, "\n", "") != strings.ReplaceAll(text, "\n", "") {
			t.Errorf("%q lost something:\n%s", text, got)
		}
	}
}
