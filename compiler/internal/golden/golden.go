// Package golden compares what a test made with a file that a person has
// reviewed. `go test ./compiler/... -update` writes the files anew.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

// Compare fails the test if the file's text is not got.
func Compare(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("no golden file, run with -update to write it: %v", err)
	}
	if string(want) != got {
		t.Errorf("%s differs, run with -update to write it anew:\n%s", path, firstDifference(string(want), got))
	}
}

// wholeMax is how many lines a text may have that is shown whole, too.
const wholeMax = 200

// firstDifference shows the first line that differs, which is usually enough to
// see what happened.
func firstDifference(want, got string) string {
	wantLines, gotLines := strings.Split(want, "\n"), strings.Split(got, "\n")
	line := 0
	for line < len(wantLines) && line < len(gotLines) && wantLines[line] == gotLines[line] {
		line++
	}
	text := "want: " + lineAt(wantLines, line) + "\n got: " + lineAt(gotLines, line)
	if len(gotLines) <= wholeMax {
		text += "\nwhole:\n" + got
	}
	return text
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(end)"
}
