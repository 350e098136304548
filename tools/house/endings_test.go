package house_test

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"testing"
)

// notCode are the endings of files that the rules for code don't look at, with the reason. A file
// without an ending goes by its name.
var notCode = map[string]string{
	".capnp":         "a schema of a competitor, which its compiler reads",
	".clang-format":  "settings of a formatter",
	".cmake":         "a build, in CMake's language",
	".conf":          "settings of a linter",
	".css":           "appearance of a page",
	".ebnf":          "a grammar, which tests hold against the parser",
	".el":            "Emacs's mode, whose comments begin with a semicolon",
	".fbs":           "a schema of a competitor, which its compiler reads",
	".gitattributes": "settings of git",
	".gitignore":     "settings of git",
	".golden":        "the expectation of a test",
	".gz":            "data",
	".html":          "a page, or the template of one",
	".ignore":        "a list of tests that a fuzzer leaves out",
	".in":            "a template of a build",
	".json":          "data, or settings",
	".jsonl":         "measurements",
	".key":           "a key of a test",
	".lock":          "versions, which a package manager writes",
	".md":            "text, which rules of its own look at",
	".mod":           "a list of modules",
	".pem":           "a certificate of a test",
	".png":           "a picture",
	".proto":         "a schema that is imported, or of a competitor",
	".rb":            "the expectation of a test",
	".scm":           "queries of a grammar, which its tests hold",
	".sdp":           "a schema, which the compiler's own lint looks at",
	".service":       "settings of systemd",
	".sum":           "hashes, which Go writes",
	".sysusers":      "settings of systemd",
	".svg":           "a picture",
	".tmpl":          "a template: the code that is made of it is looked at where it is made",
	".toml":          "settings, or tables",
	".tsv":           "a table",
	".txt":           "a list, or the expectation of a test",
	".txtar":         "the files of a test",
	".vim":           "one line of an editor",
	".typed":         "an empty mark, by which checkers of Python find types",
	".xml":           "a list of libraries, for Maven",
	".yml":           "settings of a runner of jobs",

	"LICENSE":        "a licence",
	"LICENSE-APACHE": "a licence",
	"LICENSE-MIT":    "a licence",
	"Containerfile":  "a build",
	"Makefile":       "a build",
	"VERSION":        "a version",
	"usage":          "text that vcpkg prints",
}

// Files of an ending that is new would pass by every rule in silence.
func TestEveryEndingIsLookedAtOrListed(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range files(t) {
		ending := path.Ext(name)
		inTests := strings.Contains(name, "/testdata/") || strings.Contains(name, "/corpus/") || strings.HasPrefix(name, "conformance/odd/cases/")
		if ending == "" && (inTests || bytes.HasPrefix(read(t, name), []byte("#!"))) {
			continue // data of a fuzzer by its hash, or a script, which has rules of its own
		}
		if ending == "" {
			ending = path.Base(name)
		}
		if _, listed := notCode[ending]; !listed && !slices.Contains(sources, ending) {
			t.Errorf("%s: the ending %q is neither one of sources nor, with a reason, of notCode", name, ending)
		}
		seen[ending] = true
	}
	for ending := range notCode {
		if !seen[ending] {
			t.Errorf("no file ends in %s", ending)
		}
		if slices.Contains(sources, ending) {
			t.Errorf("%s is in both lists", ending)
		}
	}
}
