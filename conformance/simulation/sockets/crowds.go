package main

import (
	"strconv"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// serverUnread has a peer that opens streams and fills the window of each, while their handlers
// read a chunk in a minute: the largest streams end, and the connection stays.
func serverUnread(w *world) {
	const streams, chunkBytes, most = 10, 60_000, 8 << 20
	w.serve("connection_bytes=" + strconv.Itoa(most))
	p := w.visitor()
	w.pass(second)
	before := w.server.memory()
	granted := map[uint64]uint64{}
	ended := map[string]int{}
	p.happens = func(in session.Incoming) {
		switch in := in.(type) {
		case *session.Granted:
			granted[in.ID] += in.Bytes
		case *session.Ended:
			ended[in.Name]++
			delete(granted, in.ID)
		}
	}
	for range streams {
		value := value(w.load.expect(w, "stream"), 60*second, 0, 0)
		_, err := p.session.Open(session.Request{Method: 3}, 1024, 1<<20, value, false, uint64(w.now))
		w.must(err)
		p.flush()
		w.pass(20 * ms)
		for id, bytes := range granted {
			for ; bytes >= chunkBytes; bytes -= chunkBytes {
				if _, err := p.session.Chunk(id, make([]byte, chunkBytes), false, false, uint64(w.now)); err != nil {
					w.problem("a chunk that was granted is refused: %v", err)
				}
				p.flush()
			}
			granted[id] = bytes
		}
		w.pass(50 * ms)
	}
	w.pass(3 * second)
	w.note("ended: %v", ended)
	w.small(w.server, before, 2*most+24<<20)
	if p.gone() {
		w.problem("the connection is gone")
	}
	if ended["limit_connection_bytes"] == 0 || ended["limit_connection_bytes"] > 8 {
		w.problem("of %d streams, %v have ended", streams, ended)
	}
}

// serverBudget has many peers that ask for much and read nothing: together they get no more than
// the server's budget, and a peer that asks for little is answered.
func serverBudget(w *world) {
	const most = 8 << 20
	w.serve("memory_bytes=" + strconv.Itoa(most))
	modest := w.visitor()
	var all []*peer
	for range 20 {
		all = append(all, w.visitor())
	}
	w.pass(second)
	before := w.server.memory()
	answered, asked := 0, 0
	modest.happens = func(in session.Incoming) {
		if _, ok := in.(*session.Response); ok {
			answered++
		}
	}
	for range 40 {
		for _, p := range all {
			p.stopped = true
			if !p.gone() {
				w.must(p.call(w.load.expect(w, "call"), 0, 10, 100_000))
			}
		}
		asked++
		w.must(modest.call(w.load.expect(w, "call"), 0, 10, 10))
		w.pass(100 * ms)
	}
	w.pass(second)
	w.small(w.server, before, 2*most+16<<20)
	if answered != asked {
		w.problem("of %d small calls, %d were answered", asked, answered)
	}
}

// clientPeerFull has a peer that takes five calls at once and refuses others: they are made
// again until they are answered.
func clientPeerFull(w *world) {
	w.limits.InFlight = 5
	p := w.welcome()
	p.happens = func(in session.Incoming) {
		if call, ok := in.(*session.Call); ok {
			kept := &session.Call{ID: call.ID, Value: append([]byte(nil), call.Value...)}
			w.after(20*ms, func() { p.answer(kept); p.flush() })
		}
	}
	for range 50 {
		w.call(0, 10, 10)
	}
	w.finish(10 * second)
	w.answered(w.load.all())
}

// pairLate has calls that wait behind an event's handler until their deadline: they never begin.
// In C++ such a handler blocks its thread, so that nothing can be known to wait behind it.
func pairLate(w *world) {
	if w.server.language == "cpp" {
		return
	}
	w.opened()
	w.ask("event", "work=%d bytes=10", second)
	var late []*request
	for range 10 {
		late = append(late, w.ask("call", "bytes=10 deadline=%d", 200*ms))
	}
	after := w.call(0, 10, 10)
	w.finish(5 * second)
	w.pass(2 * second)
	for _, x := range late {
		if x.begun > 0 || x.name != "deadline_exceeded" {
			w.problem("%v has begun %d times", x, x.begun)
			break
		}
	}
	w.answered([]*request{after})
}

// pairParting has both sides leave at the same time, with calls in flight.
func pairParting(w *world) {
	w.opened()
	for range 30 {
		w.call(w.rng.IntN(300*ms), 100, 100)
	}
	w.pass(50 * ms)
	w.client.send("leave us=%d", 10*second)
	w.shutdown(10 * second)
	w.finish(5 * second)
	w.answered(w.load.all())
	w.drained(5*second, "1 ok 1")
	if !w.until(3*second, func() bool { return len(w.load.left) > 0 }) || w.load.left[0] != "ok 1" {
		w.problem("the client says %v at its end", w.load.left)
	}
}

// pairEvents restarts the server while events are sent that nobody waits for: all are handled.
func pairEvents(w *world) {
	w.latency = 10 * ms
	w.opened()
	until := w.now + 2*second
	w.callers(5, until, func() *request { return w.ask("event", "bytes=%d", w.rng.IntN(500)) })
	for range 3 {
		w.pass(500*ms + w.rng.IntN(200*ms))
		w.restart(10 * second)
	}
	w.run(until)
	w.finish(5 * second)
	w.pass(2 * second)
	w.answered(w.load.all())
	lost := 0
	for _, x := range w.load.all() {
		if x.done == 0 {
			lost++
		}
	}
	if lost > 0 {
		w.problem("of %d events, %d were not handled", len(w.load.asked), lost)
	}
}

// pairHurry restarts the server again and again, before a client has come to know it.
func pairHurry(w *world) {
	w.latency = 10 * ms
	w.opened()
	until := w.now + second
	w.callers(8, until, func() *request { return w.call(w.rng.IntN(5*ms), 100, 100) })
	for range 20 {
		w.pass(w.rng.IntN(50 * ms))
		w.restart(10 * second)
	}
	w.run(until)
	w.finish(10 * second)
	w.answered(w.load.all())
	if !w.until(10*second, func() bool { return len(w.load.shut) == 20 }) {
		w.problem("of 20 servers, %d have shut down", len(w.load.shut))
	}
}
