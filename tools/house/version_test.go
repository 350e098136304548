package house_test

import (
	"regexp"
	"strings"
	"testing"
)

func TestVersionHasItsPlaceInTheChangelog(t *testing.T) {
	version := strings.TrimSpace(string(read(t, "VERSION")))
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(version) {
		t.Fatalf("VERSION says %q", version)
	}
	changelog := string(read(t, "CHANGELOG.md"))
	// A section of unreleased changes may stand above.
	first := regexp.MustCompile(`(?m)^## (\d\S*)`).FindStringSubmatch(changelog)
	if first == nil || first[1] != version {
		t.Errorf("the first section of CHANGELOG.md is %q, and VERSION says %s", first, version)
	}
}

// TestVersionStandsInOneFile finds manifests that say a version of their own. A
// crate that is never published may have one. The version that the programs report is kept by a
// test of compiler/version.
func TestVersionStandsInOneFile(t *testing.T) {
	version := strings.TrimSpace(string(read(t, "VERSION")))
	stated := map[string]*regexp.Regexp{
		"Cargo.toml":       regexp.MustCompile(`(?m)^version = "([^"]+)"`),
		"pyproject.toml":   regexp.MustCompile(`(?m)^version = "([^"]+)"`),
		"package.json":     regexp.MustCompile(`(?m)^  "version": "([^"]+)"`),
		"extension.toml":   regexp.MustCompile(`(?m)^version = "([^"]+)"`),
		"tree-sitter.json": regexp.MustCompile(`(?m)^    "version": "([^"]+)"`),
		"CMakeLists.txt":   regexp.MustCompile(`(?m)^project\(.*VERSION ([0-9.]+)`),
	}
	for _, name := range files(t) {
		pattern, found := stated[name[strings.LastIndex(name, "/")+1:]]
		if !found {
			continue
		}
		text := read(t, name)
		if regexp.MustCompile(`(?m)^publish = false$`).Match(text) {
			continue
		}
		for _, match := range pattern.FindAllSubmatch(text, -1) {
			if string(match[1]) != version {
				t.Errorf("%s says %s, and VERSION says %s", name, match[1], version)
			}
		}
	}
}

// TestPublishedCratesHaveTheVersionOfTheWorkspace finds a crate that would be
// published under another version.
func TestPublishedCratesHaveTheVersionOfTheWorkspace(t *testing.T) {
	version := strings.TrimSpace(string(read(t, "VERSION")))
	if !strings.Contains(string(read(t, "Cargo.toml")), "[workspace.package]\nversion = \""+version+"\"\n") {
		t.Errorf("the workspace in Cargo.toml does not say version %s first", version)
	}
	for _, crate := range []string{"runtime/rust", "runtime/rust-build"} {
		if !strings.Contains(string(read(t, crate+"/Cargo.toml")), "\nversion.workspace = true\n") {
			t.Errorf("%s has a version of its own", crate)
		}
	}
}
