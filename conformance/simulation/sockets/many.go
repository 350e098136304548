package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// cast says which sides of a scenario are runners.
type cast int

const (
	both cast = iota
	clientAlone
	serverAlone
)

// scenario is a course of events, and its required consequences.
type scenario struct {
	name  string
	about string
	cast  cast
	run   func(w *world)
}

// run is a scenario in certain languages.
type run struct {
	scenario
	pair     string // go,rust, or go where one side alone is a runner
	seed     uint64
	problems []string
	notes    string
	took     time.Duration
}

func (r *run) String() string {
	text := fmt.Sprintf("%-22s %-9s %s", r.name, r.pair, r.notes)
	for _, one := range r.problems {
		text += "\n    " + one
	}
	return text
}

// run runs it. A trace is written where there is a writer.
func (r *run) run(programs map[string]program, trace io.Writer) {
	begun := time.Now()
	w := newWorld(programs, r.seed, trace)
	defer w.stop()
	defer func() {
		r.took = time.Since(begun)
		if why := recover(); why != nil {
			b, ok := why.(broken)
			if !ok {
				panic(why)
			}
			w.problems = append(w.problems, b.why)
		}
		r.problems = w.problems
		if len(r.problems) > 5 {
			r.problems = append(r.problems[:5], fmt.Sprintf("and %d more", len(w.problems)-5))
		}
		if len(w.load.asked) > 0 {
			w.note("%s", w.load.counts())
		}
		r.notes = strings.Join(w.notes, ", ")
	}()
	sides := strings.Split(r.pair, ",")
	if r.cast != serverAlone {
		w.client = w.start("client", sides[0])
	}
	if r.cast != clientAlone {
		w.server = w.start("server", sides[len(sides)-1])
		w.serve()
	}
	r.scenario.run(w)
}

// runAll runs all, as many at once as there are processors.
func runAll(programs map[string]program, all []*run) {
	next := make(chan *run)
	var working sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		working.Add(1)
		go func() {
			defer working.Done()
			for one := range next {
				one.run(programs, nil)
			}
		}()
	}
	for _, one := range all {
		next <- one
	}
	close(next)
	working.Wait()
}

// judge says which runs failed that are not known to, or did not and are, and counts them.
func judge(all []*run, listed known, out io.Writer) (failed, expected int) {
	for _, one := range all {
		switch known := listed[one.name][one.pair]; {
		case len(one.problems) > 0 && known != "":
			expected++
		case len(one.problems) > 0:
			failed++
			fmt.Fprintln(out, one)
		case known == always:
			failed++
			fmt.Fprintf(out, "%s %s passes, and is listed as a known failure\n", one.name, one.pair)
		}
	}
	return failed, expected
}

// many runs all, and judges what came of it.
func many(programs map[string]program, all []*run, listed known, slow bool, out io.Writer) error {
	runAll(programs, all)
	failed, expected := judge(all, listed, out)
	if slow {
		slices.SortFunc(all, func(a, b *run) int { return int(b.took - a.took) })
		for _, one := range all[:min(len(all), 20)] {
			fmt.Fprintf(out, "%v %s %s\n", one.took.Round(time.Millisecond), one.name, one.pair)
		}
	}
	fmt.Fprintf(out, "%d passed, %d failed, %d known to fail\n", len(all)-failed-expected, failed, expected)
	if failed > 0 {
		return errors.New("it failed")
	}
	return nil
}
