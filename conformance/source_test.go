// Package conformance_test holds the compiler against the schemas of the
// conformance suite, where what a clause demands shows in no bytes.
package conformance_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// schemas are the texts of all schema files by name.
func schemas(t *testing.T) check.Memory {
	t.Helper()
	files := check.Memory{}
	paths, err := filepath.Glob("schemas/*.sdp")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no schemas: %v", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = string(text)
	}
	return files
}

func sourceFingerprint(t *testing.T, files check.Memory, name string) uint64 {
	t.Helper()
	schema, problems := check.Program(files, []string{name}, format.Canonical)
	if schema == nil {
		t.Fatalf("%s: %v", name, problems.Sorted()[0])
	}
	return plan.SourceFingerprint(schema.Roots[0])
}

// [EVO-6.8]
func TestSourceFingerprintIgnoresCommentsAndLayout(t *testing.T) {
	files := schemas(t)
	for name, text := range files {
		want := sourceFingerprint(t, files, name)
		for about, changed := range map[string]string{
			"comments":    strings.ReplaceAll(text, "\n", " // a comment\n"),
			"line ends":   strings.ReplaceAll(text, "\n", "\r\n"),
			"indentation": strings.ReplaceAll(text, "\n", "\n\n\t"),
		} {
			if got := sourceFingerprint(t, with(files, name, changed), name); got != want {
				t.Errorf("%s: other %s change the fingerprint from %x to %x", name, about, want, got)
			}
		}
	}
}

// [EVO-6.8]
func TestSourceFingerprintFollowsTheSchema(t *testing.T) {
	files := schemas(t)
	for name, text := range files {
		want := sourceFingerprint(t, files, name)
		if got := sourceFingerprint(t, with(files, name, text+"\nstruct Addition { v: u8 }\n"), name); got == want {
			t.Errorf("%s: one more struct leaves the fingerprint at %x", name, want)
		}
	}
}

func with(files check.Memory, name, text string) check.Memory {
	changed := check.Memory{}
	for other, text := range files {
		changed[other] = text
	}
	changed[name] = text
	return changed
}
