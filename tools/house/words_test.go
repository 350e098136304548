package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
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
