package session

import (
	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/mxp/control"
)

// stream gives a live stream of either side.
func (s *Session) stream(id uint64) (*exchange, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	table := s.theirs
	if s.isMine(id) {
		table = s.mine
	}
	e := table[id]
	if e == nil || e.ended || e.kind != aStream {
		return nil, ErrExchangeEnded
	}
	return e, nil
}

// header is that of a frame of an exchange.
func (e *exchange) header(t frame.Type, flags frame.Flags) frame.Header {
	return frame.Header{Type: t, Flags: flags, MessageID: e.id, TraceID: e.trace}
}

// Chunk sends a chunk, and returns its number. It takes credit [MXP-8.3]. The
// value is copied, unless it is large; then it must not change until it was sent.
func (s *Session) Chunk(id uint64, value []byte, final, ack bool, now uint64) (number uint64, err error) {
	return s.chunk(id, value, final, ack, false, now)
}

// LendChunk sends a chunk whose buffer is the session's from then on, unless Copies says that it
// is copied: others use it once it was written, by a Batch.
func (s *Session) LendChunk(id uint64, buffer []byte, now uint64) error {
	_, err := s.chunk(id, buffer, false, false, true, now)
	return err
}

// Copies reports whether a value of so many bytes is copied where it is sent.
func Copies(bytes int) bool { return bytes < shared }

func (s *Session) chunk(id uint64, value []byte, final, ack, lend bool, now uint64) (number uint64, err error) {
	e, err := s.stream(id)
	switch {
	case err != nil:
		return 0, err
	case e.out.ended:
		return 0, ErrExchangeEnded
	}
	if err := s.prepare(nil, value, frame.StreamChunk); err != nil {
		return 0, err
	}
	if !e.out.fits(1, len(value)) {
		return 0, ErrStreamCredit
	}
	if s.Full(len(value), true) {
		return 0, ErrLimitQueueBytes
	}
	e.out.take(1, len(value), final, ack)
	number = e.out.number
	s.add(e.header(frame.StreamChunk, flags(final, ack)), value, mark{exchange: e.queuing(), lent: lend}, now)
	s.streamed(e, now)
	return number, nil
}

// LargestChunk gives how many bytes a chunk of a stream may have that is sure to be
// granted, in time [MXP-8.7]. It is unknown until something was granted.
func (s *Session) LargestChunk(id uint64) (n uint64, hasMeter bool) {
	e, err := s.stream(id)
	if err != nil {
		return 0, false
	}
	return e.out.window / 2, e.out.window > 0
}

func flags(final, ack bool) (f frame.Flags) {
	if final {
		f |= frame.Final
	}
	if ack {
		f |= frame.RequiresAck
	}
	return f
}

// Finish ends this side's direction of a stream.
func (s *Session) Finish(id uint64, now uint64) error {
	e, err := s.stream(id)
	switch {
	case err != nil:
		return err
	case e.out.ended:
		return ErrExchangeEnded
	}
	e.out.ended = true
	s.send(e.header(frame.StreamClose, 0), nil, mark{exchange: e.queuing()}, now)
	s.streamed(e, now)
	return nil
}

// Grant lets the peer send more on a stream.
func (s *Session) Grant(id uint64, messages uint32, bytes uint64, now uint64) error {
	e, err := s.stream(id)
	if err != nil {
		return err
	}
	e.in.grant(messages, bytes)
	s.send(e.header(frame.Credit, 0), &control.Grant{Messages: messages, Bytes: bytes}, mark{exchange: e.queuing()}, now)
	return nil
}

// Ack says that a chunk, and all before it, were taken; or an Event, whose chunk
// is 0.
func (s *Session) Ack(id, chunk uint64, now uint64) error {
	if err := s.usable(); err != nil {
		return err
	}
	if e := s.theirs[id]; e != nil && !e.ended && e.kind == anEvent && chunk == 0 {
		s.send(e.header(frame.Ack, 0), &control.Taken{}, mark{}, now)
		s.refused.answered()
		s.free(e, now)
		return nil
	}
	e, err := s.stream(id)
	switch {
	case err != nil:
		return err
	case !e.in.ack(chunk):
		return ErrExchangeEnded
	}
	s.send(e.header(frame.Ack, 0), &control.Taken{Chunk: chunk}, mark{exchange: e.queuing()}, now)
	s.streamed(e, now)
	return nil
}

// queuing is what frames of an exchange are marked with, so that they leave the
// queue with it. Only requests that were made here do.
func (e *exchange) queuing() *exchange {
	if e.mine {
		return e
	}
	return nil
}

// streamed ends a stream whose directions both have ended [MXP-8.1].
func (s *Session) streamed(e *exchange, now uint64) {
	switch {
	case !e.out.over() || !e.in.over():
	case e.mine:
		s.forget(e)
	default:
		s.refused.answered()
		s.free(e, now)
	}
	s.settle(now)
}

func (s *Session) takeOpen(f *frame.Frame, now uint64) Incoming {
	start := &s.in.streamStart
	n, err := start.DecodePrefix(f.Payload, aliasing)
	if err != nil {
		s.failPayload(err, now)
		return nil
	}
	head := &start.Head
	e := s.accept(f, aStream, s.serves(head), head, now)
	if e == nil {
		return nil
	}
	e.out.grant(start.Grant.Messages, start.Grant.Bytes)
	e.in.ended = f.Flags&frame.Final != 0
	in := &s.in.open
	*in = Open{Messages: start.Grant.Messages, Bytes: start.Grant.Bytes, Final: e.in.ended}
	s.describe(&in.Call, f, head, n)
	return in
}

func (s *Session) takeChunk(f *frame.Frame, now uint64) Incoming {
	e := s.receiving(f, 1, len(f.Payload), now)
	if e == nil {
		return nil
	}
	final, ack := f.Flags&frame.Final != 0, f.Flags&frame.RequiresAck != 0
	e.in.take(1, len(f.Payload), final, ack)
	s.in.chunk = Chunk{f.MessageID, e.in.number, final, ack, f.Payload}
	s.streamed(e, now)
	return &s.in.chunk
}

// receiving gives the stream that takes the chunks of a frame, if there is one.
func (s *Session) receiving(f *frame.Frame, chunks, bytes int, now uint64) *exchange {
	e := s.find(f.MessageID, isStream, now)
	switch {
	case e == nil:
	case e.in.ended:
		s.stats.Late++
	case !e.in.fits(chunks, bytes):
		s.overdrawn(e, now)
	default:
		return e
	}
	return nil
}

func (s *Session) takeClose(f *frame.Frame, now uint64) Incoming {
	e := s.find(f.MessageID, isStream, now)
	switch {
	case e == nil:
		return nil
	case e.in.ended:
		s.stats.Late++
		return nil
	}
	e.in.ended = true
	s.streamed(e, now)
	return &Finished{e.id}
}

func (s *Session) takeCredit(f *frame.Frame, now uint64) Incoming {
	var grant control.Grant
	if err := control.DecodeGrant(&grant, f.Payload); err != nil {
		s.failPayload(err, now)
		return nil
	}
	e := s.find(f.MessageID, isStream, now)
	if e == nil {
		return nil
	}
	e.out.grant(grant.Messages, grant.Bytes)
	return &Granted{e.id, grant.Messages, grant.Bytes}
}

// overdrawn ends a stream on which more was sent than granted [MXP-8.3].
func (s *Session) overdrawn(e *exchange, now uint64) {
	if !e.mine {
		s.caused(now)
	}
	s.stop(e, ErrStreamCredit, ByCredit, now)
}

// stop ends a stream at both ends.
func (s *Session) stop(e *exchange, why Kind, reason Why, now uint64) {
	if e.mine {
		s.stats.Refusals[why.Number()]++
		s.takeBack(e, why, now)
		return
	}
	s.refuse(e.id, e.trace, why, false, now)
	s.byTime.remove(e)
	s.abandon(e, reason)
}

// OverrunStream ends the stream that has most of the chunks that nobody takes, of a
// connection that holds more than it may [MXP-15.3].
func (s *Session) OverrunStream(id, now uint64) error {
	e, err := s.stream(id)
	if err != nil {
		return err
	}
	s.stop(e, ErrLimitConnectionBytes, ByMemory, now)
	return nil
}

// Overrun ends the session of the connection that holds most, where all together hold
// more than they may [MXP-15.4].
func (s *Session) Overrun(now uint64) {
	if s.phase < ended {
		s.failKind(ErrLimitServerBytes, now)
	}
}
