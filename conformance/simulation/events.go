package main

import "strings"

// ownNames are the names with which a genuine session itself ends requests.
var ownNames = map[string]bool{
	"service_unknown": true, "agents_off": true, "session_draining": true, "limit_in_flight": true, "limit_in_flight_bytes": true,
	"deadline_exceeded": true, "cancelled": true,
	"session_lost": true, "session_silent": true, "session_slow": true, "session_stalled": true, "session_schema": true,
}

// happen takes in the events that a session gives, and then looks at its state.
func (e *endpoint) happen(lines []string) {
	for _, line := range lines {
		name, rest, _ := strings.Cut(line, " ")
		if e.end != nil {
			e.violate("%s after the end", name)
		}
		e.event(name, rest)
	}
	e.check()
}

// event takes in one event; rest has its words.
func (e *endpoint) event(name, rest string) {
	words := strings.Split(rest, " ")
	id := number(wordOf(words, "id"))
	_, said, _ := strings.Cut(rest, " ") // without the id, which comes first
	switch name {
	case "ready":
		e.ready = true
	case "draining":
		e.peerDrained, e.drained = true, true // it answers by Drain [MXP-11.1]
	case "call", "open", "event", "register", "heartbeat", "discover":
		e.begun(name, id, words, said)
	case "response", "ended":
		e.answered(name, id, words, said)
	case "cancelled":
		e.cancelled(id, wordOf(words, "why"))
	case "chunk", "finished", "granted", "acked":
		e.more(name, id, words, said)
	case "end":
		e.ended(unhexed(wordOf(words, "name")), wordOf(words, "remote") == "1")
	default:
		e.violate("there is no event %s", name)
	}
}

// begun is a request of the peer's, or an Event of it.
func (e *endpoint) begun(kind string, id uint64, words []string, said string) {
	x := &exchange{id: id, kind: kind, begun: said, due: never}
	if e.joins(id, kind, words, said) {
		return
	}
	if id%2 == e.parity || id <= e.theirs.last {
		e.violate("%s %d is no new one [MXP-5.6]", kind, id)
	}
	if kind == "event" && wordOf(words, "ack") == "0" {
		x.phase = gone
	} else {
		x.payload = payloadBytes(kind, words)
		if e.drained {
			e.violate("%s %d was taken after Drain [MXP-11.1]", kind, id)
		}
	}
	if deadline := number(wordOf(words, "deadline")); deadline > 0 && kind != "event" {
		x.due = sum(e.world.now, deadline)
	}
	if kind == "open" {
		x.here.grant(number(wordOf(words, "messages")), number(wordOf(words, "bytes")))
		x.there.ended = wordOf(words, "final") == "1"
	}
	e.theirs.add(x)
	if !e.world.genuine {
		return
	}
	switch made := e.peer.own.all[id]; {
	case made == nil || made.kind != kind || made.begun != said:
		e.violate("%s %d is not what was asked [MXP-7.1]", kind, id)
	case made.acted == "0":
		e.violate("%s %d is seen by the user who was to answer it, and nobody was to have acted [MXP-7.4]", kind, id)
	}
}

// answered is the end of a request of this side's.
func (e *endpoint) answered(name string, id uint64, words []string, said string) {
	x := e.own.all[id]
	if x == nil || x.phase != live {
		e.violate("request %d ended, and was none [MXP-7.4]", id)
		return
	}
	x.phase = gone
	if acted := wordOf(words, "acted"); acted != "0" && !x.given {
		e.violate("request %d was answered, or may have been acted on, and was not given out [MXP-7.4]", id)
	}
	byUser := e.arrived(id, name+" "+said)
	if name == "response" {
		if e.world.genuine && !byUser {
			e.violate("nobody gave the response of %d [MXP-7.1]", id)
		}
		return
	}
	x.acted = wordOf(words, "acted")
	if !e.world.genuine {
		return
	}
	if name := unhexed(wordOf(words, "name")); !byUser && !ownNames[name] {
		e.violate("request %d ended with %q [MXP-7.4]", id, name)
	}
	if seen := e.peer.theirs.all[id]; seen != nil && x.acted == "0" && seen.refused != "1" {
		e.violate("request %d was seen, and nobody was to have acted [MXP-7.4]", id)
	}
}

// cancelled is the end of a request of the peer's.
func (e *endpoint) cancelled(id uint64, why string) {
	x := e.theirs.all[id]
	switch {
	case x == nil || x.phase != live:
		e.violate("request %d of the peer's ended, and was none [MXP-7.6]", id)
	case why == "credit" && e.world.genuine:
		e.violate("a genuine peer sends more than was granted [MXP-8.3]")
	case why == "end":
		x.phase = gone
	default:
		x.phase = kept
	}
}

// more is an event of an exchange while it goes on.
func (e *endpoint) more(name string, id uint64, words []string, said string) {
	x := e.exchange(id)
	if x == nil || x.phase != live {
		e.violate("%s of %d, which is not there", name, id)
		return
	}
	if x.own && !x.given {
		e.violate("%s of %d, which was not given out [MXP-5.6]", name, id)
	}
	if said != "" {
		said = " " + said
	}
	if !e.arrived(id, name+said) && e.world.genuine {
		e.violate("nobody sent %s%s of %d, or not yet [MXP-9.1]", name, said, id)
	}
	switch n := number(wordOf(words, "chunk")); name {
	case "acked":
		if x.kind == "event" {
			x.phase = gone
			return
		}
		if n <= x.here.acked || n > x.here.asked {
			e.violate("chunk %d of %d is acknowledged [MXP-8.5]", n, id)
		}
		x.here.acked = n
	case "granted":
		x.here.grant(number(wordOf(words, "messages")), number(wordOf(words, "bytes")))
	case "finished":
		x.there.ended = true
	case "chunk":
		length := size(wordOf(words, "value"))
		if x.there.ended || !x.there.allows(length) || number(wordOf(words, "number")) != x.there.chunks+1 {
			e.violate("a chunk of %d is not one that was granted, or has a wrong number [MXP-8.3]", id)
		}
		x.there.chunk(length, wordOf(words, "final") == "1", wordOf(words, "ack") == "1")
	}
	x.settle()
}

// arrived reports whether an event is the next action of the peer's user on an exchange, and if so
// takes it from there.
func (e *endpoint) arrived(id uint64, event string) bool {
	x := e.peer.exchange(id)
	if x == nil || len(x.sent) == 0 || x.sent[0] != event {
		return false
	}
	x.sent = x.sent[1:]
	return true
}

// ended is the end of the session.
func (e *endpoint) ended(name string, remote bool) {
	for _, t := range []*table{&e.own, &e.theirs} {
		for _, x := range t.placed {
			if x.phase == live {
				e.violate("the session has ended, and request %d has not [MXP-11.3]", x.id)
			}
			x.phase = gone
		}
	}
	e.end = &ending{name, remote}
	if e.world.genuine && name != "" && !ownNames[name] {
		e.violate("a session between genuine sides ended with %q", name)
	}
}
