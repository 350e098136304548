package session

import (
	"slices"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
)

// Outgoing is a frame, in the pieces in which it is to be written. They are valid
// until the session is used again. Value and Trailer are empty unless the value
// is one that was not copied.
type Outgoing struct {
	Head    []byte
	Value   []byte
	Trailer []byte
}

// Size is the number of bytes that the frame takes.
func (o Outgoing) Size() int { return len(o.Head) + len(o.Value) + len(o.Trailer) }

// shared is from which length on a value is not copied behind its head.
const shared = 8 << 10

// queueEntry is a frame that waits. Its head lies in the queue's buffer, behind that
// of the frame before.
type queueEntry struct {
	head     int
	end      int // where its head ended in the buffer, when it was taken out
	value    []byte
	trailer  [frame.TrailerSize]byte
	kind     frame.Type
	values   int // that are in it: more than one in a batch
	exchange *exchange
	reply    bool // of the session's own making [MXP-9.4]
	spare    bool // an Event that may be dropped [MXP-9.5]
	lent     bool // the value's buffer is for others afterwards
	dropped  bool
}

func (q *queueEntry) size() int {
	if q.value == nil {
		return q.head
	}
	return q.head + len(q.value) + frame.TrailerSize
}

// queue has the frames in the order in which they were made. Heads and small
// frames lie side by side, so that many can be written at once.
type queue struct {
	buffer []byte // heads, from start on
	start  int
	frames []queueEntry
	first  int // of the frames
	passed int // how many frames were taken out or cleared away, ever
	last   last

	bytes   int // of frames that wait
	waiting int // their number
	replies int // bytes of those that are replies
	signs   int // number of those that are Pings and Pongs
	dead    int // bytes in the buffer of frames that were dropped
}

func (q *queue) empty() bool { return q.waiting == 0 }

// add puts a frame into the queue whose head was appended to the buffer.
func (q *queue) add(f queueEntry) {
	if f.exchange != nil {
		if f.exchange.queued == 0 {
			f.exchange.at = q.passed + len(q.frames) - q.first
		}
		f.exchange.queued++
	}
	q.frames = append(q.frames, f)
	q.bytes += f.size()
	q.waiting++
	if f.reply {
		q.replies += f.size()
	}
	if isSign(f.kind) {
		q.signs++
	}
}

// isSign reports whether a frame only says that its sender lives, or asks for that.
func isSign(t frame.Type) bool { return t == frame.Ping || t == frame.Pong }

// take gives the next frame out.
func (q *queue) take() (queueEntry, Outgoing, bool) {
	for q.first < len(q.frames) {
		if q.first == len(q.frames)-1 {
			q.seal()
		}
		f := q.frames[q.first]
		q.frames[q.first] = queueEntry{}
		q.first++
		q.passed++
		head := q.buffer[q.start : q.start+f.head : q.start+f.head]
		q.start += f.head
		f.end = q.start
		if f.dropped {
			q.dead -= f.head
			continue
		}
		q.forget(&f)
		return f, Outgoing{head, f.value, trailing(&f)}, true
	}
	q.frames, q.first = q.frames[:0], 0
	q.buffer, q.start = q.buffer[:0], 0
	return queueEntry{}, Outgoing{}, false
}

func trailing(f *queueEntry) []byte {
	if f.value == nil {
		return nil
	}
	return slices.Clone(f.trailer[:])
}

// forget takes a frame that leaves the queue out of the counts.
func (q *queue) forget(f *queueEntry) {
	q.bytes -= f.size()
	q.waiting--
	if f.reply {
		q.replies -= f.size()
	}
	if isSign(f.kind) {
		q.signs--
	}
	if f.exchange != nil {
		f.exchange.queued--
	}
}

// drop makes a frame leave the queue unsent.
func (q *queue) drop(f *queueEntry) {
	if f == &q.frames[len(q.frames)-1] {
		q.last.open = false
	}
	q.forget(f)
	q.dead += f.head
	*f = queueEntry{head: f.head, dropped: true}
}

// dropAll makes all frames of an exchange leave the queue.
func (q *queue) dropAll(e *exchange) {
	for i := max(e.at-q.passed, 0) + q.first; e.queued > 0; i++ {
		if q.frames[i].exchange == e {
			q.drop(&q.frames[i])
		}
	}
	q.tidy()
}

// dropEvents drops the oldest Events until less than a limit waits, or none is
// left, and returns how many.
func (q *queue) dropEvents(limit int) (dropped uint64) {
	for i := q.first; i < len(q.frames) && q.bytes >= limit; i++ {
		if q.frames[i].spare {
			dropped += uint64(q.frames[i].values)
			q.drop(&q.frames[i])
		}
	}
	q.tidy()
	return dropped
}

// clear empties the queue, but for Hello frames if those are to stay.
func (q *queue) clear(hello bool) {
	for i := q.first; i < len(q.frames); i++ {
		if f := &q.frames[i]; !f.dropped && !(hello && f.kind == frame.Hello) {
			q.drop(f)
		}
	}
	q.tidy()
}

// tidy removes dropped frames, once they are more than the waiting ones.
func (q *queue) tidy() {
	gone := len(q.frames) - q.first - q.waiting
	if q.dead <= len(q.buffer)/2 && gone <= len(q.frames)/2 || gone < 64 && q.dead < shared && q.waiting > 0 {
		return
	}
	from, to, kept := q.start, 0, q.frames[:0]
	for _, f := range q.frames[q.first:] {
		if !f.dropped {
			copy(q.buffer[to:], q.buffer[from:from+f.head])
			to += f.head
			if e := f.exchange; e != nil {
				e.at = min(e.at, q.passed+len(kept))
			}
			kept = append(kept, f)
		}
		from += f.head
	}
	clear(q.frames[len(kept):])
	q.frames, q.first, q.buffer, q.start, q.dead = kept, 0, q.buffer[:to], 0, 0
}

// room moves what waits to the front of the buffer, if that is mostly free, so
// that a queue which never runs empty does not grow for ever.
func (q *queue) room() {
	if q.start > len(q.buffer)/2 && q.start >= shared {
		q.buffer = q.buffer[:copy(q.buffer, q.buffer[q.start:])]
		q.start = 0
	}
	if q.first > len(q.frames)/2 && q.first >= 64 {
		n := copy(q.frames, q.frames[q.first:])
		clear(q.frames[n:])
		q.frames, q.first = q.frames[:n], 0
	}
}
