// Command classes prints what the queries of the grammar colour in schemas, as JSON: for
// each file the pieces of its text with their classes, or null where the grammar finds a
// mistake. Arguments are the file of a query, and schemas.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	tree_sitter "github.com/tree-sitter/go-tree-sitter"

	sdp "github.com/serial-data-protocol/sdp/editors/tree-sitter-sdp/src"
)

// piece is a token with its class, by the offsets of its bytes.
type piece struct {
	Start uint   `json:"start"`
	End   uint   `json:"end"`
	Class string `json:"class"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "classes:", err)
		os.Exit(1)
	}
}

// run takes the file of the query, and schemas.
func run(arguments []string) error {
	if len(arguments) < 2 {
		return fmt.Errorf("usage: classes QUERY SCHEMA…")
	}
	text, err := os.ReadFile(arguments[0])
	if err != nil {
		return err
	}
	language := tree_sitter.NewLanguage(sdp.Language())
	query, problem := tree_sitter.NewQuery(language, string(text))
	if problem != nil {
		return fmt.Errorf("%s: %w", arguments[0], problem)
	}
	defer query.Close()
	parser := tree_sitter.NewParser()
	defer parser.Close()
	if err := parser.SetLanguage(language); err != nil {
		return err
	}
	all := map[string][]piece{}
	for _, name := range arguments[1:] {
		schema, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if all[filepath.ToSlash(name)], err = classes(parser, query, schema); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return json.NewEncoder(os.Stdout).Encode(all)
}

// classes are the pieces of a schema in order. A piece with two classes is a mistake: editors
// don't agree on which of them wins.
func classes(parser *tree_sitter.Parser, query *tree_sitter.Query, schema []byte) ([]piece, error) {
	tree := parser.Parse(schema, nil)
	defer tree.Close()
	if tree.RootNode().HasError() {
		return nil, nil
	}
	cursor := tree_sitter.NewQueryCursor()
	defer cursor.Close()
	found := []piece{}
	matches := cursor.Matches(query, tree.RootNode(), schema)
	for match := matches.Next(); match != nil; match = matches.Next() {
		for _, capture := range match.Captures {
			found = append(found, piece{capture.Node.StartByte(), capture.Node.EndByte(), query.CaptureNames()[capture.Index]})
		}
	}
	slices.SortFunc(found, func(a, b piece) int { return int(a.Start) - int(b.Start) })
	for i := 1; i < len(found); i++ {
		if before := found[i-1]; found[i].Start < before.End {
			return nil, fmt.Errorf("%q is %s, and %s", schema[found[i].Start:found[i].End], before.Class, found[i].Class)
		}
	}
	return found, nil
}
