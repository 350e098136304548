package mxp

import (
	"context"
	"errors"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/draw"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// repeating is what is known of a request that is made again.
type repeating struct {
	of     engine.Target // the method
	first  *conn         // on which it is made for the first time; nil for any
	repeat engine.Repeat
}

// again reports whether a request that has failed on a connection is to be made again,
// and waits before that if need be [MXP-14.6, MXP-14.7]. If not, it says why the request
// has ended.
func (r *repeating) again(ctx context.Context, c *Client, conn *conn, err error) (bool, error) {
	var f *Failure
	if !errors.As(err, &f) {
		return false, err
	}
	deadline, _ := ctx.Deadline()
	conn.Lock()
	ended := conn.Engine.Why
	conn.Unlock()
	again, rest := r.repeat.Next(f, &ended, deadline, time.Now(), c.options.ConnectTimeout, draw.Part)
	switch again {
	case engine.NoMore:
		return false, err
	case engine.Elsewhere:
		c.unset(conn, "the connection takes no more requests")
		return true, nil
	}
	select {
	case <-time.After(rest):
		return true, nil
	case <-ctx.Done():
	}
	err = failed(ctx.Err(), false)
	if late := (*Failure)(nil); errors.As(err, &late) && errors.Is(late, session.ErrDeadlineExceeded) {
		late.Text = f.Name
	}
	return false, err
}

// with does something on a connection, and does it again as long as nobody has acted on
// it and it may yet be done.
func (c *Client) with(ctx context.Context, r *repeating, do func(*conn) error) error {
	for {
		conn, err := r.first, error(nil)
		if conn == nil {
			if conn, err = c.current(ctx); err != nil {
				return err
			}
		}
		r.first = nil
		if err = do(conn); err == nil {
			return nil
		}
		if again, err := r.again(ctx, c, conn, err); !again {
			return engine.Located(err, r.of, conn.options.Peer)
		}
	}
}

// reopening is how a stream is opened anew, on which at most its end was sent and nothing has
// come.
type reopening struct {
	client *Client
	ctx    context.Context // the stream's
	asked  Request
	repeating
	engine.Reopening // under the lock of the stream's connection
}

// opening opens a stream.
func (c *Client) opening(ctx context.Context, r *Request) (*Stream, error) {
	asked := *r
	asked.opened = nil
	again := &reopening{client: c, ctx: ctx, asked: asked, repeating: repeating{of: r.target()}}
	s := &Stream{of: r.target(), waits: waitOf(ctx), again: again}
	s.state = engine.Stream{
		Mine: true, Window: engine.WindowOf(r.Service, c.common.Window), User: (*streamUser)(s), Closed: r.options.final, Reopen: &again.Reopening,
	}
	if err := c.with(ctx, &again.repeating, func(conn *conn) error { return conn.open(ctx, &again.asked, s) }); err != nil {
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
	opens, err := a.repeating.again(both, a.client, old, a.Why)
	if opens {
		err = a.client.with(both, &a.repeating, func(conn *conn) error { return conn.open(both, &a.asked, s) })
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
