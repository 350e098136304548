package mxp

import (
	"bytes"
	"context"
	"io"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/buffers"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// windowMessages is how many chunks may be on their way to a reader.
const windowMessages = 16 << 10

// messagesOf is how many chunks of a service's streams may be on their way to a reader: of events
// of the mesh few, since a node drops what is too much for a subscriber, and not its oldest where
// they are here [MESH-5.1].
func messagesOf(service string) uint32 {
	if service == "mxp.mesh.Mesh" {
		return session.SubscriptionMessages
	}
	return windowMessages
}

// chunk is one that has come.
type chunk struct {
	value  []byte
	buffer []byte // that others can use once nothing refers to the value; nil if they can't
	shared bool   // its memory is that of other chunks, too
}

// parcel is the chunks of one frame that nobody has taken. Their memory is one, and counts
// until the last of them is taken [MXP-17.8].
type parcel struct {
	data   []byte // the value, or the records of a batch
	buffer []byte // that it lies in, if others can use that
	counts int32  // how many bytes less are held once all were taken
	left   int32  // chunks
	at     int32  // where the first of these lies
	ack    uint64 // the number of the last chunk, where that asks for an Ack; else 0
	batch  bool
}

// take gives the value of the first chunk.
func (p *parcel) take() []byte {
	if p.left--; !p.batch {
		return p.data
	}
	value, rest := session.CutRecord(p.data[p.at:])
	p.at = int32(len(p.data) - len(rest))
	return value
}

// grant lets the peer send. The lock is held.
func (s *Stream) grant(c *conn, window int) {
	c.session.Grant(s.id, s.most, uint64(window), c.now())
}

func (s *Stream) deliver(c *conn, in *session.Chunk) {
	value, buffer := c.session.OwnIn(in.Value)
	s.came(c, parcel{data: value, buffer: buffer, left: 1, ack: asking(in.Ack, in.Number)}, in.Final)
}

// deliverAll takes the chunks of a batch.
func (s *Stream) deliverAll(c *conn, in *session.Chunks) {
	data, buffer := c.session.OwnIn(in.Data())
	last := in.Number + uint64(in.Len()) - 1
	s.came(c, parcel{data: data, buffer: buffer, left: int32(in.Len()), ack: asking(in.Ack, last), batch: true}, in.Final)
}

// asking is the number of a chunk that asks for an Ack, or 0.
func asking(ack bool, number uint64) uint64 {
	if !ack {
		return 0
	}
	return number
}

// came counts what was delivered, and tells the reader.
func (s *Stream) came(c *conn, one parcel, final bool) {
	s.again = nil
	one.counts = int32(len(one.data)) + one.left*itemBytes
	s.inbox = append(s.inbox, one)
	s.hold(c, int(one.counts))
	if final {
		s.peerEnded(c)
	}
	s.wake()
}

// hold counts what waits for the reader.
func (s *Stream) hold(c *conn, n int) {
	s.held += n
	c.unread += n
}

// drop forgets what waits for the reader, and what that has not taken of what it has opened.
func (s *Stream) drop(c *conn) {
	s.dropped.Store(true)
	s.hold(c, -s.held)
	s.inbox, s.lent = nil, 0
	c.account()
}

// Recv gives the next chunk, which is the caller's own. After the last one it
// gives io.EOF. What was taken is granted to the peer again.
func (s *Stream) Recv(ctx context.Context) ([]byte, error) {
	one, err := s.receive(ctx)
	if one.shared {
		one.value = bytes.Clone(one.value)
		buffers.Give(one.buffer)
	}
	return one.value, err
}

// receive gives the next chunk. Of those that came together, all but the last are taken
// without the lock.
func (s *Stream) receive(ctx context.Context) (chunk, error) {
	if value, ok := s.receiveOpen(); ok {
		return chunk{value: value, shared: true}, nil
	}
	return s.await(ctx)
}

// await gives the next chunk, where there may be none yet.
func (s *Stream) await(ctx context.Context) (chunk, error) {
	for {
		c := s.lock()
		one, ok := s.take(c)
		switch {
		case ok:
			c.mu.Unlock()
			return one, nil
		case s.ended:
			c.mu.Unlock()
			return chunk{}, io.EOF
		}
		if err := s.wait(ctx, c); err != nil {
			return chunk{}, err
		}
	}
}

// receiveNow gives the next chunk, if it has come.
func (s *Stream) receiveNow() (one chunk, ok bool) {
	if value, ok := s.receiveOpen(); ok {
		return chunk{value: value, shared: true}, true
	}
	c := s.lock()
	defer c.mu.Unlock()
	return s.take(c)
}

// receiveOpen gives the next chunk out of what the reader has opened, unless that is the last
// one in it. Its memory is that of others.
func (s *Stream) receiveOpen() (value []byte, ok bool) {
	if s.open.left <= 1 || s.dropped.Load() {
		return nil, false
	}
	value = s.takeOpen()
	if s.owesGrant() {
		c := s.lock()
		s.grantTaken(c)
		c.mu.Unlock()
	}
	return value, true
}

// takeOpen takes a chunk out of what the reader has opened.
func (s *Stream) takeOpen() []byte {
	value := s.open.take()
	s.messages++
	s.bytes += len(value)
	return value
}

// take takes a chunk that has come, if there is one. The lock is held.
func (s *Stream) take(c *conn) (one chunk, ok bool) {
	if s.dropped.Load() {
		s.open = parcel{}
		return chunk{}, false
	}
	if s.open.left == 0 {
		if len(s.inbox) == 0 {
			return chunk{}, false
		}
		s.unpack()
	}
	one = chunk{value: s.takeOpen(), shared: s.open.batch}
	if s.open.left == 0 {
		one.buffer = s.open.buffer
		s.lent = 0
		s.hold(c, -int(s.open.counts))
		s.acknowledge(c, s.open.ack)
		s.open = parcel{}
		c.reader.Signal() // it may hold little enough to be read again
	}
	if s.owesGrant() {
		s.grantTaken(c)
	}
	s.forget(c)
	c.account()
	return one, true
}

// acknowledge says that chunks were taken up to one that asks for an Ack [MXP-8.5]. The lock
// is held.
func (s *Stream) acknowledge(c *conn, number uint64) {
	if number != 0 && c.session.Ack(s.id, number, c.now()) == nil {
		c.update()
	}
}

// acknowledgeRest says that what its handler has not taken was taken, too. The lock is held.
func (s *Stream) acknowledgeRest(c *conn) {
	last := s.open.ack
	for i := range s.inbox {
		last = max(last, s.inbox[i].ack)
	}
	s.acknowledge(c, last)
}

// unpack opens what has come first. The lock is held.
func (s *Stream) unpack() {
	s.open = s.inbox[0]
	s.lent = int(s.open.counts)
	s.inbox[0] = parcel{}
	switch {
	case len(s.inbox) > 1:
		s.inbox = s.inbox[1:]
	case cap(s.inbox) > inboxKept:
		s.inbox = nil
	default:
		s.inbox = s.inbox[:0]
	}
}

// inboxKept is for how many parcels a stream has memory of which none has come.
const inboxKept = 16

// owesGrant reports whether so much was taken that it is to be granted anew [MXP-8.7].
func (s *Stream) owesGrant() bool { return s.messages >= int(s.most/2) || s.bytes >= s.window/2 }

// grantTaken lets the peer send again what was taken. The lock is held.
func (s *Stream) grantTaken(c *conn) {
	if !s.ended && c.session.Grant(s.id, uint32(s.messages), uint64(s.bytes), c.now()) == nil {
		c.update()
	}
	s.messages, s.bytes = 0, 0
}
