// Package corpus has the inputs that fuzzing starts from in every language: a folder for each target, and a file for
// each input.
package corpus

import (
	"embed"
	"testing"
)

//go:embed everything json registry stream types
var folders embed.FS

// Inputs are the inputs of a target.
func Inputs(t testing.TB, target string) [][]byte {
	t.Helper()
	files, err := folders.ReadDir(target)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	for _, file := range files {
		data, err := folders.ReadFile(target + "/" + file.Name())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data)
	}
	return all
}
