// Package agreement holds the grammar of editors against the compiler's parser: the
// one finds no mistake in a text exactly where the other finds none.
package agreement

import (
	"flag"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tree_sitter "github.com/tree-sitter/go-tree-sitter"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
	sdp "github.com/serial-data-protocol/sdp/editors/tree-sitter-sdp/src"
)

const root = "../../.."

var (
	mutants = flag.Int("mutants", 10_000, "how many mutants of schemas are read")
	seed    = flag.Uint64("seed", 1, "what chooses them")
)

// mutatedMax bounds the schemas that are mutated, so that many of them are.
const mutatedMax = 20_000

// reader reads texts by both.
type reader struct{ parser *tree_sitter.Parser }

func newReader(t *testing.T) *reader {
	t.Helper()
	parser := tree_sitter.NewParser()
	t.Cleanup(parser.Close)
	if err := parser.SetLanguage(tree_sitter.NewLanguage(sdp.Language())); err != nil {
		t.Fatal(err)
	}
	return &reader{parser}
}

// verdict is what both say of a text.
type verdict struct {
	compiler []*diag.Diagnostic
	grammar  bool
	// excuse is the name of an exception that explains a difference.
	excuse string
}

func (r *reader) read(text string) verdict {
	var problems diag.List
	syntax.Parse("schema.sdp", text, &problems)
	tree := r.parser.Parse([]byte(text), nil)
	defer tree.Close()
	v := verdict{compiler: problems.Sorted(), grammar: !tree.RootNode().HasError()}
	switch {
	case v.grammar && len(v.compiler) > 0:
		v.excuse = excuse(v.compiler, tree.RootNode(), text)
	case !v.grammar && len(v.compiler) == 0 && strings.Contains(text, "\x00"):
		if !r.broken(strings.ReplaceAll(text, "\x00", "?")) {
			v.excuse = exceptionNUL
		}
	}
	return v
}

// broken tells whether the grammar finds a mistake.
func (r *reader) broken(text string) bool {
	tree := r.parser.Parse([]byte(text), nil)
	defer tree.Close()
	return tree.RootNode().HasError()
}

// differ tells whether the two don't agree, and nothing explains it.
func (v verdict) differ() bool { return v.grammar != (len(v.compiler) == 0) && v.excuse == "" }

func (v verdict) report(t *testing.T, name, text string) {
	t.Helper()
	said := "accepts it"
	if len(v.compiler) > 0 {
		said = "says " + string(v.compiler[0].Code) + ": " + v.compiler[0].Message
	}
	t.Errorf("%s: the grammar accepts it: %v; the compiler %s\n%q", name, v.grammar, said, text)
}

// schemas are the schemas of the repository, by their paths.
func schemas(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", "target", "node_modules"}, entry.Name()):
			return filepath.SkipDir
		case filepath.Ext(path) == ".sdp" && entry.Type().IsRegular():
			text, err := os.ReadFile(path)
			all[path] = string(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 150 {
		t.Fatalf("only %d schemas were found, so that the test looks in the wrong place", len(all))
	}
	return all
}

func TestGrammarAgreesOverEverySchema(t *testing.T) {
	r := newReader(t)
	accepted, refused := 0, 0
	for name, text := range schemas(t) {
		v := r.read(text)
		if v.differ() {
			v.report(t, name, text)
		}
		if v.grammar {
			accepted++
		} else {
			refused++
		}
	}
	t.Logf("%d are accepted, %d refused", accepted, refused)
	if accepted < 100 || refused < 10 {
		t.Errorf("%d are accepted and %d refused, so that one of the two is hardly tested", accepted, refused)
	}
}

func TestGrammarAgreesOverMutants(t *testing.T) {
	r := newReader(t)
	all := schemas(t)
	var names []string
	for name, text := range all {
		if len(text) <= mutatedMax {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	random := rand.New(rand.NewPCG(*seed, 0))
	var words []string
	for _, name := range names {
		words = append(words, tokens(all[name])...)
	}
	accepted, excused := 0, map[string]int{}
	for n := range *mutants {
		name := names[random.IntN(len(names))]
		text := mutate(random, all[name], words)
		v := r.read(text)
		if v.differ() {
			v.report(t, name, smallest(r, text))
		}
		if v.excuse != "" {
			excused[v.excuse]++
		}
		if v.grammar {
			accepted++
		}
		if t.Failed() && n%10 == 0 {
			t.Fatalf("seed %d, mutant %d", *seed, n)
		}
	}
	t.Logf("seed %d: %d of %d mutants are accepted; excused: %v", *seed, accepted, *mutants, excused)
	if share := float64(accepted) / float64(*mutants); share < 0.05 || share > 0.95 {
		t.Errorf("%.0f%% of the mutants are accepted, so that they hardly test", 100*share)
	}
}

// smallest takes lines and then characters away from a text as long as the two differ.
func smallest(r *reader, text string) string {
	for _, separator := range []string{"\n", ""} {
		for again := true; again; {
			again = false
			parts := strings.Split(text, separator)
			for i := 0; i < len(parts); i++ {
				less := strings.Join(slices.Delete(slices.Clone(parts), i, i+1), separator)
				if r.read(less).differ() {
					text, parts, again = less, slices.Delete(parts, i, i+1), true
					i--
				}
			}
		}
	}
	return text
}
