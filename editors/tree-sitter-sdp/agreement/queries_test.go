package agreement

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	tree_sitter "github.com/tree-sitter/go-tree-sitter"

	sdp "github.com/serial-data-protocol/sdp/editors/tree-sitter-sdp/src"
)

func TestQueriesOfEveryEditorAreOfTheGrammar(t *testing.T) {
	language := tree_sitter.NewLanguage(sdp.Language())
	seen := 0
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "node_modules":
			return filepath.SkipDir
		case filepath.Ext(path) != ".scm":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen++
		query, problem := tree_sitter.NewQuery(language, string(text))
		if problem != nil {
			t.Errorf("%s:%d: %s", path, problem.Row+1, problem.Message)
			return nil
		}
		query.Close()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 15 {
		t.Errorf("only %d queries were found", seen)
	}
}
