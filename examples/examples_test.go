// Package examples_test runs the examples as their readers do, and keeps the
// generated code beside them current.
package examples_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "generate the examples' code and write what they print anew")

// tool is the path of the sdp that the tests built.
var tool string

func TestMain(m *testing.M) {
	os.Exit(withTool(m))
}

func withTool(m *testing.M) int {
	flag.Parse()
	dir, err := os.MkdirTemp("", "sdp-examples-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	tool = filepath.Join(dir, "sdp")
	if out, err := exec.Command("go", "build", "-o", tool, "../cmd/sdp").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// run runs a program in a folder and returns what it prints.
func run(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	command := exec.Command(program, args...)
	command.Dir = dir
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s %v in %s: %v\n%s%s", filepath.Base(program), args, dir, err, out, stderr.String())
	}
	return string(out)
}

// projects are the folders below this one that have a config file.
func projects(t *testing.T) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "out" || entry.Name() == "node_modules"): // others write there
			return filepath.SkipDir
		case entry.Name() == "sdp.toml":
			found = append(found, filepath.Dir(path))
		}
		return nil
	})
	if err != nil || len(found) < 4 {
		t.Fatalf("found the projects %v, %v", found, err)
	}
	return found
}

func TestGeneratedCodeIsCurrent(t *testing.T) {
	for _, dir := range projects(t) {
		t.Run(dir, func(t *testing.T) {
			run(t, dir, tool, "check")
			run(t, dir, tool, "fmt", "--check")
			if dir == "migration" {
				return // its code is not committed
			}
			if *update {
				run(t, dir, tool, "gen")
			}
			run(t, dir, tool, "gen", "--check")
		})
	}
}

func TestExamplesPrintWhatTheirReadersExpect(t *testing.T) {
	for _, example := range []string{"registry", "stream", "evolution", "services"} {
		t.Run(example, func(t *testing.T) {
			got := run(t, "..", "go", "run", "./examples/"+example)
			golden := filepath.Join(example, "output.txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("printed:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// TestPlayerCompilesAgainstTheNextRelease replaces the import in the old
// program's source, as its author would on the day of the upgrade.
func TestPlayerCompilesAgainstTheNextRelease(t *testing.T) {
	source, err := filepath.Abs("evolution/player/player.go")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	const old, next = "examples/evolution/v1/session", "examples/evolution/v2/session"
	if n := strings.Count(string(text), old); n != 1 {
		t.Fatalf("the player imports the first release %d times", n)
	}
	upgraded := filepath.Join(t.TempDir(), "player.go")
	if err := os.WriteFile(upgraded, []byte(strings.Replace(string(text), old, next, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {source: upgraded}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(path, overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	out := run(t, "..", "go", "run", "-overlay", path, "./examples/evolution")
	if !strings.Contains(out, "of kind Video") {
		t.Errorf("the upgraded player doesn't know the new kind:\n%s", out)
	}
}

// TestTheNextReleaseBreaksOnlyJSON keeps what the example's README says.
func TestTheNextReleaseBreaksOnlyJSON(t *testing.T) {
	breaking := func(options ...string) (string, error) {
		arguments := append([]string{"breaking", "--against", "evolution/v1/session.sdp", "evolution/v2/session.sdp"}, options...)
		out, err := exec.Command(tool, arguments...).Output()
		return string(out), err
	}
	if report, err := breaking(); err != nil {
		t.Errorf("sdp breaking: %v\n%s", err, report)
	}
	report, err := breaking("--for", "all")
	if _, refused := err.(*exec.ExitError); !refused {
		t.Fatalf("sdp breaking --for all: %v", err)
	}
	if strings.Count(report, "✗") != 2 || strings.Count(report, "JSON ✗") != 2 {
		t.Errorf("sdp breaking --for all says:\n%s", report)
	}
}
