package main

// storm has visitors of all kinds that wish a server ill, while a client calls it: the
// client notices nothing, and of the visitors all are gone in time that are not merely idle.
func storm(w *world) {
	w.latency = 10 * ms
	w.opened()
	before := w.server.memory()
	bad := map[string][]*peer{}
	visit := []struct {
		name string
		come func() *peer
	}{
		{"says nothing", w.stranger},
		{"speaks HTTP", func() *peer { p := w.stranger(); p.say([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")); return p }},
		{"sends a byte in a second", func() *peer { p := w.visitor(); p.trickle(); return p }},
		{"reads nothing", func() *peer {
			p := w.visitor()
			w.after(500*ms, func() {
				p.stopped = true
				for range 20 {
					if p.session.Ready() && !p.gone() {
						w.must(p.call(w.load.expect(w, "call"), 10*ms, 10, 100_000))
					}
				}
			})
			return p
		}},
		{"is pulled out", func() *peer { p := w.visitor(); w.after(w.rng.IntN(second), p.end.pipe.pull); return p }},
		{"is cut off", func() *peer { p := w.visitor(); w.after(w.rng.IntN(second), p.end.pipe.lose); return p }},
		{"ends its direction", func() *peer { p := w.visitor(); w.after(w.rng.IntN(second), p.end.finished); return p }},
	}
	until := w.now + 5*second
	w.callers(2, until, func() *request { return w.call(w.rng.IntN(20*ms), 100, 100) })
	for w.now < until {
		one := visit[w.rng.IntN(len(visit))]
		bad[one.name] = append(bad[one.name], one.come())
		w.pass(w.rng.IntN(200 * ms))
	}
	idle := w.visitor()
	var calls []*request
	for range 40 {
		calls = append(calls, w.call(0, 10, 10))
		w.pass(second)
	}
	w.finish(5 * second)
	for _, x := range w.load.all() {
		if x.name != "ok" || x.ended-x.asked > 200*ms && x.asked > 0 {
			w.problem("%v, after %d ms", x, (x.ended-x.asked)/ms)
			break
		}
	}
	w.answered(calls)
	visitors := 0
	for _, one := range visit {
		left := 0
		for _, p := range bad[one.name] {
			visitors++
			if !p.gone() && !p.end.other.closed {
				left++
			}
		}
		if left > 0 {
			w.problem("who %s is there 40 s later: %d of %d", one.name, left, len(bad[one.name]))
		}
	}
	if idle.gone() || w.dials != 1 {
		w.problem("who is merely idle has been cut off: the visitor %v, the client's connections %d", idle.gone(), w.dials)
	}
	w.note("%d visitors", visitors)
	w.small(w.server, before, memoryBytes)
	w.calm(w.server, 2)
}

// clientStorm has servers of all kinds that treat a client ill, one after the other: every call
// ends by its deadline, and when a server comes that answers, calls are answered.
func clientStorm(w *world) {
	turn, good := 0, false
	w.met = func(p *peer) {
		p.happens = p.answer
		soon := w.rng.IntN(second)
		switch turn++; {
		case good:
		case turn%8 == 1: // it says nothing
			p.mute = true
			return
		case turn%8 == 2:
			p.session = nil
			p.say([]byte("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"))
			return
		case turn%8 == 3:
			w.after(soon, p.end.pipe.lose)
		case turn%8 == 4:
			w.after(soon, p.end.pipe.pull)
		case turn%8 == 5:
			w.after(soon, func() { p.stopped = true })
		case turn%8 == 6:
			w.after(soon, func() {
				if p.session.Drain("storm", uint64(w.clock)) == nil {
					p.flush()
				}
				w.after(100*ms, p.end.pipe.lose)
			})
		case turn%8 == 7: // it answers nobody, and ends its direction
			p.happens = nil
			w.after(soon, p.end.finished)
		}
		p.greet()
	}
	w.connect()
	for range 100 {
		for range 3 {
			w.ask("call", "bytes=%d reply=10 deadline=%d", w.rng.IntN(20_000), 2*second)
		}
		w.pass(second)
	}
	good = true
	w.note("%d connections", w.dials)
	w.pass(40 * second) // until the last bad one is found out
	w.finish(5 * second)
	x := w.ask("call", "bytes=10 reply=10 deadline=%d", 2*second)
	w.finish(5 * second)
	w.answered([]*request{x})
	w.calm(w.client, 1)
}
