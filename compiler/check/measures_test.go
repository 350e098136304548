package check

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// TestSmallestSizesAreThoseOfThePlan holds the two solutions of [WIRE-13.1]
// against each other: the checker's, which also finds that there is none, and
// the plan's, which also bounds a size from above.
func TestSmallestSizesAreThoseOfThePlan(t *testing.T) {
	files := Memory{"circles.sdp": `
		struct List { value: u16, next: ?List }
		struct Tree { kids: []Tree, left: ?Tree, pair: [2]Leaf }
		struct Leaf { text: @len(u8) str, table: @len(u16) map<u8, Tree> }
		message Chain { a: u8, next: ?Chain, @since(2) b: [3]u64 }
		@closed union Shut { Deep(Holder) = 1, Flat(uuid) = 2, Chained(Chain) = 3 }
		union Open { Deep(Holder) = 1, Flat = 2 }
		struct Holder { shut: Shut, open: [4]Open, chain: Chain }
		@closed union Either { None = 1, Some(Holder) = 2 }
	`}
	for _, pattern := range []string{"../backend/golang/testdata/*.sdp", "../testdata/valid/*.sdp"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("no schemas at %s: %v", pattern, err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.ToSlash(filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path)))] = string(text)
		}
	}
	compared := 0
	for name := range files {
		p := newProgram(files)
		schema := p.schema([]string{name}, func(*syntax.File) string { return "" })
		if schema == nil {
			t.Fatalf("%s is refused: %s", name, p.problems.Sorted()[0].Message)
		}
		planned := plan.New(schema)
		for d := range p.measures.size.known {
			one := typeOf(d)
			if want, got := p.measures.sizeOf(one), planned.SizeOf(one).Min; got != want {
				t.Errorf("%s: %s has at least %d bytes, and %d by the plan", name, ir.FullName(d), want, got)
			}
			compared++
		}
	}
	if compared < 40 {
		t.Errorf("only %d types were compared", compared)
	}
}

func typeOf(d ir.Decl) *ir.Type {
	switch d.(type) {
	case *ir.Enum:
		return &ir.Type{Kind: ir.EnumKind, Decl: d}
	case *ir.Union:
		return &ir.Type{Kind: ir.UnionKind, Decl: d}
	case *ir.Message:
		return &ir.Type{Kind: ir.MessageKind, Decl: d}
	}
	return &ir.Type{Kind: ir.StructKind, Decl: d}
}
