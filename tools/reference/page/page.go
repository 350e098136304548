// Package page compares the parts of docs/cli.md with the help of their programs. Each program does so in a test of
// its own, since programs of other modules can't be imported; the flag -update writes the part instead.
package page

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/manual"
)

var update = flag.Bool("update", false, "write the program's part of docs/cli.md anew")

// Compare fails where a page has another part than the program's help says.
func Compare(t *testing.T, file string, program manual.Program) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	anew, err := Replace(string(text), program.Heading(), program.Markdown())
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if anew == string(text) {
		return
	}
	if !*update {
		t.Fatalf("%s is not what %s --help says: `go run ./tools/reference` writes it anew", file, program.Root.Name())
	}
	if err := os.WriteFile(file, []byte(anew), 0o644); err != nil {
		t.Fatal(err)
	}
}

// missingPart is a page without the heading of a program.
type missingPart string

func (m missingPart) Error() string { return "it has no line " + strings.TrimSpace(string(m)) }

// Replace puts a part into a page: from its heading to the next of the same level.
func Replace(page, heading, part string) (string, error) {
	before, rest, found := strings.Cut(page, "\n"+heading)
	if !found {
		return "", missingPart(heading)
	}
	if at := strings.Index(rest, "\n## "); at >= 0 {
		return before + "\n" + part + rest[at:], nil
	}
	return before + "\n" + part, nil
}
