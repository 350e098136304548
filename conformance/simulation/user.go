package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// verb is a call of the user's, with what decides whether it is taken.
type verb struct {
	name, words string
	begins      bool // it makes a request or an Event
	request     bool // it takes a place
	named       bool // it names an exchange
	fits        bool // of the kind that it needs
	payload     uint64
	within      bool // what was granted
	queued      bool // refused where the queue is full
	// answers is the exchange that an answering call lets go of, if that has ended [MXP-7.8].
	answers *exchange
}

// bulk reports whether the frame is one that waits for a shorter queue [MXP-9.1].
func (v *verb) bulk() bool { return v.name == "chunk" || v.payload >= 16384 }

// expected gives the refusal that a call must have, by the order in which they are looked for.
func (e *endpoint) expected(v verb) string {
	switch {
	case e.closed():
		return "session_closed"
	case !e.ready && v.name == "drain":
		return ""
	case !e.ready:
		return "session_not_ready"
	case v.begins && (e.drained || e.peerDrained):
		return "session_draining"
	case v.named && !v.fits:
		return "exchange_ended"
	case v.payload > min(e.peer.config.payload, payloadBytesMax):
		return "payload_too_large"
	case v.name == "chunk" && !v.within:
		return "stream_credit"
	case v.request && uint64(len(e.own.placed)) >= e.config.inFlight:
		return "limit_in_flight"
	case v.request && e.own.bytes() > 0 && e.own.bytes()+v.payload > e.config.inFlightBytes:
		return "limit_in_flight_bytes"
	case v.queued && e.state.queue >= e.config.queueBytes, v.queued && v.bulk() && e.state.queue >= e.config.bulkBytes:
		return "limit_queue_bytes"
	}
	return ""
}

// call makes a call of the user's; taken handles its answer where it is not refused.
func (e *endpoint) call(v verb, taken func(a answer)) {
	want := e.expected(v)
	a := e.send(v.name, v.words)
	if e.world.stopped() {
		return
	}
	if a.refusal != want {
		e.violate("%s is answered with %q, and has to be with %q", v.name, a.refusal, want)
		return
	}
	switch {
	case a.refusal == "":
		taken(a)
	case a.refusal == "exchange_ended" && v.answers != nil && v.answers.phase == kept:
		v.answers.phase = gone
	}
	e.happen(a.lines)
}

// begin makes a request, or an Event.
func (e *endpoint) begin(v verb, x *exchange) {
	v.begins = true
	e.call(v, func(a answer) {
		x.id, x.own, x.payload = a.number("id"), true, v.payload
		switch {
		case a.word("dropped") == "1":
			return
		case x.kind == "event" && x.phase == live:
			e.last = lastFrame{} // nothing joins what requires an Ack
		case x.kind == "event" && e.eventQueued(x):
			return
		}
		if x.id <= e.own.last || x.id%2 != e.parity {
			e.violate("%s has the id %d [MXP-5.2]", v.name, x.id)
		}
		e.own.add(x)
	})
}

func (e *endpoint) due(deadline uint64) uint64 {
	if deadline == 0 {
		return never
	}
	return sum(e.world.now, deadline)
}

func (e *endpoint) doCall() {
	h, value := someHead(e.world.rng, e.peer.config.services), someBytes(e.world.rng)
	x := &exchange{kind: "call", begun: h.event(true) + " value=" + value, due: e.due(h.deadline)}
	e.begin(verb{name: "call", words: h.verb(true) + " value=" + value, request: true, payload: h.bytes + size(value), queued: true}, x)
}

func (e *endpoint) doOpen() {
	rng := e.world.rng
	h, value := someHead(rng, e.peer.config.services), someBytes(rng)
	messages, bytes := someGrant(rng)
	final := rng.IntN(8) / 7
	words := fmt.Sprintf(" messages=%d bytes=%d final=%d value=%s", messages, bytes, final, value)
	x := &exchange{kind: "open", begun: h.event(true) + words, due: e.due(h.deadline)}
	x.there.grant(messages, bytes)
	x.here.ended = final == 1
	e.begin(verb{name: "open", words: h.verb(true) + words, request: true, payload: h.bytes + 16 + size(value), queued: true}, x)
}

// someGrant gives a grant for a few chunks, or for many.
func someGrant(rng *rand.Rand) (messages, bytes uint64) {
	if rng.IntN(2) == 0 {
		return rng.Uint64N(60), rng.Uint64N(30000)
	}
	return rng.Uint64N(4), rng.Uint64N(100)
}

func (e *endpoint) doEvent() {
	rng := e.world.rng
	h, ack := someHead(rng, e.peer.config.services), rng.IntN(2)
	for range burst(rng) {
		e.sendEvent(h, ack)
	}
}

// sendEvent sends an Event with a head.
func (e *endpoint) sendEvent(h head, ack int) {
	rng := e.world.rng
	value, full := someBytes(rng), [...]string{"refuse", "newest", "oldest"}[rng.IntN(3)]
	x := &exchange{kind: "event", begun: fmt.Sprintf("%s ack=%d value=%s", h.event(false), ack, value), due: never}
	if ack == 0 {
		x.phase = gone
	}
	e.mayDrop = full == "oldest"
	e.begin(verb{
		name: "event", words: fmt.Sprintf("%s ack=%d full=%s value=%s", h.verb(false), ack, full, value),
		request: ack == 1, payload: h.bytes + size(value), queued: ack == 1 || full == "refuse",
	}, x)
}

// agentNames are the names of agents.
var agentNames = [...]string{"", "61", "6262"}

func (e *endpoint) doAgent() {
	rng := e.world.rng
	name := agentNames[1+rng.IntN(2)]
	x := &exchange{due: never}
	switch x.kind = [...]string{"register", "heartbeat", "discover"}[rng.IntN(3)]; x.kind {
	case "register":
		capabilities := []string{"78", "79"}[:rng.IntN(3)]
		addresses, services := []string{"61", "6263"}[:rng.IntN(3)], []string{"732e54", "732e55"}[:rng.IntN(3)]
		x.begun = fmt.Sprintf("name=%s capabilities=%s lease=%d addresses=%s services=%s epoch=%d",
			name, list(capabilities), rng.Uint64N(4e6), list(addresses), list(services), rng.Uint64N(3))
	case "heartbeat":
		x.begun = "name=" + name
	case "discover":
		x.begun = fmt.Sprintf("capability=%s name=%s service=%s version=%d",
			[...]string{"-", "78", "79"}[rng.IntN(3)], [...]string{"-", "-", name}[rng.IntN(3)], [...]string{"-", "-", "732e54"}[rng.IntN(3)], rng.Uint64N(3))
	}
	e.begin(verb{name: x.kind, words: x.begun, request: true, payload: payloadBytes(x.kind, strings.Split(x.begun, " ")), queued: true}, x)
}

func (e *endpoint) doDrain() {
	reason := someText(e.world.rng)
	e.call(verb{name: "drain", words: "reason=" + reason, payload: 13 + size(reason)}, func(answer) { e.drained = true })
}

// about gives the start of a call that names an exchange.
func about(name string, id uint64, fits bool, payload uint64) verb {
	return verb{name: name, words: fmt.Sprintf("id=%d", id), named: true, fits: fits, payload: payload}
}

func (e *endpoint) respond(id uint64, value string) {
	meta, bytes := metadata(e.world.rng)
	x := e.theirs.all[id]
	v := about("respond", id, x != nil && x.phase == live && x.kind != "open" && x.kind != "event", 5+bytes+size(value))
	if meta != "-" {
		v.words += " meta=" + meta
	}
	v.words += " value=" + value
	v.queued, v.answers = true, x
	e.call(v, func(answer) {
		x.phase = gone
		x.sent = append(x.sent, "response meta="+meta+" value="+value)
	})
}

func (e *endpoint) fail(id uint64, name string, refused int) {
	rng := e.world.rng
	text, details, status := someText(rng), someText(rng), rng.IntN(20)
	x := e.theirs.all[id]
	v := about("fail", id, x != nil && x.phase == live, 12+size(name)+size(text)+size(details))
	v.words += fmt.Sprintf(" status=%d refused=%d name=%s text=%s details=%s", status, refused, name, text, details)
	v.answers = x
	e.call(v, func(answer) {
		x.phase = gone
		x.refused = fmt.Sprint(refused)
		x.sent = append(x.sent, fmt.Sprintf("ended status=%d name=%s text=%s details=%s acted=%d", status, name, text, details, 1-refused))
	})
}

func (e *endpoint) release(id uint64) {
	x := e.theirs.all[id]
	e.call(about("release", id, x != nil && x.phase != gone, 0), func(answer) { x.phase = gone })
}

func (e *endpoint) cancel(id uint64) {
	x := e.own.all[id]
	e.call(about("cancel", id, x != nil && x.phase == live, 0), func(answer) {})
}

func (e *endpoint) chunk(id uint64) {
	rng := e.world.rng
	value, final, ack := someBytes(rng), rng.IntN(6)/5, rng.IntN(3)/2
	x := e.exchange(id)
	v := about("chunk", id, x.stream() && !x.here.ended, size(value))
	v.words += fmt.Sprintf(" final=%d ack=%d value=%s", final, ack, value)
	v.within, v.queued = x != nil && x.here.allows(size(value)), true
	e.call(v, func(a answer) {
		x.here.chunk(size(value), final == 1, ack == 1)
		e.queued(fmt.Sprint("stream ", id), 0, size(value), final == 1 || ack == 1)
		if a.number("number") != x.here.chunks {
			e.violate("chunk %d of %d has the number %s [MXP-8.5]", x.here.chunks, id, a.word("number"))
		}
		x.sent = append(x.sent, fmt.Sprintf("chunk number=%d final=%d ack=%d value=%s", x.here.chunks, final, ack, value))
		x.settle()
	})
}

func (e *endpoint) finish(id uint64) {
	x := e.exchange(id)
	e.call(about("finish", id, x.stream() && !x.here.ended, 0), func(answer) {
		x.here.ended = true
		x.sent = append(x.sent, "finished")
		x.settle()
	})
}

func (e *endpoint) grant(id uint64) {
	rng := e.world.rng
	messages, bytes := someGrant(rng)
	if rng.IntN(20) == 0 {
		bytes = never - rng.Uint64N(2)
	}
	x := e.exchange(id)
	v := about("grant", id, x.stream(), 12)
	v.words += fmt.Sprintf(" messages=%d bytes=%d", messages, bytes)
	e.call(v, func(answer) {
		x.there.grant(messages, bytes)
		x.sent = append(x.sent, fmt.Sprintf("granted messages=%d bytes=%d", messages, bytes))
	})
}

func (e *endpoint) ack(id uint64) {
	x := e.exchange(id)
	fits, chunk := false, uint64(0)
	switch {
	case x.stream():
		chunk = x.there.acked + e.world.rng.Uint64N(3)
		if e.world.rng.IntN(2) == 0 {
			chunk = x.there.asked
		}
		fits = x.there.acked < chunk && chunk <= x.there.asked
	case x != nil && !x.own && x.kind == "event":
		fits = x.phase == live
	}
	v := about("ack", id, fits, 8)
	if chunk > 0 {
		v.words += fmt.Sprintf(" chunk=%d", chunk)
	}
	e.call(v, func(answer) {
		x.sent = append(x.sent, fmt.Sprintf("acked chunk=%d", chunk))
		if x.kind == "event" {
			x.phase = gone
			return
		}
		x.there.acked = chunk
		x.settle()
	})
}
