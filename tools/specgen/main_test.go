package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOutputsAgreeWithTheSpec(t *testing.T) {
	drifted, err := run("../..", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range drifted {
		t.Errorf("%s is out of date: run go run ./tools/specgen", path)
	}
}

// root makes a repository with the given spec files and empty folders for the
// outputs.
func root(t *testing.T, errors, limits, scalars string) string {
	dir := t.TempDir()
	for _, o := range outputs {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(o.path)), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "spec"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"errors.toml": errors, "limits.toml": limits, "scalars.toml": scalars} {
		if err := os.WriteFile(filepath.Join(dir, "spec", name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const oneError = `[[error]]
name = "map_order"
number = 1
category = "decode"
meaning = "A key is too small."
offset = "The key."
cause = "The sender."
remedy = "Sort."
clauses = ["WIRE-1.1"]
`

const oneLimit = `[[limit]]
name = "depth"
default = 64
unit = "levels"
scope = "decode"
error = "map_order"
meaning = "How deep."
`

const twoScalars = `[[scalar]]
name = "u24"
bytes = 3
class = "unsigned"
key = true
meaning = "0 to 2^24-1."

[[scalar]]
name = "uuid"
bytes = 16
class = "uuid"
meaning = "16 bytes."
`

func TestRunWritesWhatDriftedOnly(t *testing.T) {
	dir := root(t, oneError, oneLimit, twoScalars)
	for _, want := range []int{len(outputs), 0} {
		drifted, err := run(dir, true)
		if err != nil || len(drifted) != want {
			t.Fatalf("drifted = %v, %v, want %d", drifted, err, want)
		}
	}
	for path, wants := range map[string][]string{
		"runtime/go/spec.gen.go":       {"ErrMapOrder Kind = iota + 1", `ErrMapOrder: "map_order"`, "LimitDepth = 64"},
		"runtime/rust/src/spec_gen.rs": {"MapOrder = 1,", `Kind::MapOrder => "map_order"`, "1 => Kind::MapOrder", "LIMIT_DEPTH: usize = 64;"},
		"runtime/cpp/include/sdp/spec_gen.hpp": {
			"map_order = 1,", "case kind::map_order:\n        return \"map_order\";", "std::size_t limit_depth = 64;",
		},
		"compiler/ir/scalars.gen.go":              {"U24      Kind = iota + 1 // 0 to 2^24-1", `U24:      {name: "u24", bytes: 3, class: UnsignedClass, key: true},`, "class: UUIDClass}"},
		"runtime/go/scalars.gen.go":               {"case \"u24\":\n\t\treturn layoutScalar{kind: unsignedLayout, width: 3}"},
		"runtime/rust/src/scalars_gen.rs":         {`"u24" => (3, Unsigned),`, `"uuid" => (16, Plain),`},
		"runtime/cpp/include/sdp/scalars_gen.hpp": {"if (word == \"u24\") {\n        return scalar{3, scalar_kind::is_unsigned};", "return scalar{16, scalar_kind::plain};"},
	} {
		text, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(text), want) {
				t.Errorf("no %s in\n%s", want, text)
			}
		}
	}
}

func TestRustDocumentationIsQuoted(t *testing.T) {
	text := "In [N]T, decode_exact (not utf8_is_valid) and [3]."
	if got, want := markdown(text), "In `[N]T`, `decode_exact` (not `utf8_is_valid`) and [3]."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCppDocumentationIsQuoted(t *testing.T) {
	if got, want := doxygen("Over the @max of [N]T."), "Over the `@max` of [N]T."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRustNumbersAreGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1_000", 123456: "123_456", 1234567: "1_234_567"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestSpecIsRefused(t *testing.T) {
	cases := []struct{ name, errors, limits, scalars, want string }{
		{"number out of order", strings.Replace(oneError, "number = 1", "number = 2", 1), oneLimit, twoScalars, "place 1"},
		{"name twice", oneError + strings.Replace(oneError, "number = 1", "number = 2", 1), oneLimit, twoScalars, "not a new one"},
		{"name in another case", strings.Replace(oneError, "map_order", "mapOrder", 1), oneLimit, twoScalars, "not a name"},
		{"misspelt key", strings.Replace(oneError, "meaning", "meening", 1), oneLimit, twoScalars, "errors.toml"},
		{"limit of an unknown error", oneError, strings.Replace(oneLimit, "map_order", "map_ordr", 1), twoScalars, "map_ordr"},
		{"limit without scope", oneError, strings.Replace(oneLimit, "scope = \"decode\"\n", "", 1), twoScalars, "no scope"},
		{"scalar of an unknown class", oneError, oneLimit, strings.Replace(twoScalars, "unsigned", "unsinged", 1), `u24 has class "unsinged"`},
		{"scalar twice", oneError, oneLimit, strings.Replace(twoScalars, "uuid", "u24", 1), "not a new one"},
		{"scalar without bytes", oneError, oneLimit, strings.Replace(twoScalars, "bytes = 3\n", "", 1), "no bytes"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := run(root(t, c.errors, c.limits, c.scalars), true)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error = %v, want one with %q", err, c.want)
			}
		})
	}
}
