package place

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

func TestLaidSourceHasNoTestsAndNoForeignFeatures(t *testing.T) {
	const text = `//! A module.

mod error;
#[cfg(feature = "serde")]
mod json;
/// Of interest.
#[cfg(feature = "bytes")]
#[doc(hidden)]
pub mod shared;
#[cfg(test)]
mod samples;

pub use error::Error;
#[cfg(feature = "serde")]
pub use json::{
    Reader,
    Writer,
};

/// Kept, though it is of a feature.
#[cfg(feature = "std")]
pub use error::Io;

#[cfg(feature = "serde")]
impl Error {}

#[cfg(test)]
mod tests {
    #[test]
    fn fails() {}
}
`
	const want = `//! A module.

mod error;

pub use error::Error;

/// Kept, though it is of a feature.
#[cfg(feature = "std")]
pub use error::Io;

#[cfg(feature = "serde")]
impl Error {}
`
	if got := laidSource(text); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// TestLaidManifestSaysWhatTheRuntimeSays compares the laid manifest with the manifests that build
// and publish the runtime.
func TestLaidManifestSaysWhatTheRuntimeSays(t *testing.T) {
	files, err := rustRuntimeFiles(projectVersion(t))
	if err != nil {
		t.Fatal(err)
	}
	laid := parse(t, files[manifestName])
	own := parse(t, readFile(t, "../../runtime/rust/Cargo.toml"))
	shared := parse(t, readFile(t, "../../Cargo.toml"))["workspace"].(map[string]any)["package"].(map[string]any)

	pkg, ownPkg := laid["package"].(map[string]any), own["package"].(map[string]any)
	for _, key := range []string{"version", "edition", "rust-version", "license", "repository"} {
		if pkg[key] != shared[key] || pkg[key] == nil {
			t.Errorf("the laid manifest says %s = %v, and the workspace %v", key, pkg[key], shared[key])
		}
	}
	if pkg["description"] != ownPkg["description"] {
		t.Errorf("the laid manifest is described as %q", pkg["description"])
	}
	if library := own["lib"].(map[string]any)["name"]; pkg["name"] != library {
		t.Errorf("the laid crate is called %v, and the runtime's library %v", pkg["name"], library)
	}
	if own["dependencies"] == nil && own["features"] == nil || laid["dependencies"] != nil {
		t.Error("the laid crate has dependencies, or the runtime's manifest was not read")
	}
	want := map[string]any{}
	for name, needs := range own["features"].(map[string]any) {
		if name != "serde" && name != "bytes" {
			want[name] = needs
		}
	}
	if !reflect.DeepEqual(laid["features"], want) {
		t.Errorf("the laid crate has the features %v, want %v", laid["features"], want)
	}
}

func TestLaidRuntimeIsMarkedAndHasNoTests(t *testing.T) {
	files, err := rustRuntimeFiles(projectVersion(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		first, rest, _ := strings.Cut(string(text), "\n")
		if !strings.Contains(first, rustRuntime.mark) || !strings.HasSuffix(first, "DO NOT EDIT.") {
			t.Errorf("%s begins with %q", name, first)
		}
		if strings.Contains(rest, "DO NOT EDIT") || strings.Contains(rest, "#[test]") {
			t.Errorf("%s has a second mark or a test", name)
		}
		if module := strings.TrimSuffix(filepath.Base(name), ".rs"); module == "serde" || module == "json" {
			t.Errorf("%s is laid, though its feature is not", name)
		}
	}
	if len(files) < 5 {
		t.Errorf("only %d files are laid", len(files))
	}
}

// projectVersion is that of the whole project.
func projectVersion(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(string(readFile(t, "../../VERSION")))
}

func parse(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var table map[string]any
	if err := toml.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	return table
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
