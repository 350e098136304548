package mxp

import (
	"context"
	"slices"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
)

// Kind says how the messages of a method flow.
type Kind uint8

// The kinds of methods.
const (
	KindCall   Kind = iota // a request, and its answer
	KindEvent              // a request without an answer
	KindStream             // any number of one of them, or of both
)

// String is the kind's keyword in schemas.
func (k Kind) String() string { return [...]string{"call", "event", "stream"}[k%3] }

// Request is a request for a method: at the server a call, an event or a stream that has come, at
// the client a request about to be made. It belongs to the handler.
type Request struct {
	Service string // by its full name
	Method  uint16
	// Name is that of the method in its schema. It is empty where handlers are
	// registered, and methods named, by number.
	Name string
	Kind Kind
	// Idempotent says that the schema lets the method be asked again.
	Idempotent bool
	Metadata   []Metadatum
	// Peer is the peer that asks; nil at the client.
	Peer *Peer
	// Value is the request as bytes. That of a stream whose requests flow is empty.
	Value []byte

	conn    *conn          // at the server, the one that it came on
	stream  *Stream        // at the server, the one to serve
	answer  []Metadatum    // at the server, of the reply
	opened  **Stream       // at the client, where the one that is opened goes to
	options requestOptions // at the client
}

// Handler does what a request asks for. The reply to a request that is no call is ignored.
type Handler func(ctx context.Context, r *Request) (Reply, error)

// Interceptor stands around all requests of a client or a server. It may look at
// the request and change it, ask next for the answer, no times or several, and look
// at the answer and change it. It hands on the request that it was given, or a copy
// of that.
//
// At a server, next is the handler; that of a stream returns when the stream ends.
// At a client, next makes the request; of a stream it opens it, and its context is
// the stream's from then on. A server's interceptor that refuses a request before
// anybody has acted on it returns what Refuse makes.
type Interceptor func(ctx context.Context, r *Request, next Handler) (Reply, error)

// intercepted is a handler with interceptors around it. The first is the outermost.
func intercepted(interceptors []Interceptor, handler Handler) Handler {
	for _, one := range slices.Backward(interceptors) {
		next := handler
		handler = func(ctx context.Context, r *Request) (Reply, error) { return one(ctx, r, next) }
	}
	return handler
}

// Refuse makes an error of a failure that says nobody has acted on the request. Of
// a *Failure that a handler returns as it is, the peer is told that somebody may
// have.
func Refuse(f Failure) error {
	f.Acted = false
	return &refusal{f}
}

// ErrUnimplemented refuses a request whose method has no code.
var ErrUnimplemented = Refuse(engine.MethodUnknown("the method is not implemented"))

type refusal struct{ failure Failure }

// Error is that of the failure.
func (r *refusal) Error() string { return r.failure.Error() }

// Unwrap gives the failure.
func (r *refusal) Unwrap() error { return &r.failure }

// Draining is closed when the request's connection drains or ends: either side then takes no new
// requests, and waits for the requests in flight. The handler of a stream that would go on for long
// may end it then. It is nil of a request that is about to be made.
func (r *Request) Draining() <-chan struct{} {
	if r.conn == nil {
		return nil
	}
	return r.conn.Drained()
}
