package proto_test

import (
	"io/fs"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/proto"
)

// FuzzImport imports any .proto over any .sdp: where there was none, what is made has no
// error, and an import of the same changes nothing.
func FuzzImport(f *testing.F) {
	for _, name := range []string{"shop", "legacy"} {
		for _, text := range folder(f, name) {
			f.Add(text, "")
			f.Add(text, "@x.proto(\"Order\") message Order { @x.proto(1) a: ?T, b: u8 } enum E: u8 { @x.proto(\"A\") A = 1 }")
		}
	}
	f.Fuzz(func(t *testing.T, text, was string) {
		load := func(path string) (string, string, error) {
			if path != "a.proto" {
				return "", "", fs.ErrNotExist
			}
			return path, text, nil
		}
		var problems diag.List
		schema := proto.Parse(load, []string{"a.proto"}, &problems)
		if schema == nil {
			if !problems.HasErrors() {
				t.Fatal("it is refused without a word")
			}
			return
		}
		state := files{}
		if was != "" {
			state["a.sdp"] = was
		}
		options := proto.Options{LeaveOut: true, Existing: state.existing}
		made := proto.Import(schema, options, &problems)
		if was != "" || made == nil {
			return
		}
		memory := check.Memory{}
		var roots []string
		for _, output := range made {
			memory[output.Path], state[output.Path] = output.Text, output.Text
			roots = append(roots, output.Path)
		}
		if compiled, found := check.Program(memory, roots, format.Canonical); compiled == nil {
			t.Fatalf("%s\n%s", found.Sorted()[0].Message, memory["a.sdp"])
		}
		for _, output := range proto.Import(schema, options, &problems) {
			if state[output.Path] != output.Text {
				t.Fatalf("imported again it is\n%s\nand was\n%s", output.Text, state[output.Path])
			}
		}
	})
}
