package report

import (
	"os"
	"testing"
)

func TestDocumentsShowTheResults(t *testing.T) {
	for page, stamp := range stamps {
		text, err := os.ReadFile("../../../" + page)
		if err != nil {
			t.Fatal(err)
		}
		stamped, err := stamp(string(text), results)
		if err != nil {
			t.Fatal(err)
		}
		if stamped != string(text) {
			t.Errorf("%s differs from bench/results; `bench/bench.sh -stamp` writes what they came to", page)
		}
	}
}
