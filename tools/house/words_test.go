package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// stopWords are prepositions, pronouns and participles that say nothing of the named thing.
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
		found := tally{}
		for _, name := range files(t) {
			if strings.HasPrefix(name, room+"/") && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !strings.Contains(name, "/testdata/") &&
				!strings.HasSuffix(name, ".gen.go") && !strings.HasSuffix(name, ".sdp.go") {
				found.add(t, name, read(t, name), "go")
			}
		}
		found.judge(t, room, 20)
	}
}

// parametersOfGo gives the names of the parameters and results of a file's functions.
func parametersOfGo(t *testing.T, name string, text []byte) (names []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if kind, is := n.(*ast.FuncType); is {
			names = append(names, parametersOf(kind)...)
		}
		return true
	})
	return names
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
	{"mxp/rust/src", ".rs", "rust", 3000},
	{"runtime/rust/src", ".rs", "rust", 900},
	{"runtime/rust-build/src", ".rs", "rust", 20},
}

// madeFiles are files of generated code, and copies of it and of the runtimes.
var madeFiles = regexp.MustCompile(`_gen\.|mxp_(control|registry|mesh|health|reflection)|\.(gen|sdp)\.|/control/sdp/|(^|[/._])tests?[/.]`)

// Parameters of the other languages are named by nouns as Go's are.
func TestParametersOfOtherLanguagesAreNamedByNouns(t *testing.T) {
	for _, room := range writtenRooms {
		found := tally{}
		for _, name := range files(t) {
			if strings.HasPrefix(name, room.folder+"/") && strings.HasSuffix(name, room.ending) && !madeFiles.MatchString(name) {
				found.add(t, name, read(t, name), room.language)
			}
		}
		found.judge(t, room.folder, room.least)
	}
}

// generatedCode has the endings of files in each language, and a number of parameters that code which is generated and
// committed has at least: that which tests compare with, stubs, the specification's, and the examples'.
var generatedCode = []struct {
	language string
	endings  []string
	least    int
}{
	{"go", []string{".go"}, 3000},
	{"cpp", []string{".hpp", ".cpp"}, 1200},
	{"rust", []string{".rs"}, 1200},
	{"ts", []string{".ts", ".js"}, 500},
}

// Backends name parameters by nouns, too: users read what they print.
func TestParametersOfGeneratedCodeAreNamedByNouns(t *testing.T) {
	for _, code := range generatedCode {
		found := tally{}
		for _, name := range files(t) {
			if !slices.Contains(code.endings, path.Ext(name)) {
				continue
			}
			if text := read(t, name); isGenerated(text) {
				found.add(t, name, text, code.language)
			}
		}
		found.judge(t, "generated code in "+code.language, code.least)
	}
}

// tally counts parameters, and has the parameters that are named by no nouns.
type tally struct {
	all int
	bad []string
}

func (c *tally) add(t *testing.T, name string, text []byte, language string) {
	t.Helper()
	var names []string
	if language == "go" {
		names = parametersOfGo(t, name, text)
	} else {
		for _, found := range parametersIn(lexemesOf(string(text), language), language) {
			names = append(names, found.text)
		}
	}
	for _, found := range names {
		if c.all++; stopWords[found] {
			c.bad = append(c.bad, name+": "+found)
		}
	}
}

// judge lets at most one of a hundred be named by no noun.
func (c *tally) judge(t *testing.T, room string, least int) {
	t.Helper()
	if c.all < least {
		t.Errorf("%s has %d parameters, so that the test looks in the wrong place", room, c.all)
	}
	if 100*len(c.bad) > c.all {
		t.Errorf("%d of %d parameters of %s are no nouns:\n%s", len(c.bad), c.all, room, strings.Join(c.bad, "\n"))
	}
	t.Logf("%s: %d of %d parameters", room, len(c.bad), c.all)
}
