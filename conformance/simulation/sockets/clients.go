package main

// welcome has a client connect to a peer of the simulation that answers its calls.
func (w *world) welcome() (p *peer) {
	w.met = func(one *peer) {
		one.happens = one.answer
		one.greet()
		if p == nil {
			p = one
		}
	}
	w.connect()
	if !w.until(slack, func() bool { return p != nil }) {
		panic(broken{"the client does not connect"})
	}
	w.pass(second)
	return p
}

func clientHello(w *world) {
	var first *peer
	w.met = func(one *peer) {
		if first == nil {
			first, one.mute = one, true
			return
		}
		one.happens = one.answer
		one.greet()
	}
	w.connect()
	w.pass(second)
	first.goneWithin(helloUs-2*slack, helloUs+slack)
	x := w.call(0, 10, 10)
	w.finish(10 * second)
	w.answered([]*request{x})
}

func clientCalm(w *world) {
	w.welcome()
	w.calm(w.client, 1)
}

// clientSilent has a peer that falls silent while calls wait: all learn of it, and later ones
// are answered on the next connection.
func clientSilent(w *world) {
	p := w.welcome()
	p.happens = nil // it does not answer
	for range 10 {
		w.call(0, 10, 10)
	}
	w.pass(second)
	p.end.pipe.pull()
	w.finish(silentUs + slack)
	for _, x := range w.load.all() {
		if x.name != "session_silent" || !x.acted {
			w.problem("%v, not session_silent", x)
			break
		}
	}
	x := w.call(0, 10, 10)
	w.until(silentUs, func() bool { return x.ends > 0 })
	if x.name != "ok" {
		w.problem("after that, %v", x)
	}
}

// clientStopped has a peer that reads nothing, and a user that calls and calls.
func clientStopped(w *world) {
	p := w.welcome()
	before := w.client.memory()
	p.stopped = true
	for i := range 400 {
		w.after(i*10*ms, func() { w.ask("call", "bytes=%d deadline=%d", 1<<20, 20*second) })
	}
	w.pass(10 * second)
	w.note("%d waiting", w.load.open)
	w.small(w.client, before, 400<<20+memoryBytes) // what waits in line is its users'
	w.still(w.client)
	p.goneWithin(0, stallUs-12*second) // since 15 s nothing has moved
	w.finish(30 * second)
}

func clientSlowValue(w *world) {
	w.latency = 50 * ms
	p := w.welcome()
	p.end.pipe.rated(200_000)
	x := w.call(0, 8<<20, 10)
	w.finish(60 * second)
	w.slow(x)
}

// slow expects a call with much to carry to have been answered, on the first connection.
func (w *world) slow(x *request) {
	w.answered([]*request{x})
	if w.dials != 1 {
		w.problem("it took %d connections", w.dials)
	}
	if x.ends > 0 {
		w.note("%d s", (x.ended-x.asked)/second)
	}
}

func clientLoris(w *world) {
	p := w.welcome()
	p.trickle()
	p.goneWithin(frameUs-slack, frameUs+5*slack)
	p.told("session_slow")
}

// clientNobody has nobody to connect to for 12 s: requests that wait for 5 s fail, with nobody
// having acted, and later ones are answered.
func clientNobody(w *world) {
	w.met = func(one *peer) {
		one.happens = one.answer
		one.greet()
	}
	w.reachable(false)
	w.connect()
	early := w.call(0, 10, 10)
	w.pass(6 * second)
	if early.ends != 1 || early.name != "not_connected" || early.acted {
		w.problem("after 6 s, %v has not ended so: not_connected, acted=false", early)
	}
	w.pass(4 * second)
	late := w.call(0, 10, 10)
	w.pass(2 * second)
	w.reachable(true)
	w.finish(3 * second)
	w.answered([]*request{late})
}

// clientDrainCut has a peer that drains, and is cut off before it has read all requests: the
// requests that it has not taken are made again.
func clientDrainCut(w *world) {
	p := w.welcome()
	p.stopped = true
	var all []*request
	for range 20 {
		all = append(all, w.call(0, 10, 10))
	}
	w.pass(100 * ms)
	w.must(p.session.Drain("restart", uint64(w.now)))
	p.flush()
	w.pass(100 * ms)
	p.end.pipe.lose()
	w.finish(20 * second)
	w.answeredByPeer(all)
}

// clientDrainRefused has a peer that drains, and refuses later requests.
func clientDrainRefused(w *world) {
	p := w.welcome()
	w.must(p.session.Drain("restart", uint64(w.now)))
	var all []*request
	for range 20 {
		all = append(all, w.call(0, 10, 10))
	}
	w.pass(ms)
	p.flush()
	w.finish(20 * second)
	w.answeredByPeer(all)
}

// answeredByPeer is answered where no program has handled the requests.
func (w *world) answeredByPeer(all []*request) {
	w.answered(all)
	if w.dials < 2 {
		w.problem("it has connected %d times", w.dials)
	}
}
