package report

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The results of channels are kept by bench/shm/report.py.
func TestResultsOfChannelsAreOfTheirSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../shm/results.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(filepath.Join(results, "shm", "channels.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	found, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(found); err != nil {
		t.Error(err)
	}
}
