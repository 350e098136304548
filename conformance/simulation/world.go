package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
)

// world is one run: two sides, what is between them, and the time. All that is random comes from its seed.
type world struct {
	rng     *rand.Rand
	now     uint64
	runners [2]*process
	sides   [2]*endpoint
	// genuine is whether nobody but the two sides has made what arrives.
	genuine    bool
	compatible bool
	// eager is how often queues are looked at, in a hundred steps.
	eager   int
	trace   bytes.Buffer
	problem string // what the oracle found
	err     error  // what a runner did
}

// Most steps of a run.
const stepsMax = 180

// run makes a run, and gives its trace, which ends with its fault.
func run(seed uint64, runners [2]*process) (trace []byte, ok bool) {
	for _, r := range runners {
		defer r.guard()()
	}
	w := &world{rng: rand.New(rand.NewPCG(seed, 0)), runners: runners}
	w.now = w.rng.Uint64N(1e6)
	for steps := stepsMax; steps > 0 && !w.stopped(); {
		steps -= w.pair(steps)
	}
	if w.err != nil {
		w.remark("FAIL %v", w.err)
	}
	if w.problem != "" {
		w.remark("FAIL %s", w.problem)
	}
	return w.trace.Bytes(), !w.stopped()
}

func (w *world) stopped() bool { return w.err != nil || w.problem != "" }

func (w *world) violate(format string, args ...any) {
	if !w.stopped() {
		w.problem = fmt.Sprintf(format, args...)
	}
}

// remark writes down what is not said by a runner.
func (w *world) remark(format string, args ...any) {
	fmt.Fprintf(&w.trace, "%d -- ", w.now)
	fmt.Fprintf(&w.trace, format, args...)
	w.trace.WriteByte('\n')
}

// note writes down what was asked, what came of it, and the state.
func (w *world) note(e *endpoint, verb, words string, a, state answer) {
	result := a.refusal
	if result == "" {
		result = "ok"
	}
	fmt.Fprintf(&w.trace, "%d %s %s %s -> %s %s [%s]", w.now, e.name, verb, words, result, strings.Join(a.words, " "), strings.Join(state.words, " "))
	for _, line := range a.lines {
		if verb == "poll" {
			line = shownFrame(line)
		}
		w.trace.WriteString("; ")
		w.trace.WriteString(line)
	}
	w.trace.WriteByte('\n')
}

// pair makes two sessions, lets them be used for some steps, and ends them; it gives how many steps it took.
func (w *world) pair(steps int) (taken int) {
	configs, compatible := configs(w.rng)
	w.genuine, w.compatible = true, compatible
	for i := range w.sides {
		w.sides[i] = &endpoint{
			name: [2]string{"opener", "acceptor"}[i], parity: uint64(1 - i), world: w, runner: w.runners[i], config: configs[i],
			own: newTable(), theirs: newTable(),
		}
	}
	w.sides[0].peer, w.sides[1].peer = w.sides[1], w.sides[0]
	for _, e := range w.sides {
		e.send("new", e.config.words)
		e.directory("new", "agents=2")
	}
	if w.compatible && w.rng.IntN(4) > 0 {
		w.flush() // both Hellos
	}
	w.eager = [...]int{2, 10, 16, 16}[w.rng.IntN(4)]
	hostile := w.rng.IntN(4) == 0
	length := 1 + w.rng.IntN(2*steps)
	for taken = 1; taken < min(length, steps) && !w.stopped() && !w.over(); taken++ {
		w.step(hostile)
	}
	if w.genuine && w.compatible && w.rng.IntN(4) > 0 {
		w.calm()
	}
	w.close()
	return taken
}

// over reports whether a side has finished and all that it sent has been read.
func (w *world) over() bool {
	for _, e := range w.sides {
		if e.state.finished && len(e.out.pieces) == 0 {
			return true
		}
	}
	return false
}

// step does one thing.
func (w *world) step(hostile bool) {
	e := w.sides[w.rng.IntN(2)]
	switch n := w.rng.IntN(100); {
	case n < w.eager:
		most := 0
		if w.rng.IntN(3) == 0 {
			most = 1 + w.rng.IntN(3)
		}
		e.poll(most)
	case n < 36:
		if len(e.peer.out.pieces) > 0 && e.peer.out.arrived(w.now) == 0 && w.rng.IntN(2) == 0 {
			w.now = e.peer.out.pieces[0].at
		}
		e.deliver(w.rng.IntN(3) == 0)
	case n < 43:
		w.advance()
	case n < 50 && hostile:
		e.attack()
	default:
		e.act()
	}
}

// advance lets time pass, often to just when something is due, and tells it.
func (w *world) advance() {
	next := uint64(never)
	for _, e := range w.sides {
		next = min(next, e.state.timeout)
		if len(e.out.pieces) > 0 {
			next = min(next, e.out.pieces[0].at)
		}
	}
	switch n := w.rng.IntN(8); {
	case next == never || next < w.now || n < 3:
		w.now += w.rng.Uint64N(2000)
	case next-w.now > 1e6 && n < 7:
		w.now += w.rng.Uint64N(5000)
	case n < 6:
		w.now = next
	case n < 7:
		w.now = max(w.now, next-1)
	default:
		w.now = next + w.rng.Uint64N(1000)
	}
	for _, e := range w.sides {
		if w.rng.IntN(8) > 0 {
			e.tick()
		}
	}
}

// close is the end of the connection: of the bytes that have not arrived, none will, or only a part.
func (w *world) close() {
	first := w.rng.IntN(2)
	for i := range w.sides {
		e := w.sides[(first+i)%2]
		if w.rng.IntN(4) == 0 {
			e.deliver(true)
		}
	}
	if w.genuine {
		w.whyKnown()
	}
	for i := range w.sides {
		e := w.sides[(first+i)%2]
		e.lose()
		e.lose()
		w.stats(e)
	}
}

// whyKnown looks at whether a side knows why the other has ended, where it has read all of that.
func (w *world) whyKnown() {
	for _, e := range w.sides {
		refused := e.end != nil && !e.end.remote
		if !refused || !e.state.finished || len(e.out.pieces) > 0 {
			continue
		}
		if p := e.peer.end; p == nil && !e.peer.state.finished || p != nil && p.remote && p.name != e.end.name {
			e.violate("it ended with %q, and the peer does not know [MXP-11.3]", e.end.name)
		}
	}
}

// stats writes down the counters, which nothing else looks at.
func (w *world) stats(e *endpoint) {
	if a := e.send("stats", ""); !w.stopped() && len(a.lines) == 0 {
		e.violate("there are no counters")
	}
}
