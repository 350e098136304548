package mxp

import (
	"context"
	"errors"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/link"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Send sends a chunk, as soon as the peer has granted it. A chunk too large for the peer's window
// is refused with ErrStreamWindow, and the stream goes on. The value must not be changed
// afterwards.
func (s *Stream) Send(ctx context.Context, value []byte) error { return s.send(ctx, value, false) }

// send sends a chunk, whose buffer others may have that is lent, unless it is copied.
func (s *Stream) send(ctx context.Context, value []byte, lend bool) error {
	if s.join(func(core *session.Session) bool { return core.JoinChunk(s.state.ID, value) }) {
		return nil
	}
	for {
		c := s.lock()
		if s.state.Failure == nil {
			err := c.InLine(ctx, engine.Bulk, false, func() error { return c.Engine.Chunk(&s.state, value, lend) }, (*link.Conn).Update)
			if err == nil || !errors.Is(err, session.ErrStreamCredit) {
				if err != nil {
					err = s.located(failed(c.Engine.Refused(err), true))
				}
				c.Unlock()
				return err
			}
		}
		if err := s.offer(ctx, c, len(value)+engine.ItemBytes); err != nil {
			return err
		}
	}
}

// join adds to the frame that was made last, and reports whether anything was.
func (s *Stream) join(do func(*session.Session) bool) bool {
	c := s.lock()
	defer c.Unlock()
	return c.Engine.Join(&s.state, do)
}

// offer waits for the peer's credit, or for the stream's end. The bytes to be sent count meanwhile:
// a peer that grants nothing would have handlers keep them [MXP-15.4]. The lock is let go of.
func (s *Stream) offer(ctx context.Context, c *conn, bytes int) error {
	c.Engine.Offered += bytes
	c.Account()
	err := s.wait(ctx, c)
	c.Lock()
	defer c.Unlock()
	c.Engine.Offered -= bytes
	c.Account()
	return err
}
