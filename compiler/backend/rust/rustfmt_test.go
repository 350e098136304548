package rust_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/internal/generated"
)

// conformance is the folder of the vectors' schemas.
const conformance = "../../../conformance/schemas/"

var firstSeed = flag.Uint64("seed", 0, "the first of the random schemas that rustfmt looks at")

// TestRustfmtLeavesGeneratedCodeAsItIs is for the code that the crate of this folder
// compiles, and for names of all lengths, which break lines anywhere. It needs rustfmt,
// which comes with Rust.
func TestRustfmtLeavesGeneratedCodeAsItIs(t *testing.T) {
	folder := t.TempDir()
	args := []string{"--check", "--edition", "2021"}
	add := func(name, content string) {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	for name, content := range code.Must(t, generated.Shared(t), generated.Whole) {
		add(name, content)
	}
	for i, schema := range []string{"testdata/odd.sdp", conformance + "evolution_v1.sdp", conformance + "evolution_v2.sdp"} {
		add(fmt.Sprintf("file%d.rs", i), code.One(t, schema))
	}
	for i := range uint64(nameLengthMax) {
		seed := *firstSeed + i
		schemas, root := randomSchema(seed)
		files, problems := generate(checked(t, check.Memory(schemas), root))
		if problems.Len() > 0 {
			t.Fatalf("seed %d: the backend reports: %s", seed, problems.Sorted()[0].Message)
		}
		for name, content := range files {
			add(fmt.Sprintf("%d_%s", seed, name), content)
		}
	}
	if out, err := exec.Command("rustfmt", args...).CombinedOutput(); err != nil {
		t.Errorf("rustfmt says %v:\n%s", err, out)
	}
}
