package agreement

import (
	"regexp"
	"strings"
	"testing"

	tree_sitter "github.com/tree-sitter/go-tree-sitter"

	"github.com/serial-data-protocol/sdp/compiler/diag"
)

// exceptionNUL is what the compiler's parser accepts and the grammar refuses.
const exceptionNUL = "NUL in a comment or string"

// exception is something that the one parser refuses and the other doesn't.
type exception struct {
	name string
	why  string
	// code is the compiler's for it, if it refuses. Where the code is of other mistakes too, here
	// tells whether it is this one.
	code diag.Code
	here func(root *tree_sitter.Node, text string, at int) bool
	// example has this mistake and no other.
	example string
}

// exceptions are all that a grammar without a context can't hold, or that an editor
// should not colour as broken.
var exceptions = []exception{
	{
		name: exceptionNUL, example: "// \x00\n",
		why: "Tree-sitter takes NUL for the end of a text, and leaves it out of every set of characters",
	},
	{
		name: "UTF-8", code: "S0002", example: "// caf\xe9\n",
		why: "editors hand over text, whatever its bytes were",
	},
	{
		name: "size", code: "S0003", example: strings.Repeat(" ", 64<<20),
		why: "a grammar can't count bytes",
	},
	{
		name: "numbers of more than 64 bits", code: "S0010", example: "const A: u64 = 18446744073709551616;",
		why: "how large a literal is, is its value; spec/grammar.ebnf has no bound either",
	},
	{
		name: "types nested too deep", code: "S0107", example: "type A = " + strings.Repeat("?", 65) + "u8;",
		why: "a grammar can't count levels without a rule for each",
	},
	{
		name: "a declaration's word on a new line", code: "S0101", here: startsDeclaration,
		example: "enum A: u8 { B =\ntype reserved 2; }",
		why:     "a grammar doesn't know lines: a word like struct, first on its line with a name behind it, starts a declaration, so that an unclosed body is noticed; as the last name of an attribute or of a member's value it would be valid",
	},
}

var wordAndName = regexp.MustCompile(`^(?:const|type|enum|struct|message|union|service|import|package)(?:[ \t\r\n]|//[^\n]*\n|/\*(?s:.*?)\*/)+[A-Za-z_]`)

// startsDeclaration tells whether an offset is at the word of a declaration, with a name behind
// it, that the grammar has as part of a path.
func startsDeclaration(root *tree_sitter.Node, text string, at int) bool {
	if !wordAndName.MatchString(text[at:]) {
		return false
	}
	node := root.DescendantForByteRange(uint(at), uint(at+1))
	if node == nil || node.Kind() != "identifier" || node.Parent() == nil {
		return false
	}
	kind := node.Parent().Kind()
	return kind == "attribute_name" || kind == "constant_name"
}

// excuse names the exception that the first problem is; what comes behind it follows from it.
func excuse(problems []*diag.Diagnostic, root *tree_sitter.Node, text string) string {
	for _, e := range exceptions {
		if first := problems[0]; e.code != "" && first.Code == e.code && (e.here == nil || e.here(root, text, first.Span.Start)) {
			return e.name
		}
	}
	return ""
}

func TestExceptionsAreRefusedByOneAlone(t *testing.T) {
	r := newReader(t)
	for _, e := range exceptions {
		v := r.read(e.example)
		if v.excuse != e.name {
			text := e.example[:min(len(e.example), 100)]
			v.report(t, e.name+", which is an exception as "+e.why, text)
		}
	}
}
