package main

import (
	"fmt"
	"slices"
	"strings"
)

// choice is the wanted runs.
type choice struct {
	languages   []string
	all         bool   // every scenario with every pair of languages, not each with some
	name        string // only scenarios whose name has this
	pair        string // only this pair, or this language
	from, count uint64 // seeds of runs that are random
}

// plan lists the runs. Where not every pair is asked for, each language is once the client and
// once the server of each scenario, and all pairs have their turn.
func (c choice) plan() (all []*run) {
	n := len(c.languages)
	for i, s := range scenarios {
		for j, client := range c.languages {
			if s.cast != both {
				all = append(all, &run{scenario: s, pair: client, seed: 1})
				continue
			}
			for k := range c.languages {
				if c.all || k == i%n {
					all = append(all, &run{scenario: s, pair: client + "," + c.languages[(j+k)%n], seed: 1})
				}
			}
		}
	}
	for seed := c.from; seed < c.from+c.count; seed++ {
		pair := c.pair
		if pair == "" {
			pair = c.languages[seed/uint64(n)%uint64(n)] + "," + c.languages[seed%uint64(n)]
		}
		all = append(all, &run{scenario: scenario{name: fmt.Sprintf("seed_%d", seed), run: random}, pair: pair, seed: seed})
	}
	return slices.DeleteFunc(all, func(r *run) bool {
		return !strings.Contains(r.name, c.name) || c.pair != "" && r.pair != c.pair
	})
}
