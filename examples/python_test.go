package examples_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pythonOf is an interpreter with the packages of an example, which stay for later tests.
func pythonOf(t *testing.T, example string) string {
	t.Helper()
	folder, err := filepath.Abs(filepath.Join("..", "target", example))
	if err != nil {
		t.Fatal(err)
	}
	python, mark := filepath.Join(folder, "bin", "python"), filepath.Join(folder, ".installed.txt")
	requirements := filepath.Join(example, "requirements.txt")
	wanted, err := os.ReadFile(requirements)
	if err != nil {
		t.Fatal(err)
	}
	if there, err := os.ReadFile(mark); err == nil && bytes.Equal(there, wanted) {
		return python
	}
	run(t, ".", "python3", "-m", "venv", "--clear", folder)
	run(t, ".", python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--requirement", requirements)
	if err := os.WriteFile(mark, wanted, 0o666); err != nil {
		t.Fatal(err)
	}
	return python
}

// TestDuckDBAnswersAsItsReadmeSays compares with the last block of the page.
func TestDuckDBAnswersAsItsReadmeSays(t *testing.T) {
	python, folder := pythonOf(t, "duckdb"), t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("duckdb")); err != nil {
		t.Fatal(err)
	}
	registry, err := filepath.Abs("registry")
	if err != nil {
		t.Fatal(err)
	}
	run(t, folder, tool, "gen", filepath.Join(registry, "plugins.sdp"), "--out", "py=schemas")
	got := run(t, folder, python, "registry.py", filepath.Join(registry, "lv2-62.json"))

	const page, fence = "duckdb/README.md", "```\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(text), fence)
	last := len(parts) - 2
	if last < 1 {
		t.Fatalf("%s has no block", page)
	}
	want := parts[last]
	if *update {
		parts[last], want = got, got
		if err := os.WriteFile(page, []byte(strings.Join(parts, fence)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got != want {
		t.Errorf("printed:\n%s\nwant:\n%s", got, want)
	}
}
