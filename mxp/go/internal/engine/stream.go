package engine

import (
	"errors"
	"fmt"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Stream is a stream of a connection: its two directions, in which chunks are sent one after the
// other.
type Stream struct {
	ID      uint64
	Mine    bool // opened here
	Window  Window
	User    StreamUser
	Failure error // what has ended the stream, else nil
	Gone    bool  // its user has left it
	Closed  bool  // no more are sent
	Ended   bool  // no more come
	Reopen  *Reopener
	inbox   Inbox
}

// Reopener is a stream that can be opened anew: at most its end was sent on it, and nothing has
// come.
type Reopener struct {
	Why  *Failure // why the connection before has not kept it
	Busy bool     // somebody is at it
}

// Put puts a stream on a connection.
func (l *Link) Put(s *Stream, id uint64) {
	s.ID, s.Failure = id, nil
	if l.streams == nil {
		l.streams = map[uint64]*Stream{}
	}
	l.streams[id] = s
}

// Grant lets the peer send as much as the reader's window has.
func (l *Link) Grant(s *Stream) {
	l.Session.Grant(s.ID, s.Window.Messages, uint64(s.Window.Bytes), l.driver.Now())
}

func (l *Link) deliver(chunk *session.Chunk) {
	if s := l.streams[chunk.ID]; s != nil {
		value, buffer := l.Session.OwnIn(chunk.Value)
		l.arrive(s, Parcel{data: value, buffer: buffer, left: 1, ack: ackOf(chunk.Ack, chunk.Number)}, chunk.Final)
	}
}

func (l *Link) deliverAll(chunks *session.Chunks) {
	if s := l.streams[chunks.ID]; s != nil {
		data, buffer := l.Session.OwnIn(chunks.Data())
		last := chunks.Number + uint64(chunks.Len()) - 1
		one := Records(data, buffer, chunks.Len())
		one.ack = ackOf(chunks.Ack, last)
		l.arrive(s, one, chunks.Final)
	}
}

// ackOf is the number of a chunk that asks for an Ack, or 0.
func ackOf(ack bool, number uint64) uint64 {
	if !ack {
		return 0
	}
	return number
}

// arrive counts a delivered parcel, and wakes the reader.
func (l *Link) arrive(s *Stream, parcel Parcel, final bool) {
	s.Reopen = nil
	parcel.counts = int32(len(parcel.data)) + parcel.left*ItemBytes
	s.inbox.parcels = append(s.inbox.parcels, parcel)
	l.hold(s, int(parcel.counts))
	if final {
		l.peerEnded(s)
	}
	s.User.Wake()
}

// hold counts n more bytes that wait for the reader.
func (l *Link) hold(s *Stream, n int) {
	s.inbox.held += n
	l.unread += n
}

// peerEnded notes that no more comes.
func (l *Link) peerEnded(s *Stream) {
	s.Ended = true
	if s.Mine {
		l.requestEnded(nil)
	}
}

func (l *Link) finished(id uint64) {
	if s := l.streams[id]; s != nil {
		s.Reopen = nil
		l.peerEnded(s)
		l.forget(s)
		s.User.Wake()
	}
}

// Take takes a chunk that has come, if there is one. It reports whether there is something to send.
func (l *Link) Take(s *Stream, r *Reader) (chunk Chunk, ok, sends bool) {
	if r.open.left == 0 {
		if len(s.inbox.parcels) == 0 {
			return Chunk{}, false, false
		}
		r.open = s.inbox.open()
	}
	chunk = Chunk{Value: r.take(), Shared: r.open.batch}
	if r.open.left == 0 {
		chunk.Buffer = r.open.buffer
		s.inbox.lent = 0
		l.hold(s, -int(r.open.counts))
		sends = l.acknowledge(s, r.open.ack)
		r.open = Parcel{}
		l.driver.Lighter() // it may hold little enough to be read again
	}
	if l.GrantTaken(s, r) {
		sends = true
	}
	l.forget(s)
	return chunk, true, sends
}

// Owes reports whether so much was taken that it is to be granted anew.
func (s *Stream) Owes(r *Reader) bool { return s.Window.owes(r.messages, r.bytes) }

// GrantTaken lets the peer send again what was taken, if that is much, and reports whether it does.
func (l *Link) GrantTaken(s *Stream, r *Reader) (sends bool) {
	if s.Owes(r) {
		sends = !s.Ended && l.Session.Grant(s.ID, uint32(r.messages), uint64(r.bytes), l.driver.Now()) == nil
		r.messages, r.bytes = 0, 0
	}
	return sends
}

// acknowledge says that chunks were taken up to one that asks for an Ack [MXP-8.5], and reports
// whether it does.
func (l *Link) acknowledge(s *Stream, number uint64) (sends bool) {
	return number != 0 && l.Session.Ack(s.ID, number, l.driver.Now()) == nil
}

// Chunk sends a chunk, if the peer has granted it; the driver may have its memory back that is lent.
func (l *Link) Chunk(s *Stream, value []byte, lend bool) (err error) {
	switch {
	case s.Failure != nil && s.Reopen != nil:
		return session.ErrStreamCredit // there is some when the stream was opened anew
	case s.Failure != nil:
		return s.Failure
	}
	if most, known := l.Session.LargestChunk(s.ID); known && uint64(len(value)) > most {
		f := Refusal(session.ErrStreamWindow, true)
		f.Text = fmt.Sprintf("a chunk of %d bytes, where the receiver's window lets %d through", len(value), most)
		return &f
	}
	if lend {
		err = l.Session.LendChunk(s.ID, value, l.driver.Now())
	} else {
		_, err = l.Session.Chunk(s.ID, value, false, false, l.driver.Now())
	}
	if err == nil {
		s.Reopen = nil
	}
	return err
}

// Join adds to the frame that was made last, and reports whether anything was. Nothing else is
// to be done then: that frame waits for somebody who writes already.
func (l *Link) Join(s *Stream, do func(*session.Session) bool) bool {
	joined := s.Failure == nil && !l.Lines.IsCrowded(Bulk) && do(l.Session)
	if joined {
		s.Reopen = nil
	}
	return joined
}

// Finish says that no more is sent. It may be said twice.
func (l *Link) Finish(s *Stream) error {
	if s.Failure != nil {
		if s.Reopen != nil {
			s.Closed = true
			return nil
		}
		return s.Failure
	}
	err := l.Session.Finish(s.ID, l.driver.Now())
	s.Closed = true // and is so from the start, if the stream is opened anew
	l.forget(s)
	if errors.Is(err, session.ErrExchangeEnded) {
		return nil
	}
	return err
}

// Cancel ends a stream that was opened here, with a failure.
func (l *Link) Cancel(s *Stream, f *Failure) {
	s.Gone = true
	if s.Mine && (s.Failure == nil || s.Reopen != nil) {
		l.drop(s)
		if s.Failure != nil { // it was about to be opened anew
			l.GiveUp(s, s.User.Locate(f))
			s.User.Wake()
		} else if l.Session.Cancel(s.ID, l.driver.Now()) == nil {
			s.Reopen = nil
			l.FailStream(s, f)
		}
	}
	l.leave(s)
}

// GiveUp ends the attempts to open a stream anew.
func (l *Link) GiveUp(s *Stream, why error) {
	s.Reopen, s.Failure = nil, why
	l.leave(s)
}

// Refuse ends a stream on which something came, or was to be sent, that is no value of its type.
func (l *Link) Refuse(s *Stream, f *Failure, tell func()) {
	if s.Failure != nil {
		return
	}
	if s.Mine {
		l.Session.Cancel(s.ID, l.driver.Now())
	} else {
		tell()
		if w := l.works[s.ID]; w != nil {
			w.End(Cancelled)
		}
	}
	l.drop(s)
	s.Reopen, s.Ended = nil, false
	l.FailStream(s, f)
}

// FailStream ends a stream with a failure, and wakes its waiting caller.
func (l *Link) FailStream(s *Stream, f *Failure) {
	if s.Reopen != nil && !f.Acted {
		s.Reopen.Why = f
	} else {
		s.Reopen = nil
	}
	if s.Failure == nil {
		s.Failure = s.User.Locate(f)
	}
	l.leave(s)
	s.User.Wake()
}

// Served ends a stream of the peer's whose handler has returned. Where that has failed, fail tells
// the peer.
func (l *Link) Served(s *Stream, r *Reader, fail func()) {
	now := l.driver.Now()
	switch {
	case fail != nil:
		fail()
	case s.Failure != nil:
		l.Session.Release(s.ID, now)
	default:
		l.Session.Finish(s.ID, now)
		if s.Ended {
			l.acknowledge(s, s.lastAck(r))
		} else { // the peer still sends, and nobody reads it
			l.Fail(s.ID, Failure{Status: session.StatusCancelled, Name: session.ErrCancelled.String(), Text: "the handler has returned", Acted: true})
		}
	}
	l.drop(s)
	l.leave(s)
	l.Over(s.ID)
}

// lastAck is the number of the last chunk that asks for an Ack, among the chunks that nobody has
// taken.
func (s *Stream) lastAck(r *Reader) (last uint64) {
	last = r.open.ack
	for i := range s.inbox.parcels {
		last = max(last, s.inbox.parcels[i].ack)
	}
	return last
}

// drop forgets the chunks that wait for the reader, and the chunks that it has opened and not
// taken.
func (l *Link) drop(s *Stream) {
	s.User.Drop()
	l.hold(s, -s.inbox.held)
	s.inbox.parcels, s.inbox.lent = nil, 0
}

// forget lets go of a stream that was opened here, once both directions have
// ended and all was taken.
func (l *Link) forget(s *Stream) {
	if s.Mine && s.Ended && s.Closed && s.inbox.isEmpty() {
		l.leave(s)
	}
}

// leave takes a stream off its connection.
func (l *Link) leave(s *Stream) {
	if l.streams[s.ID] == s {
		delete(l.streams, s.ID)
		l.Lines.next(forPlaces)
	}
	s.User.Leave()
}

// Has reports whether a stream is on the connection.
func (l *Link) Has(s *Stream) bool { return l.streams[s.ID] == s }
