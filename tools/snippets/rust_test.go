package snippets_test

import (
	"os"
	"path/filepath"
	"testing"
)

// The Rust of docs/rust.md is compiled as a test of examples/registry/rust.
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
