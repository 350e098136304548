package snippets_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const mxpModule = "github.com/serial-data-protocol/sdp/mxp/go"

// serving makes a module with the code of the services that a document declares, in
// which the MXP library is this repository's.
func serving(t *testing.T, document string) string {
	t.Helper()
	library := absolute(t, "mxp/go")
	files := map[string]string{"host.sdp": schemaOf(t, document)}
	// The library's dependencies, in the versions that it is tested with.
	for name, head := range map[string]string{"go.mod": "module plugins\n\nreplace " + mxpModule + " => " + library + "\n\nrequire " + mxpModule + " v0.0.0\n", "go.sum": ""} {
		text, err := os.ReadFile(filepath.Join(library, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = head + strings.NewReplacer("module "+mxpModule+"\n", "", "=> ../../runtime", "=> "+absolute(t, "runtime")).Replace(string(text))
	}
	module := t.TempDir()
	put(t, module, files)
	run(t, module, "sdp", "gen", "host.sdp", "--services", "--out", "go=go", formsOf(t, "docs/go.md"))
	return module
}

// imports are what a piece of Go without a package clause may use, in gofmt's
// order.
var imports = []string{
	"context", "crypto/tls", "crypto/x509", "encoding/json", "errors", "fmt", mxpModule, mxpModule + "/events", mxpModule + "/session", "io", "log", "os", "plugins/go/host",
	"plugins/go/plugins", "plugins/go/sdp", "strings", "sync", "time",
}

// completed makes a program of a piece: one that has no package clause gets one, and the
// imports that it uses.
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
	return head + ")\n\n" + text + "\nfunc main() {}\n"
}

// TestGoInDocumentsCompiles makes a folder of each piece, in one module for pieces that use MXP and
// one for the others.
func TestGoInDocumentsCompiles(t *testing.T) {
	plain, services := begin(t), serving(t, "docs/go.md")
	seen := 0
	for _, document := range documents(t) {
		for _, b := range of("go", blocksOf(t, document)) {
			seen++
			text, module := completed(b.text), plain
			if strings.Contains(text, mxpModule) || strings.Contains(text, "crypto/tls") {
				module = services
			}
			folder := fmt.Sprintf("%s-%d", strings.NewReplacer("/", "-", ".", "-").Replace(document), b.line)
			put(t, filepath.Join(module, folder), map[string]string{"main.go": text})
		}
	}
	for _, module := range []string{plain, services} {
		run(t, module, "go", "build", "./...")
		run(t, module, "go", "vet", "./...")
		if different := run(t, module, "gofmt", "-l", "."); different != "" {
			t.Errorf("gofmt would write these differently:\n%s", different)
		}
	}
	if seen < 8 {
		t.Errorf("only %d pieces of Go were found", seen)
	}
}
