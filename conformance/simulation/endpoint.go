package main

import (
	"fmt"
	"slices"
	"strings"
)

// endpoint is one side: a runner's session, and the oracle's knowledge of it.
type endpoint struct {
	name   string
	parity uint64 // of its own ids
	world  *world
	runner *process
	config config
	peer   *endpoint
	out    link // to the peer

	own, theirs                 table
	ready, drained, peerDrained bool
	end                         *ending
	told                        string // name of the Error with id 0 that was given out
	state                       state
	last                        lastFrame
	grown                       uint64 // by how many bytes what waits grew
	mayDrop                     bool   // the Event that is made lets others be dropped
}

// ending is how a session ended.
type ending struct {
	name   string
	remote bool
}

// state is the runner's report about its session.
type state struct {
	ready, finished bool
	in, out, queue  uint64
	timeout         uint64
}

// closed reports whether the user's calls are refused because all is over.
func (e *endpoint) closed() bool { return e.end != nil || e.state.finished }

// send asks the session one thing, then for its state, and writes both down.
func (e *endpoint) send(verb, words string) answer {
	if e.world.stopped() {
		return answer{}
	}
	line := fmt.Sprintf("session %s now=%d %s", verb, e.world.now, words)
	lines := []string{strings.TrimSuffix(line, " "), "session state"}
	if verb == "cancel" {
		lines = slices.Insert(lines, 1, "session receive bytes=-")
	}
	answers, err := e.runner.ask(lines...)
	if err != nil {
		e.world.err = err
		return answer{}
	}
	a, last := answers[0], answers[len(answers)-1]
	if verb == "cancel" {
		a.lines = answers[1].lines
	}
	e.world.note(e, verb, words, a, last)
	before := e.state
	defer func() { e.watch(verb, before.queue) }()
	e.state = state{
		last.word("ready") == "1", last.word("finished") == "1",
		last.number("in"), last.number("out"), last.number("queue"), never,
	}
	if timeout := last.word("timeout"); timeout != "-" {
		e.state.timeout = number(timeout)
	}
	if before.finished && !e.state.finished {
		e.violate("what was finished is not any more [MXP-11.4]")
	}
	return a
}

func (e *endpoint) violate(format string, args ...any) {
	e.world.violate("%s: %s", e.name, fmt.Sprintf(format, args...))
}

// told by the world: what a session is told by its connection and its clock.

func (e *endpoint) receive(data []byte) (used int) {
	a := e.send("receive", "bytes="+hexed(data))
	e.happen(a.lines)
	return int(a.number("used"))
}

func (e *endpoint) tick() {
	if a := e.send("tick", ""); !e.world.stopped() {
		e.happen(a.lines)
	}
	if e.end != nil {
		return
	}
	for _, t := range []table{e.own, e.theirs} {
		for _, x := range t.placed {
			if x.phase == live && x.due <= e.world.now {
				e.violate("request %d goes on after its deadline [MXP-7.7]", x.id)
			}
		}
	}
}

func (e *endpoint) lose() {
	clean := e.end == nil && (e.state.finished || (e.drained || e.peerDrained) && !e.live())
	before := e.end
	e.happen(e.send("lost", "").lines)
	switch {
	case e.world.stopped():
	case e.end == nil:
		e.violate("no end after the connection is gone [MXP-11.3]")
	case before == nil && (e.end.name == "") != clean:
		e.violate("it ended with %q, but that all was settled is %v [MXP-11.3]", e.end.name, clean)
	case !e.state.finished:
		e.violate("not finished after the connection is gone [MXP-11.3]")
	}
}

// live reports whether an answer is awaited on either side.
func (e *endpoint) live() bool {
	for _, t := range []table{e.own, e.theirs} {
		for _, x := range t.placed {
			if x.phase == live {
				return true
			}
		}
	}
	return false
}

// check holds the state against what the oracle knows.
func (e *endpoint) check() {
	if e.world.stopped() {
		return
	}
	e.own.sweep()
	e.theirs.sweep()
	s := e.state
	switch {
	case s.out != uint64(len(e.own.placed)):
		e.violate("out is %d, and there are %d", s.out, len(e.own.placed))
	case s.in != uint64(len(e.theirs.placed)):
		e.violate("in is %d, and there are %d", s.in, len(e.theirs.placed))
	case s.in > e.config.inFlight || s.out > e.config.inFlight:
		e.violate("more are in flight than can be [MXP-9.3]")
	case e.theirs.bytes() > e.config.inFlightBytes:
		e.violate("more bytes are in flight than can be [MXP-9.3]")
	case !e.closed() && s.ready != e.ready:
		e.violate("ready is %v [MXP-6.4]", s.ready)
	case e.closed() && s.timeout != never:
		e.violate("a session that has ended waits for a time [MXP-10.2]")
	}
}

// exchange gives the exchange with an id, of either side.
func (e *endpoint) exchange(id uint64) *exchange {
	if id%2 == e.parity {
		return e.own.all[id]
	}
	return e.theirs.all[id]
}
