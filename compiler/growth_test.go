package compiler_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/language"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// flat has so many messages of nine fields, which reach nothing but an enum.
func flat(messages int) string {
	var b strings.Builder
	b.WriteString("package flat;\nenum E: u8 { A = 0, B = 1, C = 2 }\n")
	for i := range messages {
		fmt.Fprintf(&b, `message M%d {
			a: u32, b: str, c: f64, d: bool, e: i64,
			f: []u32, g: ?str, h: []E, i: bytes,
		}
		`, i)
	}
	return b.String()
}

// chain has so many messages, each of which reaches all before it.
func chain(messages int) string {
	var b strings.Builder
	b.WriteString("package chain;\nmessage M0 { a: u32, b: str }\n")
	for i := 1; i < messages; i++ {
		fmt.Fprintf(&b, "message M%d { child: ?M%d, kids: []M%d }\n", i, i-1, i/2)
	}
	return b.String()
}

// generated is all code of a schema of one package.
func generated(t *testing.T, l language.Language, source string) string {
	t.Helper()
	schema, problems := check.Program(check.Memory{"a.sdp": source}, []string{"a.sdp"}, format.Canonical)
	if problems.HasErrors() {
		t.Fatal(problems.Sorted()[0].Message)
	}
	pkg := schema.Packages[0]
	files, problems := l.Generate(plan.New(schema), pkg, backend.Options{
		Version: "golden", Runtime: "sdp", Imports: map[*ir.Package]string{pkg: "a"},
	})
	if problems.Len() > 0 {
		t.Fatal(problems.Sorted()[0].Message)
	}
	var text strings.Builder
	for _, f := range files {
		text.Write(f.Content)
	}
	return text.String()
}

// Generated code grows with what a schema declares, not with what its types reach.
func TestChainOfMessagesIsAsLongAsMessagesSideBySide(t *testing.T) {
	const messages = 200
	for _, l := range language.All {
		if l.Name() != "go" {
			continue
		}
		t.Run(l.Name(), func(t *testing.T) {
			beside, chained := generated(t, l, flat(messages)), generated(t, l, chain(messages))
			lines := strings.Count(chained, "\n")
			if most := strings.Count(beside, "\n") * 11 / 10; lines > most {
				t.Errorf("a chain of %d messages has %d lines, at most %d are allowed", messages, lines, most)
			}
			if most := len(beside) * 11 / 10; len(chained) > most {
				t.Errorf("a chain of %d messages has %d bytes, at most %d are allowed", messages, len(chained), most)
			}
		})
	}
}
