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
