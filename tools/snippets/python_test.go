package snippets_test

import (
	"fmt"
	"os"
	"testing"
)

// TestPythonInDocumentsRuns runs each block of docs/python.md: what a block says, it asserts.
func TestPythonInDocumentsRuns(t *testing.T) {
	folder := t.TempDir()
	registry, err := os.ReadFile(absolute(t, "examples/registry/plugins.sdp"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, folder, map[string]string{"plugins.sdp": string(registry)})
	run(t, folder, "sdp", "gen", "plugins.sdp", "--out", "py=schemas")
	blocks := of("python", blocksOf(t, "docs/python.md"))
	if len(blocks) < 4 {
		t.Fatalf("only %d blocks", len(blocks))
	}
	for _, b := range blocks {
		name := fmt.Sprintf("line%d.py", b.line)
		put(t, folder, map[string]string{name: b.text})
		run(t, folder, "python3", "-W", "error", name)
	}
}
