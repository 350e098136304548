package report

import (
	"os"
	"testing"
)

func TestDocumentShowsTheResults(t *testing.T) {
	text, err := os.ReadFile("../../../" + document)
	if err != nil {
		t.Fatal(err)
	}
	stamped, err := StampedWithResults(string(text), results)
	if err != nil {
		t.Fatal(err)
	}
	if stamped != string(text) {
		t.Error("the tables of docs/performance.md differ from bench/results; `bench/bench.sh -stamp` writes them")
	}
}
