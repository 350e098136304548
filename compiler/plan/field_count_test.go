package plan_test

import (
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

func TestHeldFieldsAreCountedUpToABound(t *testing.T) {
	_, pkg := compile(t, check.Memory{"a.sdp": `
		struct Leaf { a: u32, b: str }
		struct Pair { left: Leaf, right: [2]Leaf, kept: ?Leaf, list: []Leaf, table: map<u16, Leaf> }
		union Either { None = 1, One(Leaf) = 2, Two { a: u8, b: u8, c: u8 } = 3 }
		message Node { next: ?Node, either: Either }
		message Empty {}
	`}, "a.sdp")
	for name, want := range map[string]int{"Leaf": 2, "Pair": 5 + 3*2, "Either": 2 + 2 + 3, "Empty": 0} {
		if got := plan.HeldFields(find(t, pkg, name), 100); got != want {
			t.Errorf("%s holds %d fields, want %d", name, got, want)
		}
	}
	for _, name := range []string{"Node", "Pair"} {
		if got := plan.HeldFields(find(t, pkg, name), 7); got <= 7 {
			t.Errorf("%s holds %d fields, want more than 7", name, got)
		}
	}
}
