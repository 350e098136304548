package check_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/internal/mangled"
)

// misplaced are texts whose problems once had no place.
var misplaced = []string{
	"package s;\nreserved\nstruct S { a: u8 }\n",
	"package s;\nmessage M {\n\treserved 1,\nstruct X { a: u8 }\n",
}

// TestEveryProblemOfATextHasAPlaceInIt holds what editors need: a problem without a
// place is shown nowhere.
func TestEveryProblemOfATextHasAPlaceInIt(t *testing.T) {
	var texts []string
	for _, pattern := range []string{"diag/*.sdp", "valid/*.sdp", "format/*.sdp"} {
		paths, err := filepath.Glob(filepath.Join("../testdata", pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no files %s: %v", pattern, err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(text))
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	all := misplaced
	for range 3000 {
		text := texts[r.IntN(len(texts))]
		if r.IntN(2) == 0 {
			text = "package s;\n" + mangled.Short(r, text)
		}
		all = append(all, mangled.Text(r, text))
	}
	for _, text := range all {
		_, problems := compile(check.Memory{"t.sdp": text}, "t.sdp")
		for _, d := range problems.Sorted() {
			if d.Span.IsZero() || d.Message == "" {
				t.Fatalf("%s %q has no place or no text in\n%s", d.Code, d.Message, text)
			}
		}
		render(t, problems, "t.sdp")
	}
}
