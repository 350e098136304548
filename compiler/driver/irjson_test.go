package driver

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the example of docs/ir-json.md anew")

// fence finds a fenced block of a Markdown text: what is before, in and behind
// it.
func fence(t *testing.T, text, language string) (before, body, after string) {
	t.Helper()
	before, rest, opened := strings.Cut(text, "```"+language+"\n")
	body, after, closed := strings.Cut(rest, "```\n")
	if !opened || !closed {
		t.Fatalf("the document has no %s block", language)
	}
	return before + "```" + language + "\n", body, "```\n" + after
}

func TestIRDocumentShowsWhatIsPrinted(t *testing.T) {
	const path = "../../docs/ir-json.md"
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
	if err := tool.IR(IROptions{Schemas: []string{"audio.sdp"}}); err != nil {
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
	t.Errorf("docs/ir-json.md shows something else than is printed; run with -update to write it anew:\n%s", out.String())
}

// TestIRTellsNumbersFromTexts looks at arguments of attributes, whose integers are strings.
func TestIRTellsNumbersFromTexts(t *testing.T) {
	t.Chdir(t.TempDir())
	schema := `package s; @id(1) struct S { @x.a(2, "2", 1.5, true, word = w) a: u8 }`
	if err := os.WriteFile("s.sdp", []byte(schema), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := (&Tool{Out: &out, Err: &out}).IR(IROptions{Schemas: []string{"s.sdp"}}); err != nil {
		t.Fatal(err, out.String())
	}
	text := strings.Join(strings.Fields(out.String()), "")
	want := `[{"kind":"integer","value":"2"},{"kind":"text","value":"2"},{"kind":"float","value":1.5},{"kind":"bool","value":true},{"name":"word","kind":"text","value":"w"}]`
	if !strings.Contains(text, want) {
		t.Errorf("the arguments are not told apart:\n%s", out.String())
	}
}
