package mxp

import (
	"bytes"
	"context"
	"io"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/buffers"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
)

// Recv gives the next chunk, which is the caller's own. After the last one it
// gives io.EOF. The bytes of a taken chunk are granted to the peer again.
func (s *Stream) Recv(ctx context.Context) ([]byte, error) {
	one, err := s.receive(ctx)
	if one.Shared {
		one.Value = bytes.Clone(one.Value)
		buffers.Give(one.Buffer)
	}
	return one.Value, err
}

// receive gives the next chunk. Chunks that came together are taken without the lock, except the
// last.
func (s *Stream) receive(ctx context.Context) (engine.Chunk, error) {
	if value, ok := s.receiveOpen(); ok {
		return engine.Chunk{Value: value, Shared: true}, nil
	}
	return s.await(ctx)
}

// await gives the next chunk, where there may be none yet.
func (s *Stream) await(ctx context.Context) (engine.Chunk, error) {
	for {
		c := s.lock()
		one, ok := s.take(c)
		switch {
		case ok:
			c.Unlock()
			return one, nil
		case s.state.Ended:
			c.Unlock()
			return engine.Chunk{}, io.EOF
		}
		if err := s.wait(ctx, c); err != nil {
			return engine.Chunk{}, err
		}
	}
}

// receiveNow gives the next chunk, if it has come.
func (s *Stream) receiveNow() (chunk engine.Chunk, ok bool) {
	if value, ok := s.receiveOpen(); ok {
		return engine.Chunk{Value: value, Shared: true}, true
	}
	c := s.lock()
	defer c.Unlock()
	return s.take(c)
}

// receiveOpen gives the next of the chunks that the reader has opened, unless it is the last of
// them. Its memory is that of others.
func (s *Stream) receiveOpen() (value []byte, ok bool) {
	if s.dropped.Load() {
		return nil, false
	}
	if value, ok = s.reader.Next(); ok && s.state.Owes(&s.reader) {
		c := s.lock()
		if c.Engine.GrantTaken(&s.state, &s.reader) {
			c.Update()
		}
		c.Unlock()
	}
	return value, ok
}

// take takes a chunk that has come, if there is one. The lock is held.
func (s *Stream) take(c *conn) (chunk engine.Chunk, ok bool) {
	if s.dropped.Load() {
		s.reader = engine.Reader{}
		return engine.Chunk{}, false
	}
	chunk, ok, sends := c.Engine.Take(&s.state, &s.reader)
	if sends {
		c.Update()
	}
	if ok {
		c.Account()
	}
	return chunk, ok
}
