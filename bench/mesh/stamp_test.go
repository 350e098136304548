package main

import (
	"bytes"
	"os"
	"testing"
)

func TestDocumentsShowTheResults(t *testing.T) {
	made, err := stamped("../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range made {
		got, err := os.ReadFile("../../" + name)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what `go run ./bench/mesh -stamp` makes: %v", name, err)
		}
	}
}
