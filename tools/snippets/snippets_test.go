// Package snippets_test does what the README and the documents in docs/ tell
// their readers to do: it runs the commands, generates the code of the schemas
// and builds every piece of Go against it.
package snippets_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// snippet is a fenced block of a document.
type snippet struct {
	language, text string
	line           int
}

var fenced = regexp.MustCompile("(?ms)^```([a-z,]*)\n(.*?)^```$")

func snippetsOf(t *testing.T, document string) []snippet {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, document))
	if err != nil {
		t.Fatal(err)
	}
	var all []snippet
	for _, at := range fenced.FindAllStringSubmatchIndex(string(text), -1) {
		all = append(all, snippet{
			language: string(text[at[2]:at[3]]),
			text:     string(text[at[4]:at[5]]),
			line:     strings.Count(string(text[:at[4]]), "\n") + 1,
		})
	}
	return all
}

func of(language string, all []snippet) []snippet {
	return slices.DeleteFunc(slices.Clone(all), func(s snippet) bool { return s.language != language })
}

// documents are the Markdown files for users of SDP.
func documents(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			found = append(found, strings.TrimPrefix(filepath.ToSlash(path), root+"/"))
		}
	}
	return found
}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(withTool(m))
}

// withTool puts the sdp of this repository first into the path.
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
	if out, err := exec.Command("go", "build", "-o", dir, root+"/cmd/sdp").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
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

// begin follows the README up to the generated code of its schema, and returns
// the folder of the new module.
func begin(t *testing.T) string {
	t.Helper()
	readme := snippetsOf(t, "README.md")
	commands, schemas := of("sh", readme), of("sdp", readme)
	if len(commands) != 1 || len(schemas) != 1 {
		t.Fatalf("README.md has %d blocks of commands and %d schemas, and this test follows one of each", len(commands), len(schemas))
	}
	dir := t.TempDir()
	run(t, dir, "bash", "-euc", commands[0].text+"go build ./...\n")
	module := filepath.Join(dir, "plugins")
	if err := os.WriteFile(filepath.Join(module, "plugins.sdp"), []byte(schemas[0].text), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, module, "sdp", "check")
	run(t, module, "sdp", "fmt", "--check")
	run(t, module, "sdp", "gen")
	return module
}

// serving makes a module with the code of the services that a document declares, in
// which the MXP library is this repository's.
func serving(t *testing.T, document string) string {
	t.Helper()
	schemas := of("sdp", snippetsOf(t, document))
	if len(schemas) != 1 {
		t.Fatalf("%s has %d schemas, and this test follows one", document, len(schemas))
	}
	library, err := filepath.Abs(filepath.Join(root, "mxp", "go"))
	if err != nil {
		t.Fatal(err)
	}
	module := t.TempDir()
	// What the library needs, in the versions that it is tested with.
	for name, head := range map[string]string{"go.mod": "module plugins\n\nreplace " + mxpModule + " => " + library + "\n\nrequire " + mxpModule + " v0.0.0\n", "go.sum": ""} {
		text, err := os.ReadFile(filepath.Join(library, name))
		if err != nil {
			t.Fatal(err)
		}
		rest := strings.TrimPrefix(string(text), "module "+mxpModule+"\n")
		if err := os.WriteFile(filepath.Join(module, name), []byte(head+rest), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(module, "host.sdp"), []byte(schemas[0].text), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, module, "sdp", "check", "host.sdp")
	run(t, module, "sdp", "fmt", "--check", "host.sdp")
	run(t, module, "sdp", "gen", "host.sdp", "--services", "--out", "go=go")
	return module
}

const mxpModule = "github.com/serial-data-protocol/sdp/mxp/go"

// imports are what a piece of Go without a package clause may use, in gofmt's
// order.
var imports = []string{
	"context", "encoding/json", "errors", "fmt", mxpModule, mxpModule + "/session", "io", "log", "plugins/go/host", "plugins/go/plugins",
	"plugins/go/sdp", "strings", "time",
}

// completed makes a file of a piece: one that has no package clause gets one,
// and the imports that it uses.
func completed(text string) string {
	if strings.HasPrefix(text, "package ") {
		return text
	}
	head := "package main\n\nimport (\n"
	for _, path := range imports {
		name, line := path[strings.LastIndex(path, "/")+1:], "\t\""+path+"\"\n"
		if path == mxpModule {
			name, line = "mxp", "\tmxp \""+path+"\"\n"
		}
		if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(text) {
			head += line
		}
	}
	return head + ")\n\n" + text
}

func TestGoInDocumentsCompiles(t *testing.T) {
	plain, services := begin(t), serving(t, "docs/go.md")
	seen := 0
	for _, document := range documents(t) {
		for _, s := range of("go", snippetsOf(t, document)) {
			seen++
			t.Run(fmt.Sprintf("%s:%d", document, s.line), func(t *testing.T) {
				text, module := completed(s.text), plain
				if strings.Contains(text, mxpModule) {
					module = services
				}
				dir := filepath.Join(module, fmt.Sprintf("snippet%d", seen))
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(text, "func main()") {
					text += "\nfunc main() {}\n"
				}
				if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				run(t, dir, "go", "vet", ".")
				run(t, dir, "go", "run", ".")
				if different := run(t, dir, "gofmt", "-l", "."); different != "" {
					t.Errorf("gofmt would write this differently")
				}
			})
		}
	}
	if seen < 8 {
		t.Errorf("only %d pieces of Go were found", seen)
	}
}

func TestReadmeProgramPrintsThatNothingIsLost(t *testing.T) {
	module := begin(t)
	programs := of("go", snippetsOf(t, "README.md"))
	if len(programs) != 1 {
		t.Fatalf("README.md has %d programs", len(programs))
	}
	if err := os.WriteFile(filepath.Join(module, "main.go"), []byte(programs[0].text), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := run(t, module, "go", "run", "."); out != "true\nCompressor 1\n" {
		t.Errorf("the program of README.md prints %q", out)
	}
}
