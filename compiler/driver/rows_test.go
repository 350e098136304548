package driver

import (
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/interp"
)

// TestColumnsStayWhereTheFirstRowsPutThem writes more rows than are kept, of an input whose offsets
// have more digits than usual.
func TestColumnsStayWhereTheFirstRowsPutThem(t *testing.T) {
	var out strings.Builder
	rows := newRows(&out, false, 1<<40)
	for i := range 2 * pageLines {
		path := strings.Repeat("p", 20)
		if i > pageLines {
			path += "longer"
		}
		if err := rows.row(&interp.Event{Offset: int64(i) << 28, Raw: make([]byte, i%20)}, path, "", "value"); err != nil {
			t.Fatal(err)
		}
	}
	if err := rows.flush(); err != nil {
		t.Fatal(err)
	}
	const pathAt = 11 + 2 + 3*rowBytes + 1
	for number, line := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
		at, want := len([]rune(line))-len("value"), pathAt+20+2
		if strings.HasSuffix(line, "longer") {
			at, want = len([]rune(line[:strings.Index(line, "p")])), pathAt
		}
		if at != want {
			t.Fatalf("line %d has at %d what belongs at %d: %s", number+1, at, want, line)
		}
	}
}
