package snippets_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// serviceCrate is what pieces of Rust about services are compiled in. Its lock file is the
// repository's, and its features of tokio are the workspace's, so that its dependencies are
// compiled once.
const serviceCrate = `[package]
name = "pieces"
version = "0.0.0"
edition = "2021"

[workspace]

[features]
blocking = ["mesh-exchange-protocol/blocking"]

[dependencies]
mesh-exchange-protocol = { path = "%[1]s/mxp/rust", features = ["opentelemetry", "shm", "tls", "tokio"] }
opentelemetry = { version = "0.33", default-features = false, features = ["metrics", "trace"] }
sdp = { path = "sdp" }
tokio = { version = "1.38", features = ["macros", "process", "rt-multi-thread", "signal", "time"] }
`

// TestRustInDocumentsCompiles makes one crate of the pieces of docs/rust.md that are about
// services, and of the guides' pieces. The others of docs/rust.md are tests of
// examples/registry/rust.
func TestRustInDocumentsCompiles(t *testing.T) {
	lock, err := os.ReadFile(absolute(t, "Cargo.lock"))
	if err != nil {
		t.Fatal(err)
	}
	crate := t.TempDir()
	files := map[string]string{
		"host.sdp":   schemaOf(t, "docs/rust.md"),
		"meters.sdp": schemaOf(t, "docs/shm.md"),
		"Cargo.toml": fmt.Sprintf(serviceCrate, filepath.ToSlash(absolute(t, "."))),
		"Cargo.lock": string(lock),
	}
	main := "#![allow(dead_code)]\n\nmod host;\nmod host_service;\nmod meters;\nmod meters_service;\n"
	var sources []string
	piece := func(b block, text string) {
		name := fmt.Sprintf("line_%d_of_%s", b.line, strings.TrimSuffix(filepath.Base(b.document), ".md"))
		name = strings.ReplaceAll(name, "-", "_")
		main += "mod " + name + ";\n"
		files["src/"+name+".rs"] = text
		sources = append(sources, "src/"+name+".rs")
	}
	// The second piece of docs/rust.md goes on where the first ends; the pieces for threads stand
	// alone.
	pieces := of("rust,ignore", blocksOf(t, "docs/rust.md"))
	if len(pieces) < 3 {
		t.Fatalf("docs/rust.md has %d pieces about services", len(pieces))
	}
	piece(pieces[0], pieces[0].text+"\n"+pieces[1].text)
	for _, threads := range pieces[2:] {
		piece(threads, threads.text)
	}
	for _, document := range guides(t) {
		for _, b := range of("rust", blocksOf(t, document)) {
			piece(b, b.text)
		}
	}
	files["src/main.rs"] = main + "\nfn main() {}\n"
	put(t, crate, files)
	run(t, crate, "sdp", "gen", "host.sdp", "--services", "--out", "rust=src", formsOf(t, "docs/rust.md"))
	run(t, crate, "sdp", "gen", "meters.sdp", "--services", "--out", "rust=src")
	run(t, crate, "cargo", "check", "--quiet", "--offline", "--features", "blocking", "--target-dir", absolute(t, "target"))
	run(t, crate, "rustfmt", append([]string{"--check", "--edition", "2021", "--config", "skip_children=true"}, sources...)...)
}

func TestTOMLInDocumentsIsValid(t *testing.T) {
	for _, document := range documents(t) {
		for _, b := range of("toml", blocksOf(t, document)) {
			var any map[string]any
			if err := toml.NewDecoder(bytes.NewReader([]byte(b.text))).Decode(&any); err != nil {
				t.Errorf("%s:%d: %v", document, b.line, err)
			}
		}
	}
}
