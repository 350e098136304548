package lsp

import (
	"encoding/json"
	"strings"
	"testing"
)

const relay = "package relay;\nmessage Ask { a: u8 }\nservice Desk { call ask(Ask) -> Ask = 1; }\n"

func renaming(c *client, word, name string) answer {
	return c.ask("textDocument/rename", strings.TrimSuffix(c.at("relay.sdp", in(relay, word, 1)), "}")+`,"newName":`+quoted(name)+`}`)
}

// TestRenameRefusesBuiltInTypes renames to words that are names elsewhere.
func TestRenameRefusesBuiltInTypes(t *testing.T) {
	c := start(t, map[string]string{"relay.sdp": relay}, "")
	c.opens("relay.sdp", relay)
	for _, name := range []string{"str", "map", "Option", "Desk", "3d"} {
		if got := renaming(c, "Ask {", name); got.Error == nil {
			t.Errorf("a type may be called %s: %s", name, got.Result)
		}
	}
	for _, name := range []string{"stream", "struct"} {
		if got := renaming(c, "a: u8", name); got.Error != nil {
			t.Errorf("a field called %s: %v", name, got.Error)
		}
	}
}

// TestEditsHaveTheVersionsOfOpenDocuments looks at what a client gets that takes them.
func TestEditsHaveTheVersionsOfOpenDocuments(t *testing.T) {
	c := start(t, map[string]string{"relay.sdp": relay}, `{"workspace":{"workspaceEdit":{"documentChanges":true}}}`)
	c.opens("relay.sdp", relay)
	c.changes("relay.sdp", 7, change{Text: relay})
	var edit workspaceEdit
	if err := json.Unmarshal(renaming(c, "Ask {", "Question").Result, &edit); err != nil {
		t.Fatal(err)
	}
	if len(edit.Changes) > 0 || len(edit.DocumentChanges) != 1 || len(edit.DocumentChanges[0].Edits) != 3 || edit.DocumentChanges[0].Document.Version == nil || *edit.DocumentChanges[0].Document.Version != 7 {
		t.Errorf("the edit is %+v", edit)
	}
}
