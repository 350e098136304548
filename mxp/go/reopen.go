package mxp

import (
	"context"
	"errors"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/draw"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Pauses before a request is made again that the peer had no place for [MXP-14.7]: a
// random part of a time that doubles.
const (
	crowdedMin = time.Millisecond
	crowdedMax = 100 * time.Millisecond
)

// repeating is what is known of a request that is made again.
type repeating struct {
	of    target        // the method
	first *conn         // on which it is made for the first time; nil for any
	pause time.Duration // the longest of the next one
	until time.Time     // when it is made again for the last time, since the peer had no place
}

// again reports whether a request that has failed on a connection is to be made again,
// and waits before that if need be [MXP-14.6, MXP-14.7]. If not, it says why the request
// has ended.
func (r *repeating) again(ctx context.Context, c *Client, conn *conn, err error) (bool, error) {
	var f *Failure
	switch {
	case !errors.As(err, &f) || f.Acted:
		return false, err
	case isCrowded(f):
		return r.wait(ctx, c.options.ConnectTimeout, f)
	case conn.takesNoMore(f):
		c.unset(conn, "the connection takes no more requests")
		return true, nil
	}
	return false, err
}

func isCrowded(f *Failure) bool {
	return errors.Is(f, session.ErrLimitInFlight) || errors.Is(f, session.ErrLimitInFlightBytes)
}

// takesNoMore reports whether a request has failed since its connection takes no more,
// and the next one may.
func (c *conn) takesNoMore(f *Failure) bool {
	if errors.Is(f, session.ErrDraining) || errors.Is(f, session.ErrClosed) {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return f.Name == c.why.Name && f.Status == c.why.Status && mayHeal(f)
}

// wait waits until the peer may have a place: until the request's deadline, or for most
// where there is none.
func (r *repeating) wait(ctx context.Context, most time.Duration, f *Failure) (bool, error) {
	if r.until.IsZero() {
		r.until = time.Now().Add(most)
		if deadline, has := ctx.Deadline(); has {
			r.until = deadline
		}
	}
	r.pause = min(max(2*r.pause, crowdedMin), crowdedMax)
	pause := draw.Pause(r.pause)
	if time.Until(r.until) <= pause {
		return false, f
	}
	select {
	case <-time.After(pause):
		return true, nil
	case <-ctx.Done():
	}
	err := failed(ctx.Err(), false)
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
			return located(err, r.of, conn.options.peer)
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

	// Under the lock of the stream's connection.
	why  *Failure
	busy bool // somebody is at it
}

// opening opens a stream.
func (c *Client) opening(ctx context.Context, r *Request) (*Stream, error) {
	asked := *r
	asked.opened = nil
	again := &reopening{client: c, ctx: ctx, asked: asked, repeating: repeating{of: r.target()}}
	s := &Stream{mine: true, of: r.target(), waits: waitingOf(ctx), closed: r.options.final, again: again}
	if err := c.with(ctx, &again.repeating, func(conn *conn) error { return conn.open(ctx, &again.asked, s) }); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { s.cancel(ctx.Err()) })
	on := s.lock()
	defer on.mu.Unlock()
	if s.stop = stop; on.streams[s.id] != s && s.again == nil {
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
	opens, err := a.repeating.again(both, a.client, old, a.why)
	if opens {
		err = a.client.with(both, &a.repeating, func(conn *conn) error { return conn.open(both, &a.asked, s) })
	}
	c := s.lock()
	a.busy = false
	switch {
	case err != nil && ctx.Err() != nil && a.ctx.Err() == nil:
		err = s.located(failed(ctx.Err(), true)) // another may try again
	case err != nil && s.again != nil:
		s.again, s.failure = nil, s.located(err)
		s.leave(c)
		err = nil // it is the stream's
	default:
		err = nil
	}
	s.wake()
	gone := s.gone
	c.mu.Unlock()
	if gone {
		s.cancel(context.Canceled)
	}
	return err
}
