package main

import (
	"os"
	"path/filepath"
	"testing"
)

// engineLeast is how many bugs of each engine there are at least, and how many of them all have.
var engineLeast = map[string]int{"go": 20, "rust": 40, "cpp": 20, "typescript": 20}

const commonLeast = 10

// TestEngineBugsHaveTheirPlaces keeps the lists from rotting: each text is in the engine as it is
// now. That they are found is a part of make explore.
func TestEngineBugsHaveTheirPlaces(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	languages := map[string]int{} // that have a bug, by what it is about
	for name := range engines {
		bugs, err := readBugs(engineList(name))
		if err != nil {
			t.Fatal(err)
		}
		if len(bugs) < engineLeast[name] {
			t.Errorf("%s has %d bugs", name, len(bugs))
		}
		for _, b := range bugs {
			languages[b.About]++
			text, err := os.ReadFile(filepath.FromSlash(b.File))
			if err != nil {
				t.Error(err)
				continue
			}
			bad, err := b.in(string(text))
			if err != nil {
				t.Errorf("%s, %s: %v", name, b.About, err)
			} else if b.About == "" || bad == string(text) {
				t.Errorf("%s: %+v is no bug", name, b)
			}
		}
	}
	common := 0
	for _, n := range languages {
		if n == len(engines) {
			common++
		}
	}
	if common < commonLeast {
		t.Errorf("%d bugs are the same in all languages", common)
	}
}
