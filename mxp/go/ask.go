package mxp

import (
	"context"
	"errors"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/draw"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Call asks for an answer, until the context ends. The value must not be changed
// before that. An error is a *Failure, unless an interceptor returned another.
func (c *Client) Call(ctx context.Context, service string, method uint16, value []byte, options ...Option) (Reply, error) {
	return c.ask(ctx, &Request{Service: service, Method: method, Kind: KindCall, Value: value}, options)
}

// Event sends an event. The value must not be changed afterwards.
func (c *Client) Event(ctx context.Context, service string, method uint16, value []byte, options ...Option) error {
	_, err := c.ask(ctx, &Request{Service: service, Method: method, Kind: KindEvent, Value: value}, options)
	return err
}

// Open opens a stream, which ends with the context. The value is for the handler,
// beside the chunks.
func (c *Client) Open(ctx context.Context, service string, method uint16, value []byte, options ...Option) (*Stream, error) {
	return c.open(ctx, &Request{Service: service, Method: method, Kind: KindStream, Value: value}, options)
}

// ask makes a request by way of the interceptors.
func (c *Client) ask(ctx context.Context, r *Request, options []Option) (Reply, error) {
	if len(options) > 0 {
		r.options = chosen(r.options, options)
		r.Metadata = r.options.metadata
	}
	reply, err := c.intercepted(ctx, r)
	if err == nil && r.options.read != nil {
		*r.options.read = reply.Metadata
	}
	return reply, err
}

func (c *Client) intercepted(ctx context.Context, r *Request) (Reply, error) {
	if c.make == nil {
		return c.told(ctx, r)
	}
	asked := *r // the one that was given need not be on the heap
	reply, err := c.make(ctx, &asked)
	if err != nil {
		err = engine.Located(err, r.target(), c.at)
	}
	return reply, err
}

func chosen(o requestOptions, options []Option) requestOptions {
	for _, option := range options {
		option(&o)
	}
	return o
}

// open makes a request for a stream, and gives the last one that was opened.
func (c *Client) open(ctx context.Context, r *Request, options []Option) (*Stream, error) {
	var s *Stream
	r.opened = &s
	_, err := c.ask(ctx, r, options)
	switch {
	case err == nil && s == nil:
		f := Failure{Status: session.StatusInternal, Name: "unknown", Text: "an interceptor has opened no stream"}
		return nil, engine.Located(&f, r.target(), c.at)
	case err != nil && s != nil:
		s.Close()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// told makes a request that somebody may be told of, with all its repetitions.
func (c *Client) told(ctx context.Context, r *Request) (Reply, error) {
	if c.telemetry == nil {
		return c.retried(ctx, r)
	}
	ctx, one := c.telemetry.begin(ctx, r, false)
	reply, err := c.retried(ctx, r)
	if r.Kind == KindStream && err == nil {
		(*r.opened).tell(one)
	} else {
		one.end(err)
	}
	return reply, err
}

// retried makes a request, again if its policy says so. Interceptors stand around it all.
func (c *Client) retried(ctx context.Context, r *Request) (Reply, error) {
	policy := c.retry
	if r.options.retries {
		policy = r.options.retry
	}
	if policy == nil || r.Kind == KindStream || r.Kind == KindEvent && !r.options.ack {
		return c.request(ctx, r)
	}
	until, has := ctx.Deadline()
	if !has && policy.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, policy.Timeout)
		defer cancel()
		until, _ = ctx.Deadline()
	}
	retry := engine.Retry{Policy: *policy, Made: 1, Idempotent: r.Idempotent}
	c.budgeted(func(b *engine.RetryBudget) bool { b.Earn(policy.Budget); return true })
	for {
		reply, err := c.hedged(ctx, r, &retry)
		var rest time.Duration
		if !c.budgeted(func(b *engine.RetryBudget) (again bool) {
			rest, again = retry.Pause(err, until, time.Now(), b, draw.Part)
			return again
		}) {
			return reply, err
		}
		select {
		case <-time.After(rest):
		case <-ctx.Done():
			return reply, err
		case <-c.asks.Done():
			return reply, err
		}
	}
}

// budgeted uses the client's budget of repetitions under its lock.
func (c *Client) budgeted(do func(*engine.RetryBudget) bool) bool {
	c.spending.Lock()
	defer c.spending.Unlock()
	return do(&c.retries)
}

// request makes a request.
func (c *Client) request(ctx context.Context, r *Request) (Reply, error) {
	if c.joined(ctx, r) {
		return Reply{}, nil
	}
	waits := waitOf(ctx)
	meter, began := c.common.meters.begin(r, false), time.Since(epoch)
	reply, err := c.attempt(ctx, r)
	if err != nil {
		err = engine.Located(waits.Explained(err, time.Now()), r.target(), c.at)
	}
	if r.Kind == KindStream && err == nil {
		(*r.opened).metered(meter, began)
	} else {
		meter.end(time.Since(epoch)-began, err)
	}
	return reply, err
}

// attempt makes a request, whose failure says nothing of where it is from.
func (c *Client) attempt(ctx context.Context, r *Request) (reply Reply, err error) {
	switch r.Kind {
	case KindCall:
		err = c.with(ctx, &repetition{of: r.target(), first: r.options.first}, func(conn *conn) error {
			reply, err = conn.call(ctx, r)
			return err
		})
	case KindEvent:
		err = c.with(ctx, &repetition{of: r.target()}, func(conn *conn) error { return conn.event(ctx, r) })
	default:
		if *r.opened != nil {
			(*r.opened).Close() // an interceptor asks again
		}
		*r.opened, err = c.opening(ctx, r)
	}
	return reply, err
}

// joined sends an event that can share the frame of waiting events, without measuring the time it
// takes, and reports whether it did.
func (c *Client) joined(ctx context.Context, r *Request) bool {
	if r.Kind != KindEvent || r.options.ack {
		return false
	}
	conn := c.chosen()
	if conn == nil || !conn.join(ctx, r) {
		return false
	}
	c.common.meters.find(r, false).several(1, 0)
	return true
}

// repetition is the state of a request that may be made again.
type repetition struct {
	of     engine.Target // the method
	first  *conn         // on which it is made for the first time; nil for any
	repeat engine.Repeat
}

// with does something on a connection, and does it again as long as nobody has acted on
// it and it may yet be done.
func (c *Client) with(ctx context.Context, r *repetition, do func(*conn) error) error {
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

// again reports whether a request that has failed on a connection is to be made again,
// and waits before that if need be [MXP-14.6, MXP-14.7]. If not, it says why the request
// has ended.
func (r *repetition) again(ctx context.Context, c *Client, conn *conn, err error) (bool, error) {
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
	case <-c.asks.Done():
		return false, err
	case <-ctx.Done():
	}
	err = failed(ctx.Err(), false)
	if late := (*Failure)(nil); errors.As(err, &late) && errors.Is(late, session.ErrDeadlineExceeded) {
		late.Text = f.Name
	}
	return false, err
}
