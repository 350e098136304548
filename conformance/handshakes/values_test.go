package main

import (
	"flag"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
)

var (
	seed  = flag.Uint64("seed", 1, "seed of the pairs")
	pairs = flag.Int("pairs", 120, "how many pairs meet")
)

// valuesMax is how many values of each type are tried.
const valuesMax = 8

// Of releases that meet, no method is kept whose values come out with another meaning, and none is
// refused that the report calls safe in the bytes [MXP-6.5, MXP-6.8].
func TestKeptMethodsAreUnderstood(t *testing.T) {
	workers := runtime.GOMAXPROCS(0)
	proofs := make([]proof, workers)
	var all sync.WaitGroup
	for i := range workers {
		all.Add(1)
		go func() {
			defer all.Done()
			proofs[i] = proveAll(t, i, workers)
		}()
	}
	all.Wait()
	kept, refused := 0, 0
	for _, one := range proofs {
		kept, refused = kept+one.kept, refused+one.refused
	}
	t.Logf("%d types kept, %d refused", kept, refused)
	if kept == 0 || refused == 0 {
		t.Error("nothing was kept, or nothing refused")
	}
}

// proveAll looks at every so many pairs, from one on, up to the first that is wrong.
func proveAll(t *testing.T, first, step int) (sum proof) {
	for i := first; i < *pairs; i += step {
		p, err := newPair(*seed, i)
		if err != nil {
			t.Error(err)
			return sum
		}
		made, err := p.prove(rand.New(rand.NewPCG(*seed, uint64(i))), valuesMax)
		if err != nil {
			t.Errorf("pair %d: %v", i, err)
			return sum
		}
		if len(made.wrong) > 0 {
			t.Errorf("seed %d, pair %d (%v): %s\nold:\n%s\nnew:\n%s", *seed, i, p.Edits, strings.Join(made.wrong, "\n"), p.Old.Text, p.New.Text)
			return sum
		}
		sum.kept, sum.refused = sum.kept+made.kept, sum.refused+made.refused
	}
	return sum
}
