package compiler_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/format"
	generatedcode "github.com/serial-data-protocol/sdp/compiler/internal/generated"
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
func generated(t *testing.T, l language.Language, options backend.Options, source string) string {
	t.Helper()
	schema, problems := check.Program(check.Memory{"a.sdp": source}, []string{"a.sdp"}, format.Canonical)
	if problems.HasErrors() {
		t.Fatal(problems.Sorted()[0].Message)
	}
	pkg := schema.Packages[0]
	options.Version, options.Runtime, options.Imports = "golden", "sdp", map[*ir.Package]string{pkg: "a"}
	files, problems := l.Generate(plan.New(schema), pkg, options)
	if problems.Len() > 0 {
		t.Fatal(problems.Sorted()[0].Message)
	}
	var text strings.Builder
	for _, f := range files {
		text.Write(f.Content)
	}
	return text.String()
}

// growths are how many times as long, in lines and in bytes, the code of messages may be that
// reach each other as that of messages side by side. They only go down; 1.1 is the most for a
// language that is new.
var growths = map[string]float64{"go": 1.1, "rust": 0.75, "cpp": 0.6, "cpp, split": 0.7, "typescript": 0.8, "python": 0.8}

// asked are what code is asked for: what is made without a word, all parts, and these split from
// their headers, where a language has those.
var asked = map[string]backend.Options{
	"by default":    {Parts: backend.Parts{Forms: []backend.Form{backend.Owned}, JSON: true}},
	"everything":    generatedcode.Whole,
	"all and split": {Parts: generatedcode.Whole.Parts, Split: true},
}

// Generated code grows with the schema's declarations, not with the reach of its types.
func TestChainOfMessagesIsAsLongAsMessagesSideBySide(t *testing.T) {
	const messages = 200
	for _, l := range language.All {
		for name, options := range asked {
			limited := l.Name()
			if options.Split {
				limited += ", split"
			}
			most, isAsked := growths[limited]
			if options.Split && !isAsked {
				continue
			}
			t.Run(l.Name()+" "+name, func(t *testing.T) {
				beside, chained := generated(t, l, options, flat(messages)), generated(t, l, options, chain(messages))
				lines := float64(strings.Count(chained, "\n")) / float64(strings.Count(beside, "\n"))
				bytes := float64(len(chained)) / float64(len(beside))
				t.Logf("%.2f times the lines, %.2f times the bytes; the most is %.2f", lines, bytes, most)
				if max(lines, bytes) > most {
					t.Errorf("a chain of %d messages has %.2f times the lines and %.2f times the bytes, at most %.2f are allowed", messages, lines, bytes, most)
				}
			})
		}
	}
}
