package golang_test

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/internal/generated"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// unchanged fails the test if gofmt lays the code of a schema out in another way.
func unchanged(t *testing.T, schema *ir.Schema) {
	t.Helper()
	for name, text := range code.Must(t, schema, generated.WithServices) {
		formatted, err := format.Source([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want, got := strings.Split(string(formatted), "\n"), strings.Split(text, "\n")
		for i := range min(len(want), len(got)) {
			if want[i] != got[i] {
				t.Fatalf("%s:%d: gofmt makes\n%s\nof\n%s", name, i+1, want[i], got[i])
			}
		}
		if len(want) != len(got) {
			t.Fatalf("%s: gofmt makes %d lines of %d", name, len(want), len(got))
		}
	}
}

func TestGofmtLeavesGeneratedCodeAsItIs(t *testing.T) {
	const folder = "../../../conformance/schemas/"
	paths, err := filepath.Glob(folder + "*.sdp")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d schemas: %v", len(paths), err)
	}
	files, roots := check.Memory{}, []string{}
	for _, path := range append(paths, "testdata/shapes.sdp", "testdata/plugins.sdp", "testdata/services/goods.sdp", "testdata/services/shop.sdp") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		files[name], roots = string(text), append(roots, name)
	}
	for _, root := range roots {
		t.Run(root, func(t *testing.T) { unchanged(t, generated.Checked(t, files, root)) })
	}
}

// TestGofmtLeavesNamesOfAllLengthsAsTheyAre is for functions that have room in one line.
func TestGofmtLeavesNamesOfAllLengthsAsTheyAre(t *testing.T) {
	for length := 1; length < 60; length++ {
		name := func(first string) string { return first + strings.Repeat("x", length) }
		unchanged(t, generated.Checked(t, check.Memory{"a.sdp": fmt.Sprintf(`
			/// Documentation.
			enum %[1]s: u8 { A = 0, %[2]s = 1 }
			message %[3]s { %[2]s: []%[1]s, b: ?str, d: @len(u8) bytes, @since(2) c: map<str, %[4]s> }
			@deprecated("old") union %[4]s { %[2]s(%[3]s) = 1, Y { a: [2]%[1]s } = 2, Z = 3 }
			/// Serves.
			service %[5]s { call %[2]s(%[3]s) -> %[3]s = 1; stream b(stream %[3]s) -> stream %[4]s = 2; event c(%[3]s) = 3; }
		`, name("E"), name("m"), name("M"), name("U"), name("S"))}, "a.sdp"))
	}
}
