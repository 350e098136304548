package mxp

import (
	"context"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// The functions that follow are called by generated code that registers a server's methods.

// HandleCall registers what answers a call.
func HandleCall[Q, A any, PQ Message[Q], PA Message[A]](s *Services, m *Method, answer func(context.Context, *Q) (*A, error)) {
	s.handle(m, KindCall, flows{}, func(ctx context.Context, r *Request) (Reply, error) {
		request, err := decoded[Q, PQ](r.Value)
		if err != nil {
			return Reply{}, badRequest(err)
		}
		response, err := answer(ctx, request)
		if err != nil {
			return Reply{}, err
		}
		value, err := answered[A, PA](m, response)
		return replyOf(ctx, value), err
	})
}

// HandleEvent registers what takes an event.
func HandleEvent[Q any, PQ Message[Q]](s *Services, m *Method, take func(context.Context, *Q) error) {
	s.handle(m, KindEvent, flows{}, func(ctx context.Context, r *Request) (Reply, error) {
		request, err := decoded[Q, PQ](r.Value)
		if err != nil {
			return Reply{}, badRequest(err)
		}
		return Reply{}, take(ctx, request)
	})
}

// HandleServerStream registers what serves a stream of which only the responses
// flow.
func HandleServerStream[Q, A any, PQ Message[Q], PA Message[A]](s *Services, m *Method, serve func(context.Context, *Q, *Sender[A]) error) {
	s.handle(m, KindStream, flows{responses: true}, func(ctx context.Context, r *Request) (Reply, error) {
		request, err := decoded[Q, PQ](r.Value)
		if err != nil {
			return Reply{}, badRequest(err)
		}
		sender := newSender[A, PA](ctx, r.stream)
		return Reply{}, serve(ctx, request, &sender)
	})
}

// HandleClientStream registers what serves a stream of which only the requests
// flow.
func HandleClientStream[Q, A any, PQ Message[Q], PA Message[A]](s *Services, m *Method, serve func(context.Context, *Receiver[Q]) (*A, error)) {
	s.handle(m, KindStream, flows{requests: true}, func(ctx context.Context, r *Request) (Reply, error) {
		receiver := newReceiver[Q, PQ](ctx, r.stream)
		response, err := serve(ctx, &receiver)
		if err != nil {
			return Reply{}, err
		}
		value, err := answered[A, PA](m, response)
		if err != nil {
			return Reply{}, err
		}
		return Reply{}, r.stream.Send(ctx, value)
	})
}

// HandleBidiStream registers what serves a stream of which both directions flow.
func HandleBidiStream[Q, A any, PQ Message[Q], PA Message[A]](s *Services, m *Method, serve func(context.Context, *Receiver[Q], *Sender[A]) error) {
	s.handle(m, KindStream, flows{requests: true, responses: true}, func(ctx context.Context, r *Request) (Reply, error) {
		receiver, sender := newReceiver[Q, PQ](ctx, r.stream), newSender[A, PA](ctx, r.stream)
		return Reply{}, serve(ctx, &receiver, &sender)
	})
}

func (s *Services) handle(m *Method, kind Kind, flows flows, handler Handler) {
	s.Service(m.Service).register(*m, kind, flows, handler)
}

// answered is a response as bytes.
func answered[A any, PA Message[A]](m *Method, response *A) ([]byte, error) {
	if response == nil {
		return nil, &Failure{Status: session.StatusInternal, Name: "unknown", Text: "the handler of " + m.String() + " has answered nothing"}
	}
	value, err := PA(response).AppendBinary(nil)
	if err != nil {
		return nil, codecFailure(err, session.StatusInternal) // [MXP-13.7]
	}
	return value, nil
}
