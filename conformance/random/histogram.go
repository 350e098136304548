package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/interp/random"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// nestingMax is how deep every construct must have occurred.
const nestingMax = 3

// histogram counts constructs by nesting: 1 for a field of the top level.
type histogram map[random.Construct]int

func (h histogram) add(seen map[random.Construct]int) {
	for construct, n := range seen {
		h[construct] += n
	}
}

// constructs are the kinds of types, and what else a value can have.
func constructs() []string {
	names := []string{
		"absent", "tail", "no payload", "inline alternative", "unknown tag", "enum number at random", "text beyond ASCII letters",
	}
	for kind := ir.Kind(1); kind <= ir.MessageKind; kind++ {
		names = append(names, kind.String())
	}
	return names
}

// missing are the constructs that did not occur at a nesting where they must.
func (h histogram) missing() []random.Construct {
	var none []random.Construct
	for _, name := range constructs() {
		for nesting := 1; nesting <= nestingMax; nesting++ {
			if c := (random.Construct{Name: name, Nesting: nesting}); h[c] == 0 {
				none = append(none, c)
			}
		}
	}
	return none
}

func (h histogram) print() {
	names := map[string][]int{}
	for c, n := range h {
		if names[c.Name] == nil {
			names[c.Name] = make([]int, nestingMax+2)
		}
		names[c.Name][min(c.Nesting, nestingMax+1)] += n
	}
	fmt.Printf("%-28s %9s %9s %9s %9s %9s\n", "construct, at nesting", "0", "1", "2", "3", "deeper")
	for _, name := range slices.Sorted(maps.Keys(names)) {
		fmt.Printf("%-28s", name)
		for _, n := range names[name] {
			fmt.Printf(" %9d", n)
		}
		fmt.Println()
	}
}
