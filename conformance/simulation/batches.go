package main

import "strings"

// The limits of a batched value, and the bytes of a batch and its values beside them [MXP-17.6].
const (
	batchBytesMax   = 65536
	batchedBytesMax = 4096
	recordBytes     = 2
	frameBytes      = 40
)

// lastFrame is the frame that a session has made last, as far as others can join it.
type lastFrame struct {
	unknown bool   // the oracle can't tell which it is
	open    bool   // it waits, and has no flags
	of      string // the stream, or the head of the Event
	values  uint64
	payload uint64
	long    bool // a value of it is too long for a batch
}

// batches reports whether both sides make batches [MXP-17.2].
func (e *endpoint) batches() bool { return e.config.batches && e.peer.config.batches }

// watch notes the effect of a step on the last made frame, by the waiting frames then.
func (e *endpoint) watch(verb string, before uint64) {
	after := e.state.queue
	switch {
	case verb == "chunk", verb == "event":
		e.grown = after - before
		e.mayDrop = e.mayDrop && verb == "event" && before >= min(e.config.queueBytes, e.config.bulkBytes)
	case verb == "poll" && after > 0, before == after && verb != "poll":
	case verb == "poll", after > before:
		e.last = lastFrame{}
	default: // frames have left, and others may have come
		e.last = lastFrame{unknown: true}
	}
}

// queued is a chunk, or an Event, that was taken. It gives whether it has joined a frame, and
// holds what waits then against what that makes of it.
func (e *endpoint) queued(of string, start, bytes uint64, flagged bool) (joined bool) {
	l := &e.last
	grows, most := recordBytes+bytes, uint64(batchBytesMax)
	if l.values == 1 {
		grows += recordBytes
	}
	if start > 0 {
		most = batchedBytesMax
	}
	joined = e.batches() && l.open && l.of == of && !l.long && bytes <= batchedBytesMax && l.payload+grows <= min(most, e.peer.config.payload)
	if !joined {
		grows = frameBytes + start + bytes
	}
	if !l.unknown && e.grown != grows {
		e.violate("a value of %d bytes adds %d to the waiting bytes, and has to add %d [MXP-17.6]", bytes, e.grown, grows)
	}
	if l.unknown && e.grown != grows {
		*l = lastFrame{unknown: true}
		return e.grown != frameBytes+start+bytes
	}
	if joined {
		l.values, l.payload, l.open = l.values+1, l.payload+grows, !flagged
		return true
	}
	*l = lastFrame{open: !flagged, of: of, values: 1, payload: start + bytes, long: bytes > batchedBytesMax}
	return false
}

// eventQueued is an Event that requires no Ack and was taken; it gives whether it has joined
// another, whose id it has.
func (e *endpoint) eventQueued(x *exchange) bool {
	words := strings.Split(x.begun, " ")
	start, bytes := headBytes(words), size(wordOf(words, "value"))
	before := e.own.all[e.own.last]
	if e.mayDrop { // others may have made room for it
		e.last = lastFrame{unknown: true}
		e.grown = frameBytes + start + bytes
		if x.id == e.own.last {
			e.grown = 0
		}
	}
	if !e.queued("event "+x.begun[:strings.LastIndex(x.begun, " ")], start, bytes, false) {
		return false
	}
	if before == nil || x.id != before.id || before.kind != "event" {
		e.violate("an Event that joins one has the id %d [MXP-17.7]", x.id)
		return true
	}
	before.joined = append(before.joined, x.begun)
	return true
}

// joins takes in an Event that has come in one frame with its predecessor, and reports whether it
// is one.
func (e *endpoint) joins(id uint64, kind string, words []string, said string) bool {
	x := e.theirs.all[id]
	if !e.batches() || kind != "event" || x == nil || id != e.theirs.last || x.kind != "event" || wordOf(words, "ack") != "0" || x.due != never || x.phase != gone {
		return false
	}
	x.joined = append(x.joined, said)
	if made := e.peer.own.all[id]; e.world.genuine && (made == nil || len(made.joined) < len(x.joined) || made.joined[len(x.joined)-1] != said) {
		e.violate("event %d of a batch is not what was told [MXP-17.1]", id)
	}
	return true
}
