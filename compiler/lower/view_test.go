package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
)

// viewed are the fields of the last type of a schema with where they lie.
func viewed(t *testing.T, text string) string {
	t.Helper()
	program, d := planned(t, text)
	v := lower.NewView(program, d, func(t *ir.Type) bool { return program.SizeOf(t).Fixed })
	var lines []string
	for _, f := range v.Fields {
		line := fmt.Sprintf("%s at %d+%d", f.Name, f.Mark, f.Offset)
		if f.Part == nil {
			line = f.Name + " nowhere"
		}
		switch f.Missing {
		case lower.Never:
		case lower.IsZero:
			line += fmt.Sprintf(", zero without segment %d", f.Since)
		case lower.IsDefault:
			line += fmt.Sprintf(", its default without segment %d", f.Since)
		}
		lines = append(lines, line)
	}
	end, known := v.End()
	lines = append(lines, fmt.Sprintf("%d marks, %d of %d parts passed", v.Marks, v.Passed, len(v.Parts)))
	if known {
		lines = append(lines, fmt.Sprintf("ends at %d+%d", end.Mark, end.Offset))
	}
	if v.Tail != nil {
		lines = append(lines, "tail "+v.Tail.Field.Name)
	}
	return strings.Join(lines, "\n")
}

func TestFieldsLieBehindTheLastEndThatVaries(t *testing.T) {
	for _, c := range []struct{ what, schema, want string }{
		{"fields of fixed size", `struct S { a: u8, b: u32 }`, `
			a at 0+0
			b at 0+1
			0 marks, 0 of 1 parts passed
			ends at 0+5`},
		{"fields behind what varies", `struct S { a: u8, b: str, c: u16, d: u8, e: bytes }`, `
			a at 0+0
			b at 0+1
			c at 1+0
			d at 1+2
			e at 1+3
			1 marks, 2 of 4 parts passed`},
		{"a field without bytes", `struct E {} struct S { a: str, e: E }`, `
			a at 0+0
			e nowhere
			0 marks, 0 of 1 parts passed`},
		{"an end that has to be looked for", `struct S { a: u8, b: []str }`, `
			a at 0+0
			b at 0+1
			0 marks, 0 of 2 parts passed
			tail b`},
		{"segments that may be missing", `message M { a: u8, @since(2) b: u8, @since(2) c: u8 = 7, @since(3) d: [][]u8 }`, `
			a at 0+0
			b at 0+1, zero without segment 2
			c at 0+2, its default without segment 2
			d at 0+3, zero without segment 3
			0 marks, 2 of 3 parts passed`},
	} {
		want := strings.TrimSpace(strings.ReplaceAll(c.want, "\n\t\t\t", "\n"))
		if got := viewed(t, c.schema); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.what, got, want)
		}
	}
}
