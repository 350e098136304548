// Command build makes the playground: one folder of files, which any server of static
// files serves. `make playground` runs it, with Node's packages in place.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/serial-data-protocol/sdp/playground/api"
	"github.com/serial-data-protocol/sdp/playground/examples"
)

// sources and made are folders from the repository's root.
const (
	sources = "playground"
	made    = "target/playground"
	// parts has what goes into the page's scripts, and is no part of the folder itself.
	parts = "target/playground-parts"
	// checks has the tests, and the tool that they compare with.
	checks = "target/playground-tests"
)

var withSizes = flag.Bool("sizes", false, "print what the folder takes on its way to a browser")

var withTests = flag.Bool("tests", false, "make the tests, too, and the tool that they compare with")

// copied are the page's files that need no making.
var copied = []string{"index.html", "style.css", "icon.svg"}

func main() {
	flag.Parse()
	if err := build(); err != nil {
		fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(1)
	}
}

func build() error {
	if err := enterRoot(); err != nil {
		return err
	}
	// Files of an earlier release would be served with the files of this one.
	if err := os.RemoveAll(made); err != nil {
		return err
	}
	for _, dir := range []string{made, parts} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	steps := []func() error{compiler, pageParts, scripts, pages}
	if *withTests {
		steps = append(steps, tests)
	}
	if *withSizes {
		steps = append(steps, func() error { return run(nil, "node", sources+"/build/sizes.mjs", made) })
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func enterRoot() error {
	out, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return fmt.Errorf("this is no clone of the repository: %w", err)
	}
	return os.Chdir(filepath.FromSlash(strings.TrimSpace(string(out))))
}

// version is that of the whole project.
func version() (string, error) {
	text, err := os.ReadFile("VERSION")
	return strings.TrimSpace(string(text)), err
}

// compiler compiles the compiler. Without inlining it is a seventh smaller once it is
// compressed, and not slower in a way that a person notices.
func compiler() error {
	version, err := version()
	if err != nil {
		return err
	}
	flags := "-s -w -X main.version=" + version
	return run([]string{"GOOS=js", "GOARCH=wasm"}, "go", "build", "-trimpath", "-gcflags=all=-l", "-ldflags="+flags,
		"-o", filepath.Join(made, "sdp.wasm"), "./"+sources+"/wasm")
}

// pageParts writes parts of the page's script: the examples, and the compiler's information about
// itself.
func pageParts() error {
	list, err := examples.Read(".")
	if err != nil {
		return err
	}
	version, err := version()
	if err != nil {
		return err
	}
	var reply struct{ Answer json.RawMessage }
	if err := json.Unmarshal(api.New(version).Answer([]byte(`{"ask": "about"}`)), &reply); err != nil {
		return err
	}
	text, err := json.Marshal(map[string]any{"about": reply.Answer, "examples": list})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(parts, "parts.json"), text, 0o666)
}

// scripts bundles the page and its worker. Go's own distribution has what its WebAssembly
// needs of JavaScript.
func scripts() error {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	support := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js")
	for from, to := range map[string]string{"main.ts": "page.js", "worker.ts": "worker.js"} {
		err := bundle("web/"+from, made+"/"+to, "--minify", "--format=iife", "--target=es2022", "--legal-comments=eof", "--alias:wasm_exec="+support)
		if err != nil {
			return err
		}
	}
	return nil
}

// bundle makes one script of a source and all that it imports.
func bundle(from, to string, options ...string) error {
	listed, err := filepath.Abs(filepath.Join(parts, "parts.json"))
	if err != nil {
		return err
	}
	command := []string{sources + "/node_modules/.bin/esbuild", sources + "/" + from, "--bundle", "--charset=utf8", "--log-level=warning",
		"--alias:parts.json=" + listed, "--outfile=" + to}
	return run(nil, append(command, options...)...)
}

// tests bundles the tests but for packages, and builds the tool.
func tests() error {
	found, err := filepath.Glob(sources + "/tests/*.test.ts")
	if err != nil {
		return err
	}
	for _, path := range found {
		name := filepath.Base(path)
		to := checks + "/" + strings.TrimSuffix(name, ".ts") + ".mjs"
		if err := bundle("tests/"+name, to, "--platform=node", "--format=esm", "--target=node20"); err != nil {
			return err
		}
	}
	return run(nil, "go", "build", "-o", checks+"/sdp", "./cmd/sdp")
}

func pages() error {
	for _, name := range copied {
		text, err := os.ReadFile(filepath.Join(sources, "web", name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(made, name), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// run runs a command with additions to the environment, and shows what it prints.
func run(env []string, command ...string) error {
	c := exec.Command(command[0], command[1:]...)
	c.Env = append(os.Environ(), env...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(command, " "), err)
	}
	return nil
}
