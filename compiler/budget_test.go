package compiler_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// budgets are the lines of Go that a backend may have, without tests: the present number, rounded
// up to the next 50, and the wanted number.
var budgets = []struct {
	folder        string
	lines, wanted int
}{
	{"golang", 3500, 2800},
	{"golang/layout", 300, 300},
	{"rust", 4600, 4600},
	{"rust/layout", 2050, 2050},
	{"cpp", 2750, 2700},
	{"typescript", 1650, 2000},
}

// budgetSlack is how far a backend may be below its budget before that is lowered.
const budgetSlack = 49

func TestBackendsStayWithinTheirBudget(t *testing.T) {
	for _, b := range budgets {
		lines := linesOf(t, filepath.Join("backend", b.folder))
		t.Logf("backend/%s: %d lines, budget %d, wanted %d", b.folder, lines, b.lines, b.wanted)
		switch {
		case lines > b.lines:
			t.Errorf("backend/%s has %d lines, more than its budget of %d", b.folder, lines, b.lines)
		case lines < b.lines-budgetSlack:
			t.Errorf("backend/%s has only %d lines: its budget of %d can be lowered", b.folder, lines, b.lines)
		}
	}
}

func linesOf(t *testing.T, folder string) int {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files in %s: %v", folder, err)
	}
	lines := 0
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(text, []byte("\n"))
	}
	return lines
}
