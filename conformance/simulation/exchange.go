package main

import "math"

// phase is how far an exchange has come on one side.
type phase uint8

const (
	live phase = iota
	// kept is an exchange that has ended and whose user has not let go of it [MXP-7.8].
	kept
	gone
)

// exchange is a request as one of its sides knows it.
type exchange struct {
	id uint64
	// kind is the event that tells the other side: call, open, event, register,
	// heartbeat or discover.
	kind  string
	own   bool
	phase phase
	// begun has the words of that event, but for the id.
	begun string
	// joined has the same of the Events that have joined this one's frame [MXP-17.6], or came with it.
	joined []string
	// payload is how long the request's payload is.
	payload uint64
	// given is whether the frame of an own request was given out.
	given bool
	// due is when the deadline passes.
	due uint64
	// sent has what this side's user has said about the exchange that has not
	// arrived, in the words of the events that it will be.
	sent []string
	// acted is the end that the asking user was told; refused, the refusal of the asked user.
	acted, refused string
	// here is what this side sends of a stream, there what it receives.
	here, there direction
}

// direction is one direction of a stream.
type direction struct {
	ended                bool
	chunks, asked, acked uint64
	// Credit that is granted and not used.
	messages, bytes uint64
}

func (d *direction) grant(messages, bytes uint64) {
	d.messages, d.bytes = sum(d.messages, messages), sum(d.bytes, bytes)
}

// allows reports whether a chunk is within what was granted.
func (d *direction) allows(bytes uint64) bool { return d.messages > 0 && d.bytes >= bytes }

// chunk counts a chunk.
func (d *direction) chunk(bytes uint64, final, ack bool) {
	d.chunks++
	d.messages--
	d.bytes -= bytes
	d.ended = d.ended || final
	if ack {
		d.asked = d.chunks
	}
}

func (d *direction) over() bool { return d.ended && d.asked == d.acked }

// stream reports whether the exchange is a stream that goes on.
func (x *exchange) stream() bool { return x != nil && x.phase == live && x.kind == "open" }

// settle ends a stream both of whose directions are over [MXP-8.1].
func (x *exchange) settle() {
	if x.here.over() && x.there.over() {
		x.phase = gone
	}
}

// table has the exchanges of one side that are not gone, by ascending ids, and
// keeps the others to know what was said of them.
type table struct {
	placed []*exchange
	all    map[uint64]*exchange
	last   uint64
}

func newTable() table { return table{all: map[uint64]*exchange{}} }

func (t *table) add(x *exchange) {
	t.all[x.id] = x
	t.last = max(t.last, x.id)
	if x.phase != gone {
		t.placed = append(t.placed, x)
	}
}

// sweep forgets the places of exchanges that are gone.
func (t *table) sweep() {
	left := t.placed[:0]
	for _, x := range t.placed {
		if x.phase != gone {
			left = append(left, x)
		}
	}
	t.placed = left
}

func (t *table) bytes() (n uint64) {
	for _, x := range t.placed {
		n += x.payload
	}
	return n
}

// sum is the largest number where 64 bits can't hold it [MXP-8.3] [MXP-7.7].
func sum(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}
