package report

import (
	"os"
	"testing"
)

func TestReadmeShowsTheResults(t *testing.T) {
	text, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	stamped, err := StampedWithResults(string(text), results)
	if err != nil {
		t.Fatal(err)
	}
	if stamped != string(text) {
		t.Error("README's tables differ from bench/results; `bench/bench.sh -stamp` writes them")
	}
}
