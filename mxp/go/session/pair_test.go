package session_test

import (
	"bytes"
	"testing"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// pair is two sessions that talk to each other at once, and the events that they told.
type pair struct {
	t      *testing.T
	now    uint64
	a, b   *session.Session // the opener and the acceptor
	atA    []session.Incoming
	atB    []session.Incoming
	onB    func(in session.Incoming) // what B's user does
	silent bool                      // nothing passes
}

// echo is the configuration of both sides.
var echo = session.Config{Services: []string{"demo.Echo"}}

func newPair(t *testing.T, a, b session.Config) *pair {
	a.Role, b.Role = session.Opener, session.Acceptor
	p := &pair{t: t, now: 1_000, a: session.New(a, 1_000), b: session.New(b, 1_000)}
	p.run()
	return p
}

// readyPair has both Hellos behind it.
func readyPair(t *testing.T, a, b session.Config) *pair {
	p := newPair(t, a, b)
	if !p.a.Ready() || !p.b.Ready() {
		t.Fatalf("not ready: %+v %+v", p.atA, p.atB)
	}
	p.atA, p.atB = nil, nil
	return p
}

// run passes frames until there are none, and gathers the events.
func (p *pair) run() {
	for moved := true; moved; {
		moved = p.pass(p.a, p.b, &p.atB, p.onB)
		moved = p.pass(p.b, p.a, &p.atA, nil) || moved
	}
}

func (p *pair) pass(from, to *session.Session, events *[]session.Incoming, on func(session.Incoming)) (moved bool) {
	var sent []byte
	for f, ok := from.PollFrame(p.now); ok && !p.silent; f, ok = from.PollFrame(p.now) {
		sent = append(append(append(sent, f.Head...), f.Value...), f.Trailer...)
	}
	moved = len(sent) > 0
	for in, ok := to.Receive(&sent, p.now); ok; in, ok = to.Receive(&sent, p.now) {
		moved = true
		*events = append(*events, kept(in))
		if on != nil {
			on(in)
		}
	}
	return moved
}

// tick lets time pass at both ends.
func (p *pair) tick(after uint64) {
	p.now += after
	p.a.Tick(p.now)
	p.b.Tick(p.now)
	p.run()
}

// kept copies an event that is reused.
func kept(in session.Incoming) session.Incoming {
	switch in := in.(type) {
	case *session.Call:
		c := *in
		c.Value = bytes.Clone(c.Value)
		return &c
	case *session.Open:
		c := *in
		c.Value = bytes.Clone(c.Value)
		return &c
	case *session.Event:
		c := *in
		c.Value = bytes.Clone(c.Value)
		return &c
	case *session.Response:
		c := *in
		c.Value = bytes.Clone(c.Value)
		return &c
	case *session.Chunk:
		c := *in
		c.Value = bytes.Clone(c.Value)
		return &c
	case *session.Chunks:
		c := *in
		c.Records = c.In(bytes.Clone(c.Data()))
		return &c
	case *session.Events:
		c := *in
		c.Records = c.In(bytes.Clone(c.Data()))
		return &c
	}
	return in
}

// only gives the one event that there is, of a type.
func only[T session.Incoming](t *testing.T, events []session.Incoming) T {
	t.Helper()
	if len(events) != 1 {
		t.Fatalf("%d events, want one: %+v", len(events), events)
	}
	in, ok := events[0].(T)
	if !ok {
		t.Fatalf("%T, want another: %+v", events[0], events[0])
	}
	return in
}

func (p *pair) call(value string, deadline uint64) uint64 {
	p.t.Helper()
	id, err := p.a.Call(session.Request{Method: 1, Deadline: deadline}, []byte(value), p.now)
	if err != nil {
		p.t.Fatal(err)
	}
	return id
}
