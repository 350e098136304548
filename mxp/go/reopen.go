package mxp

import (
	"context"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
)

// reopener is how a stream is opened anew, on which at most its end was sent and nothing has
// come.
type reopener struct {
	client *Client
	ctx    context.Context // the stream's
	asked  Request
	repetition
	engine.Reopener // under the lock of the stream's connection
}

// opening opens a stream.
func (c *Client) opening(ctx context.Context, r *Request) (*Stream, error) {
	asked := *r
	asked.opened = nil
	again := &reopener{client: c, ctx: ctx, asked: asked, repetition: repetition{of: r.target()}}
	s := &Stream{of: r.target(), waits: waitOf(ctx), again: again}
	s.state = engine.Stream{
		Mine: true, Window: engine.WindowOf(r.Service, c.common.Window), User: (*streamUser)(s), Closed: r.options.final, Reopen: &again.Reopener,
	}
	if err := c.with(ctx, &again.repetition, func(conn *conn) error { return conn.open(ctx, &again.asked, s) }); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { s.cancel(ctx.Err()) })
	on := s.lock()
	defer on.Unlock()
	if s.stop = stop; !on.Engine.Has(&s.state) && s.state.Reopen == nil {
		stop() // it has ended already
	}
	return s, nil
}

// reopen opens the stream anew that has failed on a connection. It gives up when a
// context ends, and the stream fails then if that is its own.
func (s *Stream) reopen(ctx context.Context, old *conn) error {
	a := s.again
	both, cancel := context.WithCancel(a.ctx)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	opens, err := a.repetition.again(both, a.client, old, a.Why)
	if opens {
		err = a.client.with(both, &a.repetition, func(conn *conn) error { return conn.open(both, &a.asked, s) })
	}
	c := s.lock()
	a.Busy = false
	switch {
	case err != nil && ctx.Err() != nil && a.ctx.Err() == nil:
		err = s.located(failed(ctx.Err(), true)) // another may try again
	case err != nil && s.state.Reopen != nil:
		c.Engine.GiveUp(&s.state, s.located(err))
		err = nil // it is the stream's
	default:
		err = nil
	}
	(*streamUser)(s).Wake()
	gone := s.state.Gone
	c.Unlock()
	if gone {
		s.cancel(context.Canceled)
	}
	return err
}
