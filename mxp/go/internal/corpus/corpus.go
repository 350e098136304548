// Package corpus finds the inputs that fuzzing starts from in every language, for tests.
package corpus

import (
	"os"
	"path/filepath"
	"testing"
)

// Inputs are the inputs of a target. They lie in the repository, so that a copy of the module alone has none.
func Inputs(t testing.TB, target string) [][]byte {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for !isThere(filepath.Join(folder, "conformance")) {
		above := filepath.Dir(folder)
		if above == folder {
			return nil
		}
		folder = above
	}
	files, err := filepath.Glob(filepath.Join(folder, "conformance", "corpus", target, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the corpus has no inputs of %s: %v", target, err)
	}
	var all [][]byte
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data)
	}
	return all
}

func isThere(folder string) bool {
	_, err := os.Stat(folder)
	return err == nil
}
