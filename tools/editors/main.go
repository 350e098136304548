// Command editors writes the queries of the Tree-sitter grammar as each editor looks for
// them: in folders of their own, and with its names of classes.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// queries has the queries that people write.
const queries = "editors/tree-sitter-sdp/queries"

// editor is a program that has its own folder and names.
type editor struct {
	folder string
	files  []string
	// classes are its names of classes that have another name in queries.
	classes map[string]string
}

var editors = []editor{
	{
		folder: "editors/neovim/queries/sdp",
		files:  []string{"folds.scm", "highlights.scm", "indents.scm", "injections.scm", "locals.scm"},
	},
	{
		folder: "editors/helix/queries/sdp",
		files:  []string{"highlights.scm", "injections.scm", "locals.scm"},
		classes: map[string]string{
			"boolean": "constant.builtin.boolean", "comment.documentation": "comment.line.documentation", "module": "namespace",
			"number": "constant.numeric.integer", "number.float": "constant.numeric.float", "string.escape": "constant.character.escape",
			"variable.member": "variable.other.member",
		},
	},
	{
		folder: "editors/zed/languages/sdp",
		files:  []string{"highlights.scm", "injections.scm"},
		classes: map[string]string{
			"comment.documentation": "comment.doc", "function.method": "function", "module": "namespace", "number.float": "number",
			"variable.member": "property",
		},
	},
}

func main() {
	if err := write("."); err != nil {
		fmt.Fprintln(os.Stderr, "editors:", err)
		os.Exit(1)
	}
}

// write writes all files below the repository's root.
func write(root string) error {
	for _, e := range editors {
		for _, name := range e.files {
			text, err := e.query(root, name)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(root, e.folder, name), text, 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}

// capture is the name of a class in a query. Names that begin otherwise, as in
// injection.content, are the same in all editors.
var capture = regexp.MustCompile(`@[a-z]+(?:\.[a-z]+)*`)

// query is the text of a file as the editor takes it.
func (e editor) query(root, name string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, queries, name))
	if err != nil {
		return nil, err
	}
	text = capture.ReplaceAllFunc(text, func(result []byte) []byte {
		if class, other := e.classes[string(result[1:])]; other {
			return []byte("@" + class)
		}
		return result
	})
	return append([]byte("; Written by `go run ./tools/editors` from "+queries+"/"+name+". DO NOT EDIT.\n\n"), text...), nil
}
