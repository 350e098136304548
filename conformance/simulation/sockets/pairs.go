package main

import "slices"

// opened connects the client, and waits until it can be used.
func (w *world) opened() {
	w.connect()
	x := w.call(0, 0, 0)
	w.finish(5 * second)
	w.answered([]*request{x})
}

// some makes a request of any kind, of a size that is small as a rule.
func (w *world) some() *request {
	bytes := w.rng.IntN(200)
	if w.rng.IntN(20) == 0 {
		bytes = w.rng.IntN(300_000)
	}
	work := w.rng.IntN(20 * ms)
	switch w.rng.IntN(8) {
	case 0:
		return w.ask("event", "work=%d bytes=%d ack=1", work/10, bytes)
	case 1:
		return w.ask("event", "work=%d bytes=%d", work/10, bytes)
	case 2:
		return w.ask("stream", "send=%d size=%d chunks=%d reply=%d", w.rng.IntN(20), w.rng.IntN(2000), w.rng.IntN(20), w.rng.IntN(2000))
	}
	return w.call(work, bytes, w.rng.IntN(1000))
}

func pairCalm(w *world) {
	w.opened()
	for range 300 {
		w.some()
		w.pass(w.rng.IntN(3) * ms)
	}
	w.finish(30 * second)
	w.answered(w.load.all())
	if w.dials != 1 {
		w.problem("it took %d connections", w.dials)
	}
}

// pairOrder asks for much at once: what is asked first begins first, and the handler of
// an event has ended before what came after it begins.
func pairOrder(w *world) {
	w.opened()
	for range 60 {
		if w.rng.IntN(2) == 0 {
			w.ask("event", "work=%d bytes=10", 5*ms)
		} else {
			w.call(20*ms, 10, 10)
		}
	}
	w.finish(30 * second)
	w.pass(second)
	w.answered(w.load.all())
	w.ordered()
}

// ordered expects requests to have begun in the order in which they were made, and after
// the handlers of the events before them. Requests that begin at the same instant, as tasks of
// their own may, are in order.
func (w *world) ordered() {
	var last, event *request
	for _, x := range w.load.all() {
		switch {
		case x.begun == 0:
			continue
		case last != nil && x.began < last.began:
			w.problem("%v begins before %v", x, last)
			return
		case event != nil && (event.done == 0 || x.beganAs < event.doneAs):
			w.problem("%v begins before the handler of %v has ended", x, event)
			return
		}
		if last = x; x.kind == "event" {
			event = x
		}
	}
}

// pairRestart restarts the server five times under load: users notice nothing.
func pairRestart(w *world) {
	w.latency = 10 * ms
	w.opened()
	until := w.now + 4*second
	w.callers(10, until, func() *request { return w.call(w.rng.IntN(30*ms), w.rng.IntN(2000), w.rng.IntN(2000)) })
	for range 5 {
		w.pass(500*ms + w.rng.IntN(200*ms))
		w.restart(10 * second)
	}
	w.run(until)
	w.finish(10 * second)
	w.answered(w.load.all())
	w.note("the slowest took %d ms", w.load.slowest(w.load.all()))
	if w.load.slowest(w.load.all()) > 500 {
		w.problem("a call took %d ms", w.load.slowest(w.load.all()))
	}
	w.until(10*second, func() bool { return len(w.load.shut) == 5 })
	for _, one := range w.load.shut {
		if one[2:] != "ok 1" {
			w.problem("a server says %s at its end", one)
		}
	}
	if len(w.load.shut) != 5 {
		w.problem("%d of 5 servers have shut down", len(w.load.shut))
	}
}

// pairPause has no server at all for a while, three times: requests wait for the next.
func pairPause(w *world) {
	w.latency = 10 * ms
	w.opened()
	until := w.now + 6*second
	w.callers(10, until, func() *request {
		if w.rng.IntN(4) == 0 {
			return w.ask("event", "work=%d bytes=10 ack=1", ms)
		}
		return w.call(w.rng.IntN(30*ms), w.rng.IntN(2000), w.rng.IntN(2000))
	})
	for range 3 {
		w.pass(second)
		w.shutdown(10 * second)
		w.pass(500 * ms)
		w.serve()
	}
	w.run(until)
	w.finish(10 * second)
	w.answered(w.load.all())
}

// pairFlood shuts the server down while many ask: nothing is lost, and the end comes soon.
func pairFlood(w *world) {
	w.latency = 10 * ms
	w.opened()
	w.callers(20, w.now+600*ms, func() *request { return w.call(w.rng.IntN(10*ms), w.rng.IntN(20_000), w.rng.IntN(20_000)) })
	w.pass(500 * ms)
	w.restart(10 * second)
	w.drained(3*second, "1 ok 1")
	w.finish(20 * second)
	w.answered(w.load.all())
}

// pairLongStream has a stream that goes on for ten seconds while the server is restarted:
// it ends as it would have, and calls are answered by the new server meanwhile.
func pairLongStream(w *world) {
	w.opened()
	stream := w.ask("stream", "chunks=50 reply=1000 work=%d", 200*ms)
	w.pass(second)
	w.restart(60 * second)
	w.pass(300 * ms)
	var calls []*request
	for range 20 {
		calls = append(calls, w.call(0, 10, 10))
		w.pass(100 * ms)
	}
	if slowest := w.load.slowest(calls); slowest > 100 {
		w.problem("a call took %d ms while the old connection drains", slowest)
	}
	w.finish(20 * second)
	w.answered(w.load.all())
	if stream.got != 50 {
		w.problem("of 50 chunks, %d have come", stream.got)
	}
	w.drained(5*second, "1 ok 1")
}

// pairPulled has the network fall silent while calls are answered: users learn of it, and later
// calls take the next connection.
func pairPulled(w *world) {
	w.latency = 20 * ms
	w.opened()
	for range 10 {
		w.call(10*second, 10, 10)
	}
	stream := w.ask("stream", "chunks=1000 reply=1000 work=%d", 200*ms)
	w.pass(2 * second)
	old := w.pipes[0]
	old.pull()
	w.finish(silentUs + 2*slack)
	for _, x := range w.load.all()[1:] {
		if x.ends > 0 && (x.name != "session_silent" || !x.acted) {
			w.problem("%v, not session_silent", x)
			break
		}
	}
	if stream.ends == 0 {
		w.problem("the stream has not ended")
	}
	x := w.call(0, 10, 10)
	w.until(10*second, func() bool { return x.ends > 0 })
	if x.name != "ok" {
		w.problem("after that, %v", x)
	}
	if !w.until(silentUs, func() bool { return old.ends[0].closed && old.ends[1].closed }) {
		w.problem("a side keeps the connection: client closed=%v, server closed=%v", old.ends[0].closed, old.ends[1].closed)
	}
}

func pairUp(w *world)   { w.transfer(8<<20, 10) }
func pairDown(w *world) { w.transfer(10, 8<<20) }

// transfer carries much over a network that is slow.
func (w *world) transfer(up, down int) {
	w.latency = 50 * ms
	w.rate = 200_000
	w.opened()
	x := w.call(0, up, down)
	w.finish(60 * second)
	w.slow(x)
}

// pairLine has more requests than can be in flight: they wait in line.
func pairLine(w *world) {
	w.opened()
	for range 5000 {
		w.call(100*ms, 1000, 0)
	}
	w.finish(20 * second)
	w.answered(w.load.all())
}

// pairHeadOfLine has eight users that send much, and one that sends little.
func pairHeadOfLine(w *world) {
	w.latency = 20 * ms
	w.rate = 1_000_000
	w.opened()
	until := w.now + 5*second
	w.callers(8, until, func() *request { return w.call(0, 200_000, 0) })
	w.pass(second)
	var small []*request
	for w.now < until {
		small = append(small, w.call(0, 10, 10))
		w.pass(250 * ms)
	}
	w.finish(20 * second)
	w.answered(w.load.all())
	w.note("the slowest small call took %d ms", w.load.slowest(small))
	if w.load.slowest(small) > 900 {
		w.problem("a small call took %d ms", w.load.slowest(small))
	}
}

func pairDeadlines(w *world) {
	w.opened()
	var all []*request
	for range 20 {
		all = append(all, w.ask("call", "work=%d bytes=10 deadline=%d", 3*second, second))
	}
	w.finish(5 * second)
	for _, x := range all {
		if x.name != "deadline_exceeded" {
			w.problem("%v, not deadline_exceeded", x)
			break
		}
	}
	x := w.call(0, 10, 10)
	w.finish(5 * second)
	w.answered([]*request{x})
}

// pairSlowReader has streams whose readers are slow, at both ends: other requests go on.
func pairSlowReader(w *world) {
	w.latency = 20 * ms
	w.opened()
	before := [2]int{w.client.memory(), w.server.memory()}
	w.ask("stream", "send=80 size=60000 work=%d", 20*ms)
	w.ask("stream", "chunks=80 reply=60000 pause=%d", 20*ms)
	var calls []*request
	for range 30 {
		w.pass(100 * ms)
		calls = append(calls, w.call(0, 10, 10))
	}
	w.finish(30 * second)
	w.answered(w.load.all())
	if slowest := w.load.slowest(calls); slowest > 200 {
		w.problem("a call beside it took %d ms", slowest)
	}
	for i, r := range []*runner{w.client, w.server} {
		w.small(r, before[i], 48<<20)
	}
}

// pairCut cuts the connection off under load, again and again.
func pairCut(w *world) {
	w.latency = 10 * ms
	w.opened()
	until := w.now + 2*second
	w.callers(8, until, w.some)
	for range 4 {
		w.pass(400 * ms)
		w.pipes[len(w.pipes)-1].lose()
	}
	w.run(until)
	w.finish(30 * second)
	x := w.call(0, 10, 10)
	w.finish(5 * second)
	w.answered([]*request{x})
	w.onlyNamed(w.load.all(), "ok", "session_lost")
}

// onlyNamed expects requests to have ended in certain ways.
func (w *world) onlyNamed(of []*request, names ...string) {
	others := map[string]int{}
	for _, x := range of {
		if x.ends > 0 && !slices.Contains(names, x.name) {
			others[x.name]++
		}
	}
	if len(others) > 0 {
		w.problem("requests have ended otherwise than with %v: %v", names, others)
	}
}

// pairLeave has a client that leaves while its requests are answered: what was asked is
// done, events that nobody waits for among it.
func pairLeave(w *world) {
	w.opened()
	for range 50 {
		w.call(200*ms, 100, 100)
		w.ask("event", "bytes=1000")
	}
	w.pass(ms)
	w.client.send("leave us=%d", 10*second)
	w.finish(10 * second)
	w.answered(w.load.all())
	if !w.until(3*second, func() bool { return len(w.load.left) > 0 }) || w.load.left[0] != "ok 1" {
		w.problem("the client says %v at its end", w.load.left)
	}
	w.pass(second)
	for _, x := range w.load.all() {
		if x.done == 0 {
			w.problem("%v was not handled", x)
			break
		}
	}
}

func pairCalmWakeups(w *world) {
	w.opened()
	w.calm(w.client, 1)
	w.calm(w.server, 1)
}
