package syntax

import (
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/diag"
)

// parse reads a text that must be of the grammar.
func parse(t *testing.T, text string) *File {
	t.Helper()
	var problems diag.List
	file := Parse("test.sdp", text, &problems)
	for _, d := range problems.Sorted() {
		t.Errorf("%s: %s[%s]: %s", d.Span, d.Severity, d.Code, d.Message)
	}
	return file
}

func TestWordsOfTheLanguageAreNames(t *testing.T) {
	file := parse(t, `
struct struct { struct: u32, message: struct, reserved: bool, map: map<str, u8>, stream: Option<Box<type>> }
enum type: u8 { enum = 0, reserved = 1, true = 2 }
union service { reserved(struct) = 1, call { event: ?type } = 2, union = 3, reserved 4; }
service call { call call(stream) -> call = 1; stream stream(stream stream) -> stream = 2; event event(x.y) = 3; reserved reserved; }
message message { reserved: u8 }`)
	var names []string
	for _, d := range file.Declarations {
		names = append(names, d.DeclarationHead().Name.Text)
	}
	want := []string{"struct", "type", "service", "call", "message"}
	if len(names) != len(want) {
		t.Fatalf("declarations %v, want %v", names, want)
	}
	s := file.Declarations[3].(*Service)
	if len(s.Methods) != 3 || !s.Methods[1].RequestStream || s.Methods[1].ResponseStream || s.Methods[0].RequestStream {
		t.Errorf("methods are not as written: %+v", s.Methods)
	}
	if len(s.Reserved) != 1 || s.Reserved[0].Items[0].Name.Text != "reserved" {
		t.Errorf("reserved statements are not as written: %+v", s.Reserved)
	}
}
