package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBuildScriptCompilesSchemas builds the example as its README says, and
// again after a schema that it only imports changed.
func TestBuildScriptCompilesSchemas(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("SDP", tool)
	t.Setenv("CARGO_TARGET_DIR", filepath.Join(root, "target", "examples"))
	dir := crateElsewhere(t, "rust-build", root)
	want, err := os.ReadFile("rust-build/output.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := run(t, dir, "cargo", "run", "--quiet"); got != string(want) {
		t.Errorf("printed:\n%s\nwant:\n%s", got, want)
	}
	imported := filepath.Join(dir, "shared/audio.sdp")
	text, err := os.ReadFile(imported)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []struct{ old, next, says string }{
		{"decibel", "db", "no field named `decibel`"},
		{"f32", "f33", "error[S"},
	} {
		changed := strings.Replace(string(text), change.old, change.next, 1)
		if err := os.WriteFile(imported, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
		command := exec.Command("cargo", "run", "--quiet")
		command.Dir = dir
		if out, err := command.CombinedOutput(); err == nil || !strings.Contains(string(out), change.says) {
			t.Errorf("with %s for %s cargo ended with %v and said\n%s", change.next, change.old, err, out)
		}
	}
}

// TestBuildScriptCompilesServices builds the services' example without the code that is
// checked in there.
func TestBuildScriptCompilesServices(t *testing.T) {
	madeOf(t, "services", "../mxp/rust", "../runtime/rust", "../runtime/rust-build")
	root := absolute(t, "..")
	t.Setenv("SDP", tool)
	t.Setenv("CARGO_TARGET_DIR", filepath.Join(root, "target", "examples"))
	dir := crateElsewhere(t, "services/rust", root)
	edit := func(file, old, next string) {
		path := filepath.Join(dir, file)
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), old) {
			t.Fatalf("%s has no %q (%v)", file, old, err)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, next, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	edit("Cargo.toml", "[lints.clippy]", "[build-dependencies]\nsdp-build = { path = \""+filepath.ToSlash(root)+"/runtime/rust-build\" }\n\n[lints.clippy]")
	edit("src/main.rs", "mod mixer;\nmod mixer_service;\n", "include!(concat!(env!(\"OUT_DIR\"), \"/sdp/mod.rs\"));\n")
	for _, name := range []string{"mixer.rs", "mixer_service.rs"} {
		if err := os.Remove(filepath.Join(dir, "src", name)); err != nil {
			t.Fatal(err)
		}
	}
	schema := filepath.ToSlash(absolute(t, "services/mixer.sdp"))
	script := "fn main() -> Result<(), sdp_build::Error> {\n    sdp_build::Config::new().schema(\"" + schema + "\").services(true).compile()\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "build.rs"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("services/output.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := run(t, dir, "cargo", "run", "--quiet"); got != string(want) {
		t.Errorf("printed:\n%s\nwant:\n%s", got, want)
	}
}

// crateElsewhere copies a crate to a folder that a test may change, from where
// it still finds the crates of this repository.
func crateElsewhere(t *testing.T, dir, root string) string {
	t.Helper()
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	manifest := filepath.Join(copied, "Cargo.toml")
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	up := `"` + strings.Repeat("../", 1+strings.Count(filepath.ToSlash(dir), "/")) + "../"
	moved := strings.ReplaceAll(string(text), up, `"`+filepath.ToSlash(root)+"/")
	if err := os.WriteFile(manifest, []byte(moved), 0o644); err != nil {
		t.Fatal(err)
	}
	return copied
}
