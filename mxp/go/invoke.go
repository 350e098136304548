package mxp

import (
	"context"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
)

// The functions that follow are called by generated clients, in which the types are right.

// Invoke asks for an answer, as Client.Call does.
func Invoke[A, Q any, PA Message[A], PQ Message[Q]](ctx context.Context, c *Client, m *Method, request *Q, options ...Option) (*A, error) {
	value, err := encoded[Q, PQ](request)
	if err != nil {
		return nil, engine.Located(err, targetOf(m), c.at)
	}
	reply, err := c.ask(ctx, requestOf(m, KindCall, value), options)
	if err != nil {
		return nil, err
	}
	answer, err := decoded[A, PA](reply.Value)
	if err != nil {
		return nil, engine.Located(badResponse(err), targetOf(m), c.at)
	}
	return answer, nil
}

// Publish sends an event, as Client.Event does.
func Publish[Q any, PQ Message[Q]](ctx context.Context, c *Client, m *Method, request *Q, options ...Option) error {
	value, err := encoded[Q, PQ](request)
	if err != nil {
		return engine.Located(err, targetOf(m), c.at)
	}
	_, err = c.ask(ctx, requestOf(m, KindEvent, value), options)
	return err
}

// OpenServerStream opens a stream of which only the responses flow.
func OpenServerStream[A, Q any, PA Message[A], PQ Message[Q]](ctx context.Context, c *Client, m *Method, request *Q, options ...Option) (*Receiver[A], error) {
	value, err := encoded[Q, PQ](request)
	if err != nil {
		return nil, engine.Located(err, targetOf(m), c.at)
	}
	r := requestOf(m, KindStream, value)
	r.options.final = true
	s, err := c.open(ctx, r, options)
	if err != nil {
		return nil, err
	}
	receiver := newReceiver[A, PA](ctx, s)
	return &receiver, nil
}

// OpenClientStream opens a stream of which only the requests flow.
func OpenClientStream[Q, A any, PQ Message[Q], PA Message[A]](ctx context.Context, c *Client, m *Method, options ...Option) (*ClientStream[Q, A], error) {
	s, err := c.open(ctx, requestOf(m, KindStream, nil), options)
	if err != nil {
		return nil, err
	}
	return &ClientStream[Q, A]{newSender[Q, PQ](ctx, s), newReceiver[A, PA](ctx, s)}, nil
}

// OpenBidiStream opens a stream of which both directions flow.
func OpenBidiStream[Q, A any, PQ Message[Q], PA Message[A]](ctx context.Context, c *Client, m *Method, options ...Option) (*BidiStream[Q, A], error) {
	s, err := c.open(ctx, requestOf(m, KindStream, nil), options)
	if err != nil {
		return nil, err
	}
	return &BidiStream[Q, A]{newSender[Q, PQ](ctx, s), newReceiver[A, PA](ctx, s)}, nil
}

func requestOf(m *Method, kind Kind, value []byte) *Request {
	return &Request{Service: m.Service, Method: m.Number, Name: m.Name, Kind: kind, Idempotent: m.Idempotent, Value: value}
}

func targetOf(m *Method) engine.Target {
	return engine.Target{Service: m.Service, Name: m.Name, Number: m.Number}
}
