package main

import (
	"container/heap"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Durations in microseconds.
const (
	ms     = 1000
	second = 1000 * ms
)

// idleStep is how far time goes at once while nothing is on its way.
const idleStep = 100 * ms

// world is a run: runners, the connections between them, and the time.
type world struct {
	programs map[string]program
	rng      *rand.Rand
	out      io.Writer // nil without a trace

	now     int
	clock   int // of what happens: now, or when a runner has said what is handled
	active  int // when a runner has last said something
	next    agenda
	order   int
	runners []*runner
	pipes   []*pipe
	load    load

	client, server *runner
	serving        int // the server that takes connections; 0: none
	servers        int

	latency int
	rate    int
	silent  bool           // connections that are made from now on let nothing through
	limits  session.Limits // of the simulation's peers
	dials   int
	met     func(*peer) // has a client's connection, where the simulation is the server

	problems []string
	notes    []string
}

func newWorld(programs map[string]program, seed uint64, out io.Writer) *world {
	return &world{programs: programs, rng: rand.New(rand.NewPCG(seed, 0)), out: out, latency: 5 * ms, load: load{asked: map[int]*request{}}}
}

// stop ends all runners.
func (w *world) stop() {
	for _, r := range w.runners {
		r.stop()
	}
}

// must ends the run if something is wrong with the simulation itself.
func (w *world) must(err error) {
	if err != nil {
		panic(broken{err.Error()})
	}
}

// problem notes what is against the specification.
func (w *world) problem(format string, values ...any) {
	text := fmt.Sprintf(format, values...)
	w.trace(w.now, "PROBLEM", "", text)
	w.problems = append(w.problems, text)
}

// note adds a number to the line of the run.
func (w *world) note(format string, values ...any) {
	w.notes = append(w.notes, fmt.Sprintf(format, values...))
}

func (w *world) trace(at int, who, way, what string) {
	if w.out != nil {
		fmt.Fprintf(w.out, "%12.6f %-12s %s %.160s\n", float64(at)/second, who, way, what)
	}
}

// after lets something be done later.
func (w *world) after(us int, do func()) { w.at(w.clock+us, do) }

// at lets something be done at a time.
func (w *world) at(time int, do func()) {
	w.order++
	heap.Push(&w.next, action{time, w.order, do})
}

// run lets time go on.
func (w *world) run(until int) {
	for {
		for len(w.next) > 0 && w.next[0].time <= w.now {
			w.clock = w.now
			w.next.take().do()
		}
		to := until
		if len(w.next) > 0 {
			to = min(to, max(w.now, w.next[0].time))
		}
		switch {
		case len(w.runners) == 1:
			to = w.apart(to)
		case w.now < w.active+2*idleStep:
			to = min(to, w.now+w.latency)
			w.together(to)
		default:
			to = w.apart(min(to, w.now+idleStep))
		}
		w.now, w.clock = to, to
		if w.now >= until && (len(w.next) == 0 || w.next[0].time > w.now) {
			return
		}
	}
}

// together lets the time of all runners go on at once, so little that nothing which one
// says meanwhile can reach another.
func (w *world) together(to int) {
	for _, r := range w.runners {
		r.begin(max(to, r.time), false)
	}
	for _, r := range w.runners {
		r.collect()
	}
}

// apart lets the time of one runner after the other go on, as far as none has said
// something that is to arrive before. It gives how far that was.
func (w *world) apart(to int) int {
	for _, r := range w.runners {
		for {
			r.advance(max(to, r.time), true)
			if len(w.next) > 0 {
				to = min(to, max(w.now, w.next[0].time))
			}
			if r.time >= to {
				break
			}
		}
	}
	return to
}

// pass lets time go on for a while.
func (w *world) pass(us int) { w.run(w.now + us) }

// until lets time go on until something is so, and reports whether it is.
func (w *world) until(most int, is func() bool) bool {
	for end := w.now + most; !is(); {
		if w.now >= end {
			return false
		}
		to := min(end, w.now+10*ms)
		if len(w.runners) == 1 || w.now > w.active+2*idleStep {
			to = min(end, w.now+idleStep)
		}
		w.run(to)
	}
	return true
}

// agenda has what is to be done, by time.
type agenda []action

type action struct {
	time, order int
	do          func()
}

// take takes the first action out.
func (a *agenda) take() action { return heap.Pop(a).(action) }

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	if a[i].time != a[j].time {
		return a[i].time < a[j].time
	}
	return a[i].order < a[j].order
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }

// Push adds an action.
func (a *agenda) Push(one any) { *a = append(*a, one.(action)) }

// Pop takes the last one out.
func (a *agenda) Pop() any {
	last := len(*a) - 1
	one := (*a)[last]
	*a = (*a)[:last]
	return one
}
