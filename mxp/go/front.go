package mxp

import "context"

// NewSender makes a sender whose values a function takes, for handlers that are called without
// a connection: by a front end of another protocol, or by a test. The sending handler calls the
// function, which may keep no value.
func NewSender[T any](send func(v *T) error) *Sender[T] { return &Sender[T]{send: send} }

// NewReceiver makes a receiver whose values a function gives, as NewSender does. The function
// gives a value of the receiver's own, io.EOF after the last one, and else a *Failure.
func NewReceiver[T any](receive func() (*T, error)) *Receiver[T] {
	return &Receiver[T]{receive: receive}
}

// WithRequest makes the context of a handler that is called without a connection, in which
// RequestFrom finds the request.
func WithRequest(ctx context.Context, r *Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// ReplyMetadata are the metadata that a handler has set by SetReplyMetadata in its context.
func ReplyMetadata(ctx context.Context) []Metadatum {
	if r := RequestFrom(ctx); r != nil {
		return r.answer
	}
	return nil
}

// FailureOf is the failure that a peer is told of a handler's error.
func FailureOf(err error) Failure { return failureOf(err) }
