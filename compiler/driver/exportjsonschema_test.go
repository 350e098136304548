package driver

import (
	"bytes"
	"os"
	"testing"
)

func TestJSONSchemaDocumentShowsWhatIsPrinted(t *testing.T) {
	const path = "../../docs/json-schema.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, schema, _ := fence(t, string(text), "sdp")
	before, example, after := fence(t, string(text), "json")
	place, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("audio.sdp", []byte(schema), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, complaint bytes.Buffer
	tool := Tool{Out: &out, Err: &complaint}
	if err := tool.ExportJSONSchema(ExportJSONSchemaOptions{Schemas: []string{"audio.sdp"}, Type: "Plugin", Out: stdName}); err != nil {
		t.Fatalf("%v\n%s", err, complaint.String())
	}
	if out.String() == example {
		return
	}
	if *update {
		t.Chdir(place)
		if err := os.WriteFile(path, []byte(before+out.String()+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("docs/json-schema.md shows something else than is printed; run with -update to write it anew:\n%s", out.String())
}
