package house_test

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

// coreLinesMax is the most lines of code, without comments and empty lines, that the core for further languages has.
// Each of these languages relies on it, so that it stays small enough to be read at once.
const coreLinesMax = 2_550

func TestCoreForFurtherLanguagesIsSmall(t *testing.T) {
	code := regexp.MustCompile(`(?m)^\s*[^\s/].*|^\s*/[^/].*`)
	lines := 0
	for _, name := range files(t) {
		if strings.HasPrefix(name, "mxp/c/src/") && path.Ext(name) == ".rs" {
			lines += len(code.FindAll(read(t, name), -1))
		}
	}
	t.Logf("mxp/c has %d lines of code", lines)
	if lines == 0 || lines > coreLinesMax {
		t.Errorf("mxp/c has %d lines of code, and %d are the most", lines, coreLinesMax)
	}
}
