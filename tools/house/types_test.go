package house_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// typeRooms are rooms whose types and files are named by nouns, with the way a type is declared in their language, and a
// number of types that they have at least.
var typeRooms = []struct {
	folder, ending string
	declares       func(text []byte) []string
	least          int
}{
	{"mxp/rust/src", ".rs", rustType, 300},
	{"runtime/rust/src", ".rs", rustType, 80},
	{"mxp/cpp/include", ".hpp", cppType, 250},
	{"runtime/cpp/include", ".hpp", cppType, 150},
	{"mxp/typescript/src", ".ts", typeScriptType, 150},
	{"runtime/typescript/src", ".ts", typeScriptType, 80},
	{"mxp/go", ".go", goType, 150},
	{"runtime", ".go", goType, 30},
	{"compiler", ".go", goType, 300},
	{"mesh", ".go", goType, 60},
	{"cmd", ".go", goType, 0},
	{"mcp", ".go", goType, 3},
	{"tools", ".go", goType, 30},
}

// namesOf gives the names that an expression finds, in any of its groups.
func namesOf(pattern string) func(text []byte) []string {
	expression := regexp.MustCompile(pattern)
	return func(text []byte) (names []string) {
		text = rustAlias.ReplaceAll(text, nil)
		for _, found := range expression.FindAllSubmatch(text, -1) {
			names = append(names, string(bytes.Join(found[1:], nil)))
		}
		return names
	}
}

var (
	rustType       = namesOf(`(?m)^\s*(?:pub(?:\([^)]*\))? )?(?:unsafe )?(?:struct|enum|trait|union|type)\s+([A-Z]\w*)`)
	cppType        = namesOf(`(?m)^\s*(?:class|struct|enum class|union)\s+(?:\w+::)*(\w+)(?:<[^;{]*>)?(?: final)?(?: :[^;{]*)?\s*\{|^\s*using (\w+) =`)
	typeScriptType = namesOf(`(?m)^\s*(?:export )?(?:abstract )?(?:class|interface|enum|type)\s+([A-Z]\w*)`)
	nameWord       = regexp.MustCompile(`[A-Z]?[a-z0-9]+|[A-Z]+`)
)

// goType gives the names of the types of a file.
func goType(text []byte) (names []string) {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, is := n.(*ast.TypeSpec); is {
			names = append(names, spec.Name.Name)
		}
		return true
	})
	return names
}

// nounsByUse are words in -ed and -ing, and prepositions, that name things in these fields: nouns of the language, events of
// a session and what every reader of its language knows. Types and files may end in them.
var nounsByUse = wordSet(`
	acked binding breaking blocking boxed building cancelled compiled declared deprecated draining embed embedded encoding ended ending feed finished fingerprinted generated
	fixed framed granted heading identified incoming indexed kind listing mangled mapping meeting missing named need nesting nonblocking nothing numbered of outgoing padding
	pairing pending ping provided reserved ring seed setting settings speed spelling standing string thing throwing timing tracing typed unexpected unsigned
	unused warning`)

// evasive are words that no name of a type or file has.
var evasive = wordSet(`asked asking asks came desk gone lent shaken stir told telling whoever`)

// verbs are on the stop list as participles, and name files by their actions.
var verbs = wordSet(`read put left up`)

// generatedNames are types of the runtimes that generated code names, as their languages do.
var generatedNames = map[string]bool{"DecodeInto": true, "WriteTo": true, "ReadFrom": true, "Borrowed": true, "Of": true, "Described": true}

// systems are how names of files end that are for some systems alone.
var systems = wordSet(`other none`)

// isNamedByNoun tells whether a name has no evasive word, and ends in no preposition, pronoun or participle.
func isNamedByNoun(name string) bool {
	var words []string
	for _, word := range nameWord.FindAllString(name, -1) {
		words = append(words, strings.ToLower(word))
	}
	if len(words) == 0 || slices.ContainsFunc(words, func(word string) bool { return evasive[word] }) {
		return len(words) == 0
	}
	last := words[len(words)-1]
	switch {
	case len(words) == 1 && last == "of":
		return false
	case nounsByUse[last]:
		return true
	case stopWords[last]:
		return false
	}
	return !strings.HasSuffix(last, "ed") && !strings.HasSuffix(last, "ing")
}

func TestNounsAreTold(t *testing.T) {
	for name, want := range map[string]bool{
		"Request": true, "PeerRequest": true, "kept_events": true, "ListOf": true, "Ending": true, "HTTPServer": true, "link": true,
		"Asked": false, "AskedThing": false, "Of": false, "Served": false, "listening": false, "being_made": false, "Among": false, "ServerTelling": false,
	} {
		if isNamedByNoun(name) != want {
			t.Errorf("%s: %t", name, !want)
		}
	}
}

// Types and files are named by nouns.
func TestTypesAndFilesAreNamedByNouns(t *testing.T) {
	for _, room := range typeRooms {
		all := 0
		for _, name := range files(t) {
			text := read(t, name)
			if !strings.HasPrefix(name, room.folder+"/") || path.Ext(name) != room.ending || isTest(name) || !isWritten(name, text) {
				continue
			}
			base, _, _ := strings.Cut(path.Base(name), ".")
			words := strings.Split(base, "_")
			if len(words) > 1 && systems[words[len(words)-1]] {
				words = words[:len(words)-1]
			}
			if file := strings.Join(words, "_"); !verbs[words[len(words)-1]] && !isNamedByNoun(file) {
				t.Errorf("%s: the name of the file is no noun", name)
			}
			for _, declared := range room.declares(text) {
				if all++; !isNamedByNoun(declared) && !generatedNames[declared] {
					t.Errorf("%s: the name of the type %s is no noun", name, declared)
				}
			}
		}
		if all < room.least {
			t.Errorf("%s has %d types, so that the test looks in the wrong place", room.folder, all)
		}
	}
}

// isTest tells whether a file is a test's, or a test's expected content.
func isTest(name string) bool {
	base := path.Base(name)
	return strings.HasSuffix(base, "_test.go") || base == "tests.rs" || strings.Contains(name, "/testdata/") || strings.Contains(name, "/golden/") ||
		base == "aliases.hpp" || base == "aliases.ts"
}
