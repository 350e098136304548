package main

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
)

// act lets the user of a side do something.
func (e *endpoint) act() {
	rng := e.world.rng
	switch n := rng.IntN(100); {
	case n < 14:
		e.doCall()
	case n < 20:
		e.doOpen()
	case n < 28:
		e.doEvent()
	case n < 32:
		e.doAgent()
	case n < 33:
		if rng.IntN(3) == 0 {
			e.doDrain()
		}
	case n < 48:
		e.serve()
	case n < 52:
		if id := e.someID(rng); len(e.own.placed) > 0 || rng.IntN(8) == 0 {
			e.cancel(id)
		}
	default:
		e.stream()
	}
}

// serve answers a request of the peer's, or one that there is not.
func (e *endpoint) serve() {
	rng := e.world.rng
	if rng.IntN(12) == 0 {
		switch id := e.someID(rng); rng.IntN(3) {
		case 0:
			e.respond(id, "-")
		case 1:
			e.fail(id, "-", 0)
		default:
			e.release(id)
		}
		return
	}
	if len(e.theirs.placed) == 0 {
		return
	}
	x := e.theirs.placed[rng.IntN(len(e.theirs.placed))]
	switch n := rng.IntN(10); {
	case n == 0 && (x.phase == kept || rng.IntN(2) == 0):
		e.release(x.id)
	case n < 3 && (x.kind != "open" || x.phase == kept || rng.IntN(4) == 0):
		e.fail(x.id, someText(rng), rng.IntN(2))
	case x.kind == "event":
		e.ack(x.id)
	case x.kind == "call":
		e.respond(x.id, someBytes(rng))
	case x.kind == "open":
		if x.phase == live && rng.IntN(4) == 0 {
			e.respond(x.id, "-")
		}
	default:
		e.serveAgent(x)
	}
}

// stream does something with a stream, or with an id that is none.
func (e *endpoint) stream() {
	rng := e.world.rng
	var streams []uint64
	for _, t := range []table{e.own, e.theirs} {
		for _, x := range t.placed {
			if x.kind == "open" {
				streams = append(streams, x.id)
			}
		}
	}
	if len(streams) == 0 {
		if rng.IntN(4) == 0 {
			e.doOpen()
		}
		return
	}
	id := streams[rng.IntN(len(streams))]
	if rng.IntN(20) == 0 {
		id = e.someID(rng)
	}
	switch n := rng.IntN(20); {
	case n < 10:
		for range burst(rng) {
			e.chunk(id)
		}
	case n < 15:
		e.grant(id)
	case n < 19:
		e.ack(id)
	default:
		e.finish(id)
	}
}

// burst is how often a side says a thing that it is about to say, one right after the other.
func burst(rng *rand.Rand) int {
	if rng.IntN(2) > 0 {
		return 1
	}
	return 1 + rng.IntN(12)
}

// directory asks the side's directory.
func (e *endpoint) directory(verb, words string) answer {
	if e.world.stopped() {
		return answer{}
	}
	answers, err := e.runner.ask(fmt.Sprintf("directory %s now=%d %s", verb, e.world.now, words))
	if err != nil {
		e.world.err = err
		return answer{}
	}
	e.world.note(e, "directory "+verb, words, answers[0], answer{})
	return answers[0]
}

// serveAgent answers an agent request out of the directory [MXP-12.2].
func (e *endpoint) serveAgent(x *exchange) {
	var a answer
	words := "owner=1 " + x.begun
	if e.world.rng.IntN(5) == 0 {
		words = "owner=2 " + x.begun
	}
	if x.kind == "discover" {
		words = x.begun
	}
	a = e.directory(x.kind, words)
	switch {
	case a.refusal != "":
		e.fail(x.id, hexed(a.refusal), 1)
	case x.kind == "discover":
		e.respond(x.id, hexed(strings.Join(a.lines, ";")))
	default:
		e.respond(x.id, hexed(binary.LittleEndian.AppendUint64(nil, a.number("lease"))))
	}
}
