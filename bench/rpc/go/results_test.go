package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func TestResultsAreOfTheirSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../results.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../results/rpc/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no results: %q, %v", files, err)
	}
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		results, err := jsonschema.UnmarshalJSON(file)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := schema.Validate(results); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
