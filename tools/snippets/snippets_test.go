// Package snippets_test does what the README and the documents in docs/ tell
// their readers to do: it runs the commands, generates the code of the schemas
// and builds every piece of code against it.
package snippets_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(withTool(m))
}

// withTool puts the sdp and the sdp-mcp of this repository first into the path.
func withTool(m *testing.M) int {
	dir, err := os.MkdirTemp("", "sdp-snippets-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for module, program := range map[string]string{root: "./cmd/sdp", root + "/mcp": "./cmd/sdp-mcp"} {
		if out, err := exec.Command("go", "build", "-C", module, "-o", dir, program).CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
			return 1
		}
	}
	return m.Run()
}

func run(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	command := exec.Command(program, args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// absolute is the path of something in the repository.
func absolute(t *testing.T, path string) string {
	t.Helper()
	absolute, err := filepath.Abs(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return absolute
}

// put writes files into a folder.
func put(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// begin makes a project of the schema and the config that pieces of documents are about,
// which are files of docs/start.md, and returns its folder.
func begin(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	run(t, dir, "sdp", "init", "plugins")
	module := filepath.Join(dir, "plugins")
	for _, b := range blocksOf(t, "docs/start.md") {
		if b.file == "plugins.sdp" || b.file == "sdp.toml" {
			put(t, module, map[string]string{b.file: b.text})
		}
	}
	run(t, module, "sdp", "gen")
	return module
}

// formsOf is the flag for the forms that a document says that its pieces use.
func formsOf(t *testing.T, document string) string {
	t.Helper()
	text, err := os.ReadFile(absolute(t, document))
	if err != nil {
		t.Fatal(err)
	}
	said := regexp.MustCompile("`forms = \\[(.*?)\\]`").FindSubmatch(text)
	if said == nil {
		t.Fatalf("%s does not say which forms its pieces use", document)
	}
	return "--forms=" + strings.ReplaceAll(string(said[1]), `"`, "")
}

// schemaOf is the one schema of a document, which is checked.
func schemaOf(t *testing.T, document string) string {
	t.Helper()
	schemas := of("sdp", blocksOf(t, document))
	if len(schemas) != 1 {
		t.Fatalf("%s has %d schemas, and this test follows one", document, len(schemas))
	}
	checked(t, schemas[0])
	return schemas[0].text
}

// checked lets the compiler look at a schema, alone.
func checked(t *testing.T, b block) {
	t.Helper()
	folder := t.TempDir()
	put(t, folder, map[string]string{"schema.sdp": b.text})
	run(t, folder, "sdp", "check", "schema.sdp")
	run(t, folder, "sdp", "fmt", "--check", "schema.sdp")
}
