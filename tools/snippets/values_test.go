package snippets_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// valueCrate is the crate of the program of docs/rust.md that makes values.
const valueCrate = `[package]
name = "values-example"
version = "0.0.0"
edition = "2021"

[workspace]

[features]
default = ["serde"]
serde = ["serial-data-protocol/serde"]

[dependencies]
serial-data-protocol = { path = %q }
`

// valuePage is a page that makes the value of docs/json.md in its language.
type valuePage struct {
	document, language, file string
	// build compiles the program in a folder that has its files, and returns what it prints.
	build func(t *testing.T, folder string) string
}

var valuePages = []valuePage{
	{"docs/go.md", "go", "main.go", func(t *testing.T, folder string) string {
		put(t, folder, map[string]string{"go.mod": "module example.com/take\n\ngo 1.24\n"})
		run(t, folder, "sdp", "gen", "take.sdp", "--out", "go=gen")
		if different := run(t, folder, "gofmt", "-l", "main.go"); different != "" {
			t.Error("gofmt would write it differently")
		}
		return run(t, folder, "go", "run", ".")
	}},
	{"docs/rust.md", "rust", "src/main.rs", func(t *testing.T, folder string) string {
		lock, err := os.ReadFile(absolute(t, "Cargo.lock"))
		if err != nil {
			t.Fatal(err)
		}
		runtime := filepath.ToSlash(absolute(t, "runtime/rust"))
		put(t, folder, map[string]string{"Cargo.toml": fmt.Sprintf(valueCrate, runtime), "Cargo.lock": string(lock)})
		run(t, folder, "sdp", "gen", "take.sdp", "--out", "rust=src")
		run(t, folder, "rustfmt", "--check", "--edition", "2021", "--config", "skip_children=true", "src/main.rs")
		return run(t, folder, "cargo", "run", "--quiet", "--offline", "--target-dir", absolute(t, "target"))
	}},
	{"docs/cpp.md", "cpp", "main.cpp", func(t *testing.T, folder string) string {
		run(t, folder, "sdp", "gen", "take.sdp", "--out", "cpp=.")
		run(t, folder, "clang-format-16", "--style=file:"+absolute(t, "runtime/cpp/.clang-format"), "--dry-run", "-Werror", "main.cpp")
		run(t, folder, "g++", append(strings.Fields(cppWarnings), "main.cpp", "-o", "values")...)
		return run(t, folder, filepath.Join(folder, "values"))
	}},
	{"docs/python.md", "python", "main.py", func(t *testing.T, folder string) string {
		run(t, folder, "sdp", "gen", "take.sdp", "--out", "py=schemas")
		return run(t, folder, "python3", "-W", "error", "main.py")
	}},
	{"docs/typescript.md", "ts", "src/main.ts", func(t *testing.T, folder string) string {
		packages := absolute(t, "runtime/typescript/node_modules")
		config := strings.Replace(fmt.Sprintf(typescriptConfig, filepath.ToSlash(filepath.Join(packages, "@types"))), `["ts", "blocks"]`, `["src"]`, 1)
		put(t, folder, map[string]string{"tsconfig.json": config, "package.json": `{"type": "module"}`})
		run(t, folder, "sdp", "gen", "take.sdp", "--out", "ts=src")
		run(t, folder, filepath.Join(packages, ".bin", "tsc"), "-p", ".")
		return run(t, folder, "node", filepath.Join("out", "main.js"))
	}},
}

// fileOf is the block of a document that is a file of this name.
func fileOf(t *testing.T, document, name string) string {
	t.Helper()
	for _, b := range blocksOf(t, document) {
		if b.file == name {
			return b.text
		}
	}
	t.Fatalf("%s has no file %s", document, name)
	return ""
}

// TestValuesAreTheSameInEveryLanguage runs the program that begins each language's page: all
// have the schema and the JSON of docs/json.md, print that JSON, and read the same value back.
func TestValuesAreTheSameInEveryLanguage(t *testing.T) {
	schema, text := fileOf(t, "docs/json.md", "take.sdp"), fileOf(t, "docs/json.md", "take.json")
	var want bytes.Buffer
	if err := json.Compact(&want, []byte(text)); err != nil {
		t.Fatal(err)
	}
	matched := []string{"peak -3.5", "reply done", "chorus 96000", "verse 0", "mute", "gain -6", "fade in ", "rename Lead"}
	for _, page := range valuePages {
		t.Run(page.language, func(t *testing.T) {
			if fileOf(t, page.document, "take.sdp") != schema || fileOf(t, page.document, "take.json") != text {
				t.Errorf("%s has another schema or another value than docs/json.md", page.document)
			}
			folder := t.TempDir()
			put(t, folder, map[string]string{"take.sdp": schema, page.file: fileOf(t, page.document, page.file)})
			printed, rest, _ := strings.Cut(page.build(t, folder), "\n")
			if printed != want.String() {
				t.Errorf("the program of %s prints\n%s\nand not\n%s", page.document, printed, want.String())
			}
			lines := strings.Split(strings.TrimSuffix(rest, "\n"), "\n")
			if len(lines) != len(matched)+1 || !strings.HasPrefix(lines[0], "0196b1a2-7c3e-7d10-8f00-0123456789ab ") {
				t.Fatalf("the program of %s reads\n%s", page.document, rest)
			}
			for i, line := range matched {
				// JavaScript prints its integers of 64 bits with an n.
				if !strings.HasPrefix(strings.TrimSuffix(lines[i+1], "n"), line) {
					t.Errorf("the program of %s reads %q and not %q", page.document, lines[i+1], line)
				}
			}
		})
	}
}
