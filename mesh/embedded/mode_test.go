package embedded

import (
	"os"
	"path/filepath"
	"testing"
)

// A file that is written in its place is for some time there without its text, which is then all that
// a power cut leaves: a folder of such a mode would be refused.
func TestTheModeOfAFolderIsWrittenBesideIt(t *testing.T) {
	folder := t.TempDir()
	file, other := filepath.Join(folder, "mode"), filepath.Join(folder, "other")
	if err := os.WriteFile(file, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(file, other); err != nil {
		t.Fatal(err)
	}
	if err := keep(file, "alone\n"); err != nil {
		t.Fatal(err)
	}
	for name, expected := range map[string]string{file: "alone\n", other: "before"} {
		if text, err := os.ReadFile(name); err != nil || string(text) != expected {
			t.Errorf("%s has %q, %v", name, text, err)
		}
	}
	if err := mode(folder, false); err != nil {
		t.Error(err)
	}
	if mode(folder, true) == nil {
		t.Error("a node of a cluster takes the folder of one alone")
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 2 {
		t.Errorf("there are %v, %v", files, err)
	}
}
