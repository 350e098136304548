package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// stopWords are prepositions, pronouns and participles that say nothing of what they name.
var stopWords = wordSet(`
	about above after against among at before behind below beneath beside between by down for from in into of off on out over per
	than through till to under until up upon via with within without
	all another any both each he her him his it its mine none one ones other others she some that their theirs them these they this those
	we what which who whom whose you how
	added allowed asked begun broken called came changed chosen closed done drawn ended expected found given gone held kept known left lent
	lost made moved named needed opened passed put read refused removed said seen sent served shaken shown spoken started stopped taken thrown
	told used waited wanted written
	asking being coming doing giving going having holding making taking telling using desk stir`)

func wordSet(text string) map[string]bool {
	words := map[string]bool{}
	for _, word := range strings.Fields(text) {
		words[word] = true
	}
	return words
}

// The names of parameters and results are nouns: at most one of a hundred in a room of Go's is on the stop list.
func TestParametersAreNamedByNouns(t *testing.T) {
	for _, room := range []string{"mxp/go", "compiler", "cmd", "mesh", "mcp", "tools"} {
		all, bad := 0, []string{}
		for _, name := range files(t) {
			if !strings.HasPrefix(name, room+"/") || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/testdata/") ||
				strings.HasSuffix(name, ".gen.go") || strings.HasSuffix(name, ".sdp.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, read(t, name), parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if kind, is := n.(*ast.FuncType); is {
					for _, id := range parametersOf(kind) {
						if all++; stopWords[id] {
							bad = append(bad, name+": "+id)
						}
					}
				}
				return true
			})
		}
		if all < 20 {
			t.Fatalf("%s has %d parameters, so that the test looks in the wrong place", room, all)
		}
		if 100*len(bad) > all {
			t.Errorf("%d of %d parameters of %s are no nouns:\n%s", len(bad), all, room, strings.Join(bad, "\n"))
		}
	}
}

// parametersOf gives the names of the parameters and results of a function.
func parametersOf(function *ast.FuncType) (names []string) {
	for _, list := range []*ast.FieldList{function.Params, function.Results} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				names = append(names, name.Name)
			}
		}
	}
	return names
}

// writtenRooms are rooms of other languages, with a number of parameters that they have at least.
var writtenRooms = []struct {
	folder, ending, language string
	least                    int
}{
	{"mxp/cpp/include", ".hpp", "cpp", 3000},
	{"runtime/cpp/include", ".hpp", "cpp", 1000},
	{"mxp/typescript/src", ".ts", "ts", 1500},
	{"runtime/typescript/src", ".ts", "ts", 800},
	{"mxp/rust/src", ".rs", "rust", 2500},
	{"runtime/rust/src", ".rs", "rust", 750},
}

// madeFiles are those of generated code, and copies of it and of the runtimes.
var madeFiles = regexp.MustCompile(`_gen\.|mxp_(control|registry|mesh|health|reflection)|\.(gen|sdp)\.|/control/sdp/|(^|[/._])tests?[/.]`)

// Parameters of the other languages are named by nouns as those of Go are.
func TestParametersOfOtherLanguagesAreNamedByNouns(t *testing.T) {
	for _, room := range writtenRooms {
		all, bad := 0, []string{}
		for _, name := range files(t) {
			if !strings.HasPrefix(name, room.folder+"/") || !strings.HasSuffix(name, room.ending) || madeFiles.MatchString(name) {
				continue
			}
			for _, found := range parametersIn(lexemesOf(string(read(t, name)), room.language), room.language) {
				if all++; stopWords[found.text] {
					bad = append(bad, name+": "+found.text)
				}
			}
		}
		if all < room.least {
			t.Errorf("%s has %d parameters, so that the test looks in the wrong place", room.folder, all)
		}
		if 100*len(bad) > all {
			t.Errorf("%d of %d parameters of %s are no nouns:\n%s", len(bad), all, room.folder, strings.Join(bad, "\n"))
		}
		t.Logf("%s: %d of %d parameters", room.folder, len(bad), all)
	}
}
