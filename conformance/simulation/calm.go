package main

import "slices"

// calm lets all arrive that was sent, answers all that was asked, and drains both sides. Then nothing may be left.
func (w *world) calm() {
	w.flush()
	if !w.quiet() {
		return
	}
	w.bothKnow()
	for round := 0; w.open() && w.quiet(); round++ {
		if round > 50 {
			w.violate("requests that were answered go on [MXP-7.4]")
			return
		}
		for _, e := range w.sides {
			for _, x := range slices.Clone(e.theirs.placed) {
				e.settle(x)
			}
		}
		w.flush()
	}
	if !w.quiet() {
		return
	}
	for _, e := range w.sides {
		e.doDrain()
	}
	w.flush()
	for _, e := range w.sides {
		if !w.stopped() && e.end == nil && !e.state.finished {
			e.violate("it has sent Drain, nothing is left, and it is not finished [MXP-11.1]")
		}
	}
}

// quiet reports whether no session is over.
func (w *world) quiet() bool {
	return !w.stopped() && !w.sides[0].closed() && !w.sides[1].closed()
}

// open reports whether any request has a place.
func (w *world) open() bool {
	for _, e := range w.sides {
		if len(e.theirs.placed)+len(e.own.placed) > 0 {
			return true
		}
	}
	return false
}

// millisecond is how long a session waits at least to forgive what it has refused.
const millisecond = 1000

// flush carries frames until none are left, without telling the time but with them.
func (w *world) flush() {
	for range 1000 {
		moved := false
		for _, e := range w.sides {
			if e.state.queue > 0 {
				e.poll(0)
				moved = true
			}
			for len(e.out.pieces) > 0 && !w.stopped() {
				w.now = max(w.now, e.out.last)
				left := e.out.arrived(w.now)
				e.peer.deliver(false)
				if e.out.arrived(w.now) == left {
					// It has stopped reading until its queue is taken, or for a while [MXP-9.7].
					if e.peer.state.queue == 0 {
						w.now += millisecond
						moved = true
					}
					break
				}
				moved = true
			}
		}
		if !moved || w.stopped() {
			break
		}
	}
	for _, e := range w.sides {
		if !w.stopped() && (e.state.queue > 0 || len(e.out.pieces) > 0) {
			e.violate("two genuine sides wait for each other [MXP-9.4]")
		}
	}
}

// bothKnow looks at whether a request goes on at both sides, or at none [MXP-7.6] [MXP-7.7].
func (w *world) bothKnow() {
	for _, e := range w.sides {
		for _, x := range e.own.placed {
			if other := e.peer.theirs.all[x.id]; other == nil || other.phase != live {
				e.violate("request %d goes on here, and not at the peer [MXP-7.4]", x.id)
			}
		}
		for _, x := range e.theirs.placed {
			if other := e.peer.own.all[x.id]; x.phase == live && (other == nil || other.phase != live) {
				e.violate("request %d of the peer's goes on here, and not there [MXP-7.6]", x.id)
			}
		}
	}
}

// settle answers a request as briefly as can be.
func (e *endpoint) settle(x *exchange) {
	switch {
	case x.phase == kept:
		e.release(x.id)
	case x.kind == "event":
		e.ack(x.id)
	case x.kind == "open" || e.state.queue >= e.config.queueBytes:
		e.fail(x.id, "-", 0)
	default:
		e.respond(x.id, "-")
	}
}
