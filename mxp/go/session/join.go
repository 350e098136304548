package session

import (
	"encoding/binary"
	"slices"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
)

// last is what the frame that was made last can be joined by [MXP-17.6]. While it is open, it
// waits, its bytes are the last of the queue's buffer, and its header and trailer are not
// right yet.
type last struct {
	open     bool
	header   frame.Header
	start    int // bytes of the payload before the values
	checksum frame.Checksum
}

// join puts a value into the frame that was made last, if that has the same header and
// start, and its payload is then at most so long. It gives the frame's id.
func (q *queue) join(h frame.Header, start, value []byte, most int) (id uint64, joined bool) {
	l := &q.last
	if !l.open {
		return 0, false
	}
	f := &q.frames[len(q.frames)-1]
	whole := q.buffer[len(q.buffer)-f.head:]
	batch := frame.StreamChunks
	same := l.header.Type != frame.Event && l.header.Type != frame.Events && l.header.MessageID == h.MessageID
	if h.Type == frame.Event {
		batch, most = frame.Events, min(most, BatchedBytes)
		same = f.spare && slices.Equal(whole[frame.HeaderSize:][:l.start], start)
	}
	grows := lengthBytes + len(value)
	if f.values == 1 {
		grows += lengthBytes
	}
	if !same || f.head-frame.Overhead+grows > min(most, BatchBytes) {
		return 0, false
	}
	if f.values == 1 {
		q.record(len(q.buffer) - f.head + frame.HeaderSize + l.start)
	}
	q.buffer = q.buffer[:len(q.buffer)-frame.TrailerSize]
	q.buffer = binary.LittleEndian.AppendUint16(q.buffer, uint16(len(value)))
	q.buffer = append(append(q.buffer, value...), make([]byte, frame.TrailerSize)...)
	l.header.Type, l.header.Flags = batch, h.Flags
	f.kind = batch
	f.values++
	f.head += grows
	q.bytes += grows
	if h.Flags != 0 {
		q.seal()
	}
	return l.header.MessageID, true
}

// record makes the value of the frame that was made last a record. It is all from a place
// of the buffer to the trailer.
func (q *queue) record(at int) {
	n := len(q.buffer) - frame.TrailerSize - at
	q.buffer = slices.Insert(q.buffer, at, byte(n), byte(n>>8))
}

// seal lets nothing join the frame that was made last any more, and writes its header and
// its trailer.
func (q *queue) seal() {
	if !q.last.open {
		return
	}
	q.last.open = false
	whole := q.buffer[len(q.buffer)-q.frames[len(q.frames)-1].head:]
	f := frame.Frame{Header: q.last.header, Payload: whole[frame.HeaderSize : len(whole)-frame.TrailerSize]}
	f.Encode(whole, q.last.checksum) // its length was checked
}
