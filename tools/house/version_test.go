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
	first := regexp.MustCompile(`(?m)^## (\S+)`).FindStringSubmatch(changelog)
	if first == nil || first[1] != version {
		t.Errorf("the first section of CHANGELOG.md is %q, and VERSION says %s", first, version)
	}
}

// TestVersionStandsInOneFile finds manifests that say a version of their own.
// What the tool reports is kept by a test of compiler/driver.
func TestVersionStandsInOneFile(t *testing.T) {
	version := strings.TrimSpace(string(read(t, "VERSION")))
	stated := map[string]*regexp.Regexp{
		"Cargo.toml":     regexp.MustCompile(`(?m)^version = "([^"]+)"`),
		"pyproject.toml": regexp.MustCompile(`(?m)^version = "([^"]+)"`),
		"package.json":   regexp.MustCompile(`(?m)^  "version": "([^"]+)"`),
		"CMakeLists.txt": regexp.MustCompile(`(?m)^project\(.*VERSION ([0-9.]+)`),
	}
	for _, name := range files(t) {
		pattern, found := stated[name[strings.LastIndex(name, "/")+1:]]
		if !found {
			continue
		}
		for _, match := range pattern.FindAllSubmatch(read(t, name), -1) {
			if string(match[1]) != version {
				t.Errorf("%s says %s, and VERSION says %s", name, match[1], version)
			}
		}
	}
}
