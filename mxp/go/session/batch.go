package session

import "github.com/serial-data-protocol/sdp/mxp/go/internal/buffers"

// Batch is what waited, in as few pieces as can be, for one vectored write.
type Batch struct {
	Pieces [][]byte
	buffer []byte
	lent   [][]byte // values whose buffers are for others, once they were written
}

// Release lets go of the pieces, which were written.
func (b *Batch) Release() {
	clear(b.Pieces)
	b.Pieces = b.Pieces[:0]
	for i, buffer := range b.lent {
		buffers.Give(buffer)
		b.lent[i] = nil
	}
	b.lent = b.lent[:0]
}

// value adds a value of its own memory, and the frame's trailer.
func (b *Batch) value(f *queueEntry, frame Outgoing) {
	b.Pieces = append(b.Pieces, frame.Value, frame.Trailer)
	if f.lent {
		b.lent = append(b.lent, frame.Value)
	}
}

// PollAll gives all frames out at once. Unlike the pieces of PollFrame, these pieces stay valid
// until the batch is used again, after any use of the session. It reports whether there were any.
func (s *Session) PollAll(b *Batch, now uint64) bool {
	b.Release()
	if s.queue.empty() {
		return false
	}
	all := s.queue.buffer
	from, to := 0, 0 // of what is adjacent and not in a piece yet
	cut := func() {
		if to > from {
			b.Pieces = append(b.Pieces, all[from:to:to])
		}
	}
	for {
		f, frame, ok := s.queue.take()
		if !ok {
			break
		}
		if end := f.end; end-f.head != to {
			cut()
			from = end - f.head
		}
		to = f.end
		if frame.Value != nil {
			cut()
			from = to
			b.value(&f, frame)
		}
		s.gone(&f, frame.Size(), now)
	}
	cut()
	s.queue.buffer, b.buffer = b.buffer[:0], all[:0]
	return true
}

// Poll gives frames out as PollAll does, until they have so many bytes: what is not
// given out can still be taken back, and nobody has acted on it.
func (s *Session) Poll(b *Batch, bytes int, now uint64) bool {
	if s.queue.bytes <= bytes {
		return s.PollAll(b, now)
	}
	b.Release()
	b.buffer = b.buffer[:0]
	from := 0 // of what is in no piece yet
	cut := func() {
		if to := len(b.buffer); to > from {
			b.Pieces = append(b.Pieces, b.buffer[from:to:to])
			from = to
		}
	}
	for given := 0; given < bytes; {
		f, frame, ok := s.queue.take()
		if !ok {
			break
		}
		b.buffer = append(b.buffer, frame.Head...)
		if frame.Value != nil {
			cut()
			b.value(&f, frame)
		}
		given += frame.Size()
		s.gone(&f, frame.Size(), now)
	}
	cut()
	return true
}
