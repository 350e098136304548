package memory

import (
	"fmt"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// planned is the plan of a schema, with its declarations by name.
func planned(t *testing.T, text string) (*plan.Program, map[string]ir.Decl) {
	t.Helper()
	schema, problems := check.Program(check.Memory{"s.sdp": "package s; " + text}, []string{"s.sdp"}, format.Canonical)
	if problems.HasErrors() {
		t.Fatalf("the schema is refused: %s", problems.Sorted()[0].Message)
	}
	program := plan.New(schema)
	decls := map[string]ir.Decl{}
	for _, body := range program.Bodies(schema.Roots[0]) {
		decls[body.Decl.DeclName()] = body.Decl
	}
	return program, decls
}

// TestRecursiveInlineAlternativeIsBehindAPointer is of C++, where inline alternatives
// lie in their union else. A level of the chain is 2 bytes of input, and 32 of memory:
// a number, and the union in it.
func TestRecursiveInlineAlternativeIsBehindAPointer(t *testing.T) {
	const text = "@closed union Chain { Link { x: u8, next: Chain } = 1, End = 2 } struct Chains { all: []Chain }"
	for _, order := range [][]string{{"Chain", "Chain.Link"}, {"Chain.Link", "Chain"}} {
		program, decls := planned(t, text)
		costs := New(program, CPP)
		for _, name := range order {
			want := map[string]uint64{"Chain": CPP.Pointer + wordBytes, "Chain.Link": CPP.Pointer + 2*wordBytes}[name]
			if got := costs.DeclSize(decls[name]); got != want {
				t.Errorf("%s takes %d bytes, want %d", name, got, want)
			}
		}
		if got := costs.Factor(decls["Chains"]); got < 16 {
			t.Errorf("the factor is %d", got)
		}
	}
}

// TestStructsWithinStructsAreMeasuredInLinearTime doubles at each level: walking
// every way that leads to a type would never end.
func TestStructsWithinStructsAreMeasuredInLinearTime(t *testing.T) {
	text := "struct S0 {} "
	for i := 1; i < 60; i++ {
		text += fmt.Sprintf("struct S%d { a: S%d, b: S%d } ", i, i-1, i-1)
	}
	program, decls := planned(t, text)
	for _, model := range []Model{Go, Rust, CPP} {
		costs := New(program, model)
		if !costs.FixedDecl(decls["S59"]) {
			t.Error("a struct without bytes is of no fixed size")
		}
	}
}

// TestSizesAreThoseByWhichArraysWereMoved is of a type that leads back to itself by an
// optional array: on the heap it takes what the optional one of something there does, and
// not what holds the array by itself. The element is too large only with all its fields.
func TestSizesAreThoseByWhichArraysWereMoved(t *testing.T) {
	program, decls := planned(t, "struct N { a: [64]u64, kids: ?[2]N } struct M { a: [60]u64, kids: ?[2]M }")
	costs := New(program, CPP)
	const there = wordBytes // says whether an optional is there
	for name, want := range map[string]uint64{"N": 64*8 + CPP.Pointer + there, "M": 60*8 + CPP.Pointer} {
		if got := costs.DeclSize(decls[name]); got != want {
			t.Errorf("%s takes %d bytes, want %d", name, got, want)
		}
	}
}
