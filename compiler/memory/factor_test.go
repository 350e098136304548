package memory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// TestFactorsDoNotDependOnWhatWasAskedBefore tests the remembered costs of types within others.
func TestFactorsDoNotDependOnWhatWasAskedBefore(t *testing.T) {
	program, decls := planned(t, `
		struct Small { a: u8, b: [3]?[200]u64 } message Plain { small: Small, list: []Small }
		struct A { b: ?B, all: []Plain, large: [90]u64 } struct B { a: []A, plain: ?Plain, c: ?C } struct C { b: ?B, by: map<u8, Plain> }
		union U { A(A) = 1, C { c: C, plain: Plain } = 2, None = 3 } message Root { u: ?U, c: C, plain: [2]Plain }
		message Other { b: B, plain: map<str, Plain>, root: []Root }`)
	for _, model := range []Model{Go, Rust, CPP} {
		for first := range decls {
			costs := New(program, model)
			costs.Factor(decls[first])
			for name, d := range decls {
				if got, want := costs.Factor(d), New(program, model).Factor(d); got != want {
					t.Errorf("%s behind %s has the factor %d, alone %d", name, first, got, want)
				}
			}
		}
	}
}

// TestFactorsOfAChainAreFoundInLinearTime counts the allocations of the search.
func TestFactorsOfAChainAreFoundInLinearTime(t *testing.T) {
	allocated := func(messages int) float64 {
		var text strings.Builder
		text.WriteString("message M0 { a: u32 }\n")
		for i := 1; i < messages; i++ {
			fmt.Fprintf(&text, "message M%d { child: ?M%d, kids: []M%d }\n", i, i-1, i/2)
		}
		program, decls := planned(t, text.String())
		all := make([]ir.Decl, 0, len(decls))
		for _, d := range decls {
			all = append(all, d)
		}
		return testing.AllocsPerRun(1, func() {
			costs := New(program, Go)
			for _, d := range all {
				costs.Factor(d)
			}
		})
	}
	if few, many := allocated(100), allocated(400); many > 6*few {
		t.Errorf("four times the messages allocate %.1f times as often", many/few)
	}
}
