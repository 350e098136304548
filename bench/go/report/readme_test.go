package report

import (
	"os"
	"testing"
)

func TestReadmeShowsTheResults(t *testing.T) {
	all, err := Read(results)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	stamped, err := Stamped(string(text), Markdown(all))
	if err != nil {
		t.Fatal(err)
	}
	if stamped != string(text) {
		t.Error("README's table differs from bench/results; `bench/bench.sh -stamp` writes it")
	}
}
