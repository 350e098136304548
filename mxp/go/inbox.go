package mxp

import (
	"bytes"
	"context"
	"io"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// windowMessages is how many chunks may be on their way to a reader.
const windowMessages = 1024

// chunk is one that has come. Its buffer is nil if others can't use it.
type chunk struct {
	value, buffer []byte
	counts        int  // how many bytes less are held once it is taken
	shared        bool // its memory is that of other chunks, too
}

// grant lets the peer send. The lock is held.
func (s *Stream) grant(c *conn, window int) {
	c.session.Grant(s.id, windowMessages, uint64(window), c.now())
}

func (s *Stream) deliver(c *conn, in *session.Chunk) {
	value, buffer := c.session.OwnIn(in.Value)
	s.chunks = append(s.chunks, chunk{value: value, buffer: buffer, counts: len(value) + itemBytes})
	s.came(c, len(value)+itemBytes, in.Final)
}

// deliverAll takes the chunks of a batch. Their memory is one, and counts until the last of
// them is taken [MXP-17.8].
func (s *Stream) deliverAll(c *conn, in *session.Chunks) {
	data := c.session.Own(in.Data())
	for _, value := range in.In(data).All() {
		s.chunks = append(s.chunks, chunk{value: value, counts: itemBytes, shared: true})
	}
	s.chunks[len(s.chunks)-1].counts += len(data)
	s.came(c, len(data)+in.Len()*itemBytes, in.Final)
}

// came counts what was delivered, and tells the reader.
func (s *Stream) came(c *conn, bytes int, final bool) {
	s.again = nil
	s.hold(c, bytes)
	if final {
		s.ended = true
	}
	s.wake()
}

// hold counts what waits for the reader.
func (s *Stream) hold(c *conn, n int) {
	s.held += n
	c.unread += n
}

// drop forgets what waits for the reader.
func (s *Stream) drop(c *conn) {
	s.hold(c, -s.held)
	s.chunks = nil
	c.account()
}

// Recv gives the next chunk, which is the caller's own. After the last one it
// gives io.EOF. What was taken is granted to the peer again.
func (s *Stream) Recv(ctx context.Context) ([]byte, error) {
	one, err := s.receive(ctx)
	if one.shared {
		one.value = bytes.Clone(one.value)
	}
	return one.value, err
}

// receive gives the next chunk, with its buffer.
func (s *Stream) receive(ctx context.Context) (chunk, error) {
	for {
		c := s.lock()
		switch {
		case len(s.chunks) > 0:
			one := s.next(c)
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

// next takes a chunk that has come.
func (s *Stream) next(c *conn) chunk {
	one := s.chunks[0]
	s.chunks[0] = chunk{}
	s.chunks = s.chunks[1:]
	s.hold(c, -one.counts)
	c.reader.Signal() // it may hold little enough to be read again
	s.messages++
	s.bytes += uint64(len(one.value))
	if !s.ended && (s.messages >= windowMessages/2 || s.bytes >= uint64(c.options.window)/2) {
		if c.session.Grant(s.id, s.messages, s.bytes, c.now()) == nil {
			c.update()
		}
		s.messages, s.bytes = 0, 0
	}
	s.forget(c)
	c.account()
	return one
}
