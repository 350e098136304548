package main

import (
	"errors"
	"fmt"
	"io"
	"os"
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

// scenario is a course of events, and what has to come of it.
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
func (r *run) run(programs map[string]string, trace io.Writer) {
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

// plan lists what is to be run.
func plan(asked []string, only, between string, from, count uint64) (all []*run) {
	var pairs []string
	for _, client := range asked {
		for _, server := range asked {
			pairs = append(pairs, client+","+server)
		}
	}
	for _, s := range scenarios {
		with := pairs
		if s.cast != both {
			with = asked
		}
		for _, one := range with {
			all = append(all, &run{scenario: s, pair: one, seed: 1})
		}
	}
	for i := range count {
		seed := from + i
		s := scenario{name: fmt.Sprintf("seed %d", seed), run: random}
		with := pairs[int(seed)%len(pairs)]
		if between != "" {
			with = between
		}
		all = append(all, &run{scenario: s, pair: with, seed: seed})
	}
	return slices.DeleteFunc(all, func(r *run) bool {
		return only != "" && !strings.Contains(r.name, only) || between != "" && r.pair != between
	})
}

// many runs all, and says what failed that is not known to, and what is known to fail and
// did not.
func many(programs map[string]string, all []*run, listed known, slow bool, out io.Writer) error {
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
	failed, expected := 0, 0
	for _, one := range all {
		is := listed.has(one)
		switch {
		case len(one.problems) > 0 && is:
			expected++
		case len(one.problems) > 0:
			failed++
			fmt.Fprintln(out, one)
		}
	}
	if slow {
		slices.SortFunc(all, func(a, b *run) int { return int(b.took - a.took) })
		for _, one := range all[:min(len(all), 20)] {
			fmt.Fprintf(out, "%v %s %s\n", one.took.Round(time.Millisecond), one.name, one.pair)
		}
	}
	stale := listed.stale()
	for _, line := range stale {
		fmt.Fprintf(out, "%s: it passes; remove the line\n", line)
	}
	fmt.Fprintf(out, "%d passed, %d failed, %d known to fail\n", len(all)-failed-expected, failed, expected)
	if failed+len(stale) > 0 {
		return errors.New("it failed")
	}
	return nil
}

// known are runs that fail, a line each: a scenario, and languages, where * is any.
type known []*knownLine

type knownLine struct {
	text, name, pair string
	sometimes        bool // it depends on what is random in the library
	ran, failed      bool
}

func readKnown(path string) (list known, err error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for _, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		sometimes := len(words) == 3 && words[2] == "sometimes"
		if len(words) != 2 && !sometimes {
			return nil, fmt.Errorf("%s: %q is not SCENARIO LANGUAGES", path, line)
		}
		list = append(list, &knownLine{text: strings.TrimSpace(line), name: words[0], pair: words[1], sometimes: sometimes})
	}
	return list, nil
}

// has reports whether a run is listed, and notes for its lines whether it failed.
func (k known) has(r *run) (is bool) {
	for _, line := range k {
		if line.name == r.name && matches(line.pair, r.pair) {
			is, line.ran = true, true
			line.failed = line.failed || len(r.problems) > 0
		}
	}
	return is
}

func matches(pattern, pair string) bool {
	p, q := strings.Split(pattern, ","), strings.Split(pair, ",")
	if len(p) != len(q) {
		return false
	}
	for i := range p {
		if p[i] != "*" && p[i] != q[i] {
			return false
		}
	}
	return true
}

// stale are the lines of which nothing fails any more.
func (k known) stale() (lines []string) {
	for _, line := range k {
		if line.ran && !line.failed && !line.sometimes {
			lines = append(lines, line.text)
		}
	}
	return lines
}
