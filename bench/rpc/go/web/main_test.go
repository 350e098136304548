package main

import (
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func TestResultsAreOfTheirSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../../ts/web.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open("../../../results/typescript_web.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	results, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(results); err != nil {
		t.Error(err)
	}
}
