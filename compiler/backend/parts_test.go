package backend_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/internal/generated"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// made is the code of a schema by a backend.
func made(t *testing.T, b backend.Backend, schema string, parts backend.Parts) string {
	t.Helper()
	program, problems := check.Program(check.Memory{"a.sdp": schema}, []string{"a.sdp"}, format.Canonical)
	if problems.HasErrors() {
		t.Fatalf("the schema is refused: %s", problems.Sorted()[0].Message)
	}
	pkg := program.Packages[0]
	files, problems := b.Generate(plan.New(program), pkg, backend.Options{
		Version: "test", Runtime: "sdp", Parts: parts, Imports: map[*ir.Package]string{pkg: "super::a"},
	})
	if problems.Len() > 0 {
		t.Fatal(problems.Sorted()[0].Message)
	}
	text := ""
	for _, f := range files {
		text += string(f.Content)
	}
	return text
}

// TestPartsAreThereWhereTheyAreAskedFor looks for what only the code of a part has.
func TestPartsAreThereWhereTheyAreAskedFor(t *testing.T) {
	const schema = `
		enum Kind: u8 { A = 0 }
		union Some { Text(str) = 1, None = 2 }
		@id(1) message Note { text: str, kind: Kind, numbers: []u32, some: ?Some }
		service Notes { call find(Note) -> Note = 1; }`
	form := func(f backend.Form) func(*backend.Parts) {
		return func(p *backend.Parts) { p.Forms = append(p.Forms, f) }
	}
	json, serde := func(p *backend.Parts) { p.JSON = true }, func(p *backend.Parts) { p.Serde = true }
	services := func(p *backend.Parts) { p.Services = true }
	parts := []struct {
		ask   func(*backend.Parts)
		marks map[string][]string
	}{
		{form(backend.Borrowed), map[string][]string{"rust": {"NoteRef", "MessageRef"}, "cpp": {"NoteRef", "MessageRef"}}},
		{form(backend.Pooled), map[string][]string{"cpp": {"namespace a::pmr", "namespace pmr"}}},
		{form(backend.Views), map[string][]string{"go": {"NoteView", "SDPValid"}, "rust": {"NoteView", "MessageView"}, "cpp": {"NoteView", "MessageView", "places"}}},
		{json, map[string][]string{"go": {"MarshalJSON", "AppendJSON"}, "rust": {"json::record!"}}},
		{serde, map[string][]string{"rust": {"sdp::serde"}}},
		{services, map[string][]string{"go": {"NotesClient"}, "rust": {"NotesClient"}, "cpp": {"NotesClient"}}},
	}
	for _, b := range backends {
		for mask := range 1 << len(parts) {
			asked := backend.Parts{Forms: []backend.Form{backend.Owned}}
			for i, part := range parts {
				if mask>>i&1 == 1 {
					part.ask(&asked)
				}
			}
			if asked.Serde && !asked.JSON {
				continue // it rests on JSON
			}
			text := made(t, b, schema, asked)
			for i, part := range parts {
				for _, mark := range part.marks[b.Name()] {
					if wanted := mask>>i&1 == 1; strings.Contains(text, mark) != wanted {
						t.Errorf("%s with %+v: %s is there: %t", b.Name(), asked, mark, !wanted)
					}
				}
			}
		}
	}
}

// linesMax is how many lines of code a message of nine fields may take in each language,
// of what an output has that asks for nothing. It only goes down.
var linesMax = map[string]int{"go": 234, "rust": 222, "cpp": 190, "typescript": 150, "python": 40}

func TestMessagesTakeFewLines(t *testing.T) {
	const count = 20
	schema := "enum Kind: u8 { A = 0, B = 1 }\n"
	for i := range count {
		schema += fmt.Sprintf(`message M%d { id: u32, name: str, gain: f64, on: bool, at: i64, values: []u32, note: ?str, kinds: []Kind, raw: bytes }
`, i)
	}
	for _, b := range backends {
		defaults := backend.Parts{Forms: []backend.Form{backend.Owned}, JSON: true}
		lines := strings.Count(made(t, b, schema, defaults), "\n") / count
		whole := strings.Count(made(t, b, schema, generated.Whole.Parts), "\n") / count
		t.Logf("%s: %d lines a message, %d with all forms; the most is %d", b.Name(), lines, whole, linesMax[b.Name()])
		if lines > linesMax[b.Name()] {
			t.Errorf("a message takes %d lines of %s, more than %d", lines, b.Name(), linesMax[b.Name()])
		}
	}
}
