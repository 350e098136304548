package rust_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
)

var firstSeed = flag.Uint64("seed", 0, "the first of the random schemas that rustfmt looks at")

// TestRustfmtLeavesGeneratedCodeAsItIs is for names of all lengths, which break lines
// anywhere. It needs rustfmt, which comes with Rust.
func TestRustfmtLeavesGeneratedCodeAsItIs(t *testing.T) {
	folder := t.TempDir()
	args := []string{"--check", "--edition", "2021"}
	for i := range uint64(nameLengthMax) {
		seed := *firstSeed + i
		files, root := randomSchema(seed)
		generated, problems := generate(checked(t, check.Memory(files), root))
		if problems.Len() > 0 {
			t.Fatalf("seed %d: the backend reports: %s", seed, problems.Sorted()[0].Message)
		}
		for name, content := range generated {
			path := filepath.Join(folder, fmt.Sprintf("%d_%s", seed, name))
			if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
			args = append(args, path)
		}
	}
	if out, err := exec.Command("rustfmt", args...).CombinedOutput(); err != nil {
		t.Errorf("rustfmt says %v:\n%s", err, out)
	}
}
