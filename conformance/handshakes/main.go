// Command handshakes prints pairs of releases of a schema with a service, and the fate of the
// service's methods where the two releases meet.
//
//	go run ./conformance/handshakes [-seed N] [-count N]
//
// The schemas and the edits between them also hold the report of `sdp breaking` against values;
// here that report names the methods that a handshake may refuse, and the methods that it must
// refuse [MXP-6.8]. Each line is a pair, in JSON. The harness lets runners of sessions meet by
// them: python3 -m conformance.harness handshakes.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/serial-data-protocol/sdp/compiler/compat/random"
)

func main() {
	seed := flag.Uint64("seed", 1, "seed of the schemas and the edits")
	count := flag.Int("count", 150, "pairs to make")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for i := range *count {
		p, err := newPair(*seed, i)
		if err == nil {
			err = lines.Encode(p)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "handshakes: seed %d, pair %d: %v\n", *seed, i, err)
			os.Exit(1)
		}
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, "handshakes:", err)
		os.Exit(1)
	}
}

// pair is two releases of a schema.
type pair struct {
	Number int      `json:"number"`
	Edits  []string `json:"edits"`
	Old    *release `json:"old"`
	New    *release `json:"new"`
	// Verdicts are the verdicts on the types that both releases have by one name.
	Verdicts []verdict `json:"verdicts"`

	before, after *random.Schema
}

// newPair makes schemas until edits fit one and both releases compile. The first pairs have
// one edit each, so that none is missing; the others one to three of any kind.
func newPair(seed uint64, number int) (*pair, error) {
	r := rand.New(rand.NewPCG(seed, uint64(number)))
	for range 400 {
		edits := []random.Edit{random.Edits[number%len(random.Edits)]}
		if number >= len(random.Edits) {
			edits = edits[:0]
			for range 1 + r.IntN(3) {
				edits = append(edits, random.Edits[r.IntN(len(random.Edits))])
			}
		}
		before := random.New(r)
		after, renamed := before.Edit(r, edits...)
		if after == nil || compiles(after) != nil {
			continue
		}
		return paired(number, edits, before, after, renamed)
	}
	return nil, fmt.Errorf("no edits fit a schema")
}

func paired(number int, edits []random.Edit, before, after *random.Schema, renamed map[string]string) (p *pair, err error) {
	p = &pair{Number: number, before: before, after: after}
	for _, edit := range edits {
		p.Edits = append(p.Edits, edit.Name)
	}
	if p.Old, err = newRelease(before, methods(before, before, nil, 0)); err != nil {
		return nil, err
	}
	if p.New, err = newRelease(after, methods(before, after, renamed, 1)); err != nil {
		return nil, err
	}
	for _, old := range roots(before) {
		if renamed[old.Name] == "" && isRoot(after.Find(old.Name)) {
			v, err := judge(before, after, old.Name)
			if err != nil {
				return nil, err
			}
			p.Verdicts = append(p.Verdicts, v)
		}
	}
	return p, nil
}
