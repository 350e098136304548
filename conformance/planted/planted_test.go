package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGeneratedTestsPassAndFindABug runs what `sdp gen --tests` makes in two languages,
// without a bug and with one. All bugs in all languages are a part of make explore.
func TestGeneratedTestsPassAndFindABug(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	t.Setenv("SDP_TEST_COUNT", "500")
	folder := t.TempDir()
	sdp := filepath.Join(folder, "sdp")
	if err := command(".", buildingMax, "go", "build", "-o", sdp, "./cmd/sdp"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go", "typescript"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := projects[name]("")
			p.dir = filepath.Join(folder, name)
			if err := p.begin(sdp); err != nil {
				t.Fatal(err)
			}
			if _, err := p.tests(); err != nil {
				t.Fatalf("the tests fail where no bug is planted: %v", err)
			}
			bugs, err := readBugs(name + ".toml")
			if err != nil {
				t.Fatal(err)
			}
			if _, found, err := p.plant(bugs[0]); err != nil || !found {
				t.Errorf("%s: it is not found: %v", bugs[0].About, err)
			}
		})
	}
}

// TestEveryLanguageHasThirtyBugs also finds bugs that nothing is changed by.
func TestEveryLanguageHasThirtyBugs(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	for name := range projects {
		bugs, err := readBugs(name + ".toml")
		if err != nil {
			t.Fatal(err)
		}
		if len(bugs) < 30 {
			t.Errorf("%s has %d bugs", name, len(bugs))
		}
		for _, b := range bugs {
			if b.About == "" || b.Text == "" || b.Text == b.Instead {
				t.Errorf("%s: %+v is no bug", name, b)
			}
		}
	}
}

func TestBugIsPlantedWhereItsTextIs(t *testing.T) {
	for _, c := range []struct {
		bug        bug
		text, want string
	}{
		{bug{Text: "b", Instead: "x"}, "abc", "axc"},
		{bug{Text: "b", Instead: "x", Nth: 2}, "abcb", "abcx"},
		{bug{Text: "b", Instead: "x"}, "abcb", "2 times"},
		{bug{Text: "b", Instead: "x", Nth: 3}, "abcb", "only 2 times"},
		{bug{Text: "z", Instead: "x"}, "abc", "does not have"},
	} {
		got, err := c.bug.in(c.text)
		if err != nil {
			got = err.Error()
		}
		if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%+v in %q: %q", c.bug, c.text, got)
		}
	}
	if _, err := os.Stat("go.toml"); err != nil {
		t.Error(err)
	}
}
