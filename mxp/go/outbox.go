package mxp

import (
	"context"
	"errors"
	"fmt"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Send sends a chunk, as soon as the peer has granted it. One that is larger than
// the peer's window lets through is refused with ErrStreamWindow, and the stream goes
// on. The value must not be changed afterwards.
func (s *Stream) Send(ctx context.Context, value []byte) error { return s.send(ctx, value, false) }

// send sends a chunk, whose buffer others may have that is lent, unless it is copied.
func (s *Stream) send(ctx context.Context, value []byte, lent bool) error {
	if s.join(func(of *session.Session) bool { return of.JoinChunk(s.id, value) }) {
		return nil
	}
	for {
		c := s.lock()
		if s.failure == nil {
			err := c.inLine(ctx, bulk, false, func(now uint64) error { return s.chunk(c, value, lent, now) }, (*conn).update)
			if err == nil || !errors.Is(err, session.ErrStreamCredit) {
				if err != nil {
					err = s.located(failed(c.refusedHere(err), true))
				}
				c.mu.Unlock()
				return err
			}
		}
		if err := s.offer(ctx, c, len(value)+itemBytes); err != nil {
			return err
		}
	}
}

// join adds to the frame that was made last, and reports whether anything was. Nothing else is
// to be done then: that frame waits for somebody who writes already.
func (s *Stream) join(do func(*session.Session) bool) bool {
	c := s.lock()
	joined := s.failure == nil && c.lines[forBulk].waiting.Len() == 0 && do(c.session)
	if joined {
		s.again = nil
	}
	c.mu.Unlock()
	return joined
}

// offer waits for the peer's credit, or for the stream's end. What is to be sent counts
// meanwhile: a peer that grants nothing would have handlers keep it [MXP-15.4]. The lock
// is let go of.
func (s *Stream) offer(ctx context.Context, c *conn, bytes int) error {
	c.offered += bytes
	c.account()
	err := s.wait(ctx, c)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offered -= bytes
	c.account()
	return err
}

// chunk sends a chunk, if the peer has granted it.
func (s *Stream) chunk(c *conn, value []byte, lent bool, now uint64) (err error) {
	switch {
	case s.failure != nil && s.again != nil:
		return session.ErrStreamCredit // there is some when the stream was opened anew
	case s.failure != nil:
		return s.failure
	}
	if most, known := c.session.LargestChunk(s.id); known && uint64(len(value)) > most {
		f := engine.Refusal(session.ErrStreamWindow, true)
		f.Text = fmt.Sprintf("a chunk of %d bytes, where the receiver's window lets %d through", len(value), most)
		return &f
	}
	if lent {
		err = c.session.LendChunk(s.id, value, now)
	} else {
		_, err = c.session.Chunk(s.id, value, false, false, now)
	}
	if err == nil {
		s.again = nil
	}
	return err
}
