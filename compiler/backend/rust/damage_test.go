package rust_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/internal/generated"
	"github.com/serial-data-protocol/sdp/compiler/internal/golden"
	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// masks are what a byte is damaged with.
var masks = []byte{0x01, 0x80, 0xff}

// TestDamagedBytesAreNamedAsTheInterpreterNamesThem writes down what the
// interpreter says of a value's bytes when they are cut or one of them is
// damaged: it was written apart from the generated code, whose tests read this.
func TestDamagedBytesAreNamedAsTheInterpreterNamesThem(t *testing.T) {
	text, err := os.ReadFile(schemas + "everything.json")
	if err != nil {
		t.Fatal(err)
	}
	codec := codecOf(t, "shapes", "Everything")
	data, err := codec.ParseJSON(text, interp.ByteMode)
	if err != nil {
		t.Fatal(err)
	}
	says := func(data []byte) string {
		_, err := codec.Walk(interp.FromBytes(data), interp.Options{}, func(*interp.Event) error { return nil })
		var refusal *interp.Refusal
		switch {
		case err == nil:
			return ""
		case !errors.As(err, &refusal):
			t.Fatal(err)
		}
		return strings.TrimSpace(fmt.Sprintf("%v %d %s", refusal.Kind, refusal.Offset, refusal.Path))
	}

	var table strings.Builder
	table.WriteString("# What damaged bytes are refused with: by which damage, at which bytes, kind, offset, path.\n")
	fmt.Fprintf(&table, "bytes %x\n", data)
	table.WriteString(ranges("cut", len(data), func(i int) string { return says(data[:i]) }))
	for _, mask := range masks {
		table.WriteString(ranges(fmt.Sprintf("xor %02x", mask), len(data), func(i int) string {
			damaged := append([]byte(nil), data...)
			damaged[i] ^= mask
			return says(damaged)
		}))
	}
	golden.Compare(t, "testdata/damaged.txt", table.String())
}

// ranges prints a line for neighbours that the same is said of, and none where
// nothing is said.
func ranges(damage string, n int, says func(i int) string) string {
	var lines strings.Builder
	for first := 0; first < n; {
		text, end := says(first), first+1
		for end < n && says(end) == text {
			end++
		}
		if text != "" {
			fmt.Fprintf(&lines, "%s %d-%d %s\n", damage, first, end-1, text)
		}
		first = end
	}
	return lines.String()
}

// codecOf is the interpreter's codec of a type of the shared schemas.
func codecOf(t *testing.T, pkg, name string) *interp.Codec {
	t.Helper()
	schema := generated.Shared(t)
	for _, p := range schema.Packages {
		for _, d := range p.Decls {
			if p.Name == pkg && d.DeclName() == name {
				return mustCodec(t, plan.New(schema), d)
			}
		}
	}
	t.Fatalf("there is no %s.%s", pkg, name)
	return nil
}

func mustCodec(t *testing.T, program *plan.Program, d ir.Decl) *interp.Codec {
	t.Helper()
	codec, err := interp.New(program, d)
	if err != nil {
		t.Fatal(err)
	}
	return codec
}
