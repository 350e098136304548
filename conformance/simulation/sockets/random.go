package main

import "slices"

// random has load and a network that come from the seed.
func random(w *world) {
	w.latency = []int{2 * ms, 10 * ms, 30 * ms}[w.rng.IntN(3)]
	w.rate = []int{0, 0, 100_000_000, 2_000_000}[w.rng.IntN(4)]
	cuts := w.rng.IntN(3) == 0
	w.opened()
	until := w.now + 3*second
	w.callers(1+w.rng.IntN(12), until, w.some)
	for w.now < until {
		w.pass(w.rng.IntN(second))
		switch w.rng.IntN(4) {
		case 0:
			w.restart(20 * second)
		case 1:
			if cuts {
				w.pipes[len(w.pipes)-1].lose()
			}
		case 2: // the network stands still for a while
			p := w.pipes[len(w.pipes)-1]
			p.hold(true)
			w.after(w.rng.IntN(3*second), func() { p.hold(false) })
		}
	}
	w.finish(60 * second)
	// A stream on which something was sent is not opened again [MXP-14.6].
	all := slices.DeleteFunc(w.load.all(), func(x *request) bool { return x.kind == "stream" && !x.acted })
	if cuts {
		w.onlyNamed(all, "ok", "session_lost")
	} else {
		w.answered(all)
	}
	w.note("%d connections", w.dials)
}
