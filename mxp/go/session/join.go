package session

import (
	"encoding/binary"
	"slices"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
)

// last is the state of the last frame while others can join it [MXP-17.6]. While it is open, it
// waits, its bytes are the last of the queue's buffer, and its header and trailer are not right
// yet.
type last struct {
	open     bool
	header   frame.Header
	start    int // bytes of the payload before the values
	checksum frame.Checksum
}

// join puts a value into the frame that was made last, if that has the same header and
// start, and its payload is then at most so long. It gives the frame's id.
func (q *queue) join(h frame.Header, start, value []byte, most int) (id uint64, joined bool) {
	if q.spare(h, start, most) < lengthBytes+len(value) {
		return 0, false
	}
	q.reopen()
	q.buffer = binary.LittleEndian.AppendUint16(q.buffer, uint16(len(value)))
	q.buffer = append(q.buffer, value...)
	q.joined(h, 1, lengthBytes+len(value))
	return q.last.header.MessageID, true
}

// spare is by how many bytes of records the frame that was made last may grow for values with a
// header and a start, so that its payload is at most so long; less than 0 if they can't join it.
func (q *queue) spare(h frame.Header, start []byte, most int) int {
	l := &q.last
	if !l.open {
		return -1
	}
	f := &q.frames[len(q.frames)-1]
	if h.Type == frame.Event {
		whole := q.buffer[len(q.buffer)-f.head:]
		if !f.spare || !slices.Equal(whole[frame.HeaderSize:][:l.start], start) {
			return -1
		}
		most = min(most, BatchedBytes)
	} else if l.header.Type == frame.Event || l.header.Type == frame.Events || l.header.MessageID != h.MessageID {
		return -1
	}
	payload := f.head - frame.Overhead
	if f.values == 1 {
		payload += lengthBytes
	}
	return max(min(most, BatchBytes)-payload, -1)
}

// reopen takes the trailer off the frame that was made last, whose values are records then.
func (q *queue) reopen() {
	f := &q.frames[len(q.frames)-1]
	if f.values == 1 {
		q.record(len(q.buffer) - f.head + frame.HeaderSize + q.last.start)
		f.head += lengthBytes
		q.bytes += lengthBytes
	}
	q.buffer = q.buffer[:len(q.buffer)-frame.TrailerSize]
}

// joined ends what reopen has begun, once the records of so many values, of so many bytes,
// were added.
func (q *queue) joined(h frame.Header, values, bytes int) {
	f, l := &q.frames[len(q.frames)-1], &q.last
	q.buffer = append(q.buffer, make([]byte, frame.TrailerSize)...)
	f.kind = frame.StreamChunks
	if h.Type == frame.Event {
		f.kind = frame.Events
	}
	l.header.Type, l.header.Flags = f.kind, h.Flags
	f.values += values
	f.head += bytes
	q.bytes += bytes
	if h.Flags != 0 {
		q.seal()
	}
}

// record makes the value of the frame that was made last a record. It is all from a place
// of the buffer to the trailer.
func (q *queue) record(index int) {
	n := len(q.buffer) - frame.TrailerSize - index
	q.buffer = slices.Insert(q.buffer, index, byte(n), byte(n>>8))
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

// JoinChunk sends a chunk as Chunk does, if it is granted and can join the frame that was made
// last, and reports whether it did. It needs no time, since no frame is made.
func (s *Session) JoinChunk(id uint64, value []byte) bool {
	e := s.joining(id)
	if e == nil || len(value) > e.joins(s) {
		return false
	}
	if _, joined := s.queue.join(e.header(frame.StreamChunk, 0), nil, value, s.accepts); !joined {
		return false
	}
	e.out.take(1, len(value), false, false)
	return true
}

// Joinable reports whether there is a frame that anything can join.
func (s *Session) Joinable() bool { return s.batches && s.queue.last.open }

// JoinEvent sends an Event, for which no Ack is asked, as Event does, if it can join the frame that
// was made last, and reports whether it did. It needs no time, since no frame is made.
func (s *Session) JoinEvent(r Request, value []byte) bool {
	if !s.Joinable() || len(value) > BatchedBytes || s.asking(&r) != nil {
		return false
	}
	r.Deadline = 0
	out := s.outgoing()
	out.call.Head = r.head()
	if s.prepare(&out.call, value, frame.Event) != nil || s.Full(len(s.scratch)+len(value), false) {
		return false
	}
	_, joined := s.queue.join(frame.Header{Type: frame.Event}, s.scratch, value, s.accepts)
	return joined
}

// JoinChunks sends chunks one after the other as JoinChunk does, as many as that can, and gives
// how many. They are records as a batch has them.
func (s *Session) JoinChunks(id uint64, records []byte) (chunks int) {
	e := s.joining(id)
	if e == nil {
		return 0
	}
	h := e.header(frame.StreamChunk, 0)
	spare, longest := s.queue.spare(h, nil, s.accepts), e.joins(s)
	room := s.most(0, true) - s.queue.bytes
	end, bytes := 0, 0
	for end < len(records) && end < room && e.out.messages > uint64(chunks) {
		value, _ := CutRecord(records[end:])
		next := end + lengthBytes + len(value)
		if len(value) > longest || next > spare || uint64(bytes+len(value)) > e.out.bytes {
			break
		}
		if chunks == 0 && s.queue.frames[len(s.queue.frames)-1].values == 1 {
			room -= lengthBytes // that value becomes a record, too
		}
		end, bytes = next, bytes+len(value)
		chunks++
	}
	if chunks == 0 {
		return 0
	}
	s.queue.reopen()
	s.queue.buffer = append(s.queue.buffer, records[:end]...)
	s.queue.joined(h, chunks, end)
	e.out.take(chunks, bytes, false, false)
	return chunks
}

// joining gives the stream whose chunks may join the frame that was made last; nil if there is
// none.
func (s *Session) joining(id uint64) *exchange {
	if !s.Joinable() || s.queue.last.header.MessageID != id || s.Full(0, true) {
		return nil
	}
	e, err := s.stream(id)
	if err != nil || e.out.ended || e.out.messages == 0 {
		return nil
	}
	return e
}

// joins is how many bytes a chunk of a stream has at most that is granted, joins others, and
// is sure to be let through by the window [MXP-8.7].
func (e *exchange) joins(s *Session) int {
	return int(min(BatchedBytes, uint64(s.accepts), e.out.window/2, e.out.bytes))
}
