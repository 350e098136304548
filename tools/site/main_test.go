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
