package interp_test

import (
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/interp"
)

func TestDefaultIsAValueOfEveryType(t *testing.T) {
	program := compile(t, everything)
	seen := 0
	for _, d := range program.Schema.Roots[0].Decls {
		codec, err := interp.New(program, d)
		if err != nil {
			continue // an enum
		}
		seen++
		encoded, err := codec.Append(nil, codec.Default(), interp.ByteMode)
		if err != nil {
			t.Errorf("%s: %v", d.DeclName(), err)
			continue
		}
		if _, err := codec.Decode(encoded, interp.Options{}); err != nil {
			t.Errorf("%s: % x: %v", d.DeclName(), encoded, err)
		}
	}
	if seen < 20 {
		t.Errorf("only %d types were tried", seen)
	}
}

func TestDefaultLeavesRecursionByTheFirstWayOut(t *testing.T) {
	program := compile(t, `
package demo;
@closed enum Step: i8 { Up = -3, Down = 5 }
union Tree { Fork { left: Tree, right: Tree } = 1, Again(Holder) = 2, Leaf(Leaf) = 3, None = 4 }
struct Holder { tree: Tree, steps: [2]Step }
struct Leaf { step: Step, note: ?Tree }
message Root { holder: Holder, @since(2) name: str = "x" }
`)
	for _, d := range program.Schema.Roots[0].Decls {
		if d.DeclName() != "Root" {
			continue
		}
		codec, err := interp.New(program, d)
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := codec.Append(nil, codec.Default(), interp.ByteMode)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := codec.WriteJSON(&text, interp.FromBytes(encoded), interp.Options{}); err != nil {
			t.Fatal(err)
		}
		if want := `{"holder":{"tree":{"Leaf":{"step":"Up","note":null}},"steps":["Up","Up"]},"name":"x"}`; text.String() != want {
			t.Errorf("the default is %s, want %s", text.String(), want)
		}
		return
	}
	t.Fatal("the schema has no Root")
}
