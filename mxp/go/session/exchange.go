package session

import (
	"container/heap"
	"math"
)

// kind is the kind of a request [MXP-5.4].
type kind uint8

const (
	aCall kind = iota
	aStream
	anEvent
	forAgents
)

// exchange is a request from when it is made until it is answered, on the side
// that made it or on the other.
type exchange struct {
	id    uint64
	trace uint64 // of its frames' headers [MXP-5.5]
	kind  kind
	mine  bool

	deadline uint64
	place    int // among the deadlines; −1 without one

	// Of requests made here.
	made   uint64 // when
	sent   bool   // the request was given out
	queued int    // frames that wait
	at     int    // where the first of them is

	bytes int  // of the request's payload
	ended bool // it is the peer's, has ended, and keeps its place [MXP-7.8]

	out, in direction // of a stream
}

// spareMax is how many exchanges are kept for other requests.
const spareMax = 256

// exchange gives one that nothing else refers to.
func (s *Session) exchange() *exchange {
	last := len(s.spare) - 1
	if last < 0 {
		return new(exchange)
	}
	e := s.spare[last]
	s.spare = s.spare[:last]
	return e
}

// reuse keeps the exchange of a call that is over, unless a frame of it waits.
func (s *Session) reuse(e *exchange) {
	if e.queued == 0 && len(s.spare) < spareMax {
		*e = exchange{}
		s.spare = append(s.spare, e)
	}
}

// direction of a stream: what was granted and is left, and its chunks.
type direction struct {
	messages uint64
	bytes    uint64
	window   uint64 // the most bytes that were left [MXP-8.7]
	number   uint64 // of the last chunk
	asked    uint64 // the last chunk that requires an Ack
	acked    uint64 // the last that was acked
	ended    bool
}

// grant adds to the rest of the credit.
func (d *direction) grant(messages uint32, bytes uint64) {
	d.messages = sum(d.messages, uint64(messages))
	d.bytes = sum(d.bytes, bytes)
	d.window = max(d.window, d.bytes)
}

// fits reports whether chunks with so many bytes together may be sent [MXP-8.3].
func (d *direction) fits(chunks, bytes int) bool {
	return !d.ended && uint64(chunks) <= d.messages && uint64(bytes) <= d.bytes
}

// take counts chunks that fit. final and ack describe the last chunk.
func (d *direction) take(chunks, bytes int, final, ack bool) {
	d.messages -= uint64(chunks)
	d.bytes -= uint64(bytes)
	d.number += uint64(chunks)
	d.ended = final
	if ack {
		d.asked = d.number
	}
}

// ack counts an Ack, and reports whether it is one that can be.
func (d *direction) ack(number uint64) bool {
	if number <= d.acked || number > d.asked {
		return false
	}
	d.acked = number
	return true
}

func (d *direction) over() bool { return d.ended && d.acked == d.asked }

// sum is at most the largest number.
func sum(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

// deadlines has the exchanges of one side that have one, the next one first.
type deadlines []*exchange

func (d deadlines) Len() int { return len(d) }

func (d deadlines) Less(i, j int) bool {
	return d[i].deadline < d[j].deadline || d[i].deadline == d[j].deadline && d[i].id < d[j].id
}

func (d deadlines) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].place, d[j].place = i, j
}

// Push is for container/heap.
func (d *deadlines) Push(x any) {
	e := x.(*exchange)
	e.place = len(*d)
	*d = append(*d, e)
}

// Pop is for container/heap.
func (d *deadlines) Pop() any {
	last := len(*d) - 1
	e := (*d)[last]
	(*d)[last] = nil
	*d = (*d)[:last]
	e.place = -1
	return e
}

// set gives an exchange its deadline, so many microseconds from now.
func (d *deadlines) set(e *exchange, now, id uint64) {
	e.deadline, e.place = never, -1
	if id > 0 {
		e.deadline = sum(now, id)
	}
	if e.deadline != never {
		heap.Push(d, e)
	}
}

func (d *deadlines) remove(e *exchange) {
	if e.place >= 0 {
		heap.Remove(d, e.place)
	}
}

// due gives the first whose deadline has passed.
func (d *deadlines) due(now uint64) *exchange {
	if len(*d) == 0 || (*d)[0].deadline > now {
		return nil
	}
	return heap.Pop(d).(*exchange)
}

func (d deadlines) next() uint64 {
	if len(d) == 0 {
		return never
	}
	return d[0].deadline
}
