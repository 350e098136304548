package mxp

import (
	"context"
	"time"

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
		err = c.with(ctx, &repeating{of: r.target(), first: r.options.first}, func(conn *conn) error {
			reply, err = conn.call(ctx, r)
			return err
		})
	case KindEvent:
		err = c.with(ctx, &repeating{of: r.target()}, func(conn *conn) error { return conn.event(ctx, r) })
	default:
		if *r.opened != nil {
			(*r.opened).Close() // an interceptor asks again
		}
		*r.opened, err = c.opening(ctx, r)
	}
	return reply, err
}
