package snippets_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The Rust of docs/rust.md is compiled as a test of examples/registry/rust, but that of
// services.
func TestReadmeRustProgramPrintsThatNothingIsLost(t *testing.T) {
	module := begin(t)
	programs := of("rust", snippetsOf(t, "README.md"))
	if len(programs) != 1 {
		t.Fatalf("README.md has %d programs in Rust", len(programs))
	}
	crate := filepath.Join(module, "rust")
	program := filepath.Join(crate, "src", "main.rs")
	if err := os.WriteFile(program, []byte(programs[0].text), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := run(t, crate, "cargo", "run", "--quiet", "--offline"); out != "true\nCompressor 1\n" {
		t.Errorf("the Rust program of README.md prints %q", out)
	}
	if out := run(t, crate, "rustfmt", "--check", "--edition", "2021", program); out != "" {
		t.Errorf("rustfmt would write the Rust program of README.md differently:\n%s", out)
	}
}

// TestRustServicesInDocumentsCompile makes a crate of a document's services, with
// the dependencies of the program that calls between languages.
func TestRustServicesInDocumentsCompile(t *testing.T) {
	all := snippetsOf(t, "docs/rust.md")
	schemas, pieces := of("sdp", all), of("rust,ignore", all)
	if len(schemas) != 1 || len(pieces) != 2 {
		t.Fatalf("docs/rust.md has %d schemas and %d pieces of services", len(schemas), len(pieces))
	}
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	crate := t.TempDir()
	text := "#![allow(dead_code)]\n\nmod host;\nmod host_service;\n\n" + pieces[0].text + "\n" + pieces[1].text + "\nfn main() {}\n"
	files := map[string]string{"host.sdp": schemas[0].text, "src/main.rs": text}
	for _, name := range []string{"Cargo.toml", "Cargo.lock"} {
		found, err := os.ReadFile(filepath.Join(here, "conformance", "services", "rust", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = strings.ReplaceAll(string(found), "{{root}}", filepath.ToSlash(here))
	}
	for name, text := range files {
		path := filepath.Join(crate, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run(t, crate, "sdp", "check", "host.sdp")
	run(t, crate, "sdp", "fmt", "--check", "host.sdp")
	run(t, crate, "sdp", "gen", "host.sdp", "--services", "--out", "rust=src")
	run(t, crate, "cargo", "check", "--quiet", "--offline", "--locked", "--target-dir", filepath.Join(here, "target", "services"))
	run(t, crate, "rustfmt", "--check", "--edition", "2021", filepath.Join("src", "main.rs"))
}
