package mxp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Failure says why a request, or a connection, ended; and whether the peer may
// have acted on it. Handlers return one to choose what the peer is told.
type Failure = session.Failure

// Metadatum is a key and a value that travel beside a request or its answer.
type Metadatum = session.Metadatum

// Type is a type of a schema, by what tells whether two peers mean the same by it.
type Type = session.Type

// CallHandler answers a call. The context ends when the deadline passes, the
// caller cancels, or the connection is gone. An error that is a *Failure is told
// to the caller as it is; another is told as StatusUnknown with its text.
type CallHandler func(ctx context.Context, r *Request) ([]byte, error)

// EventHandler takes an event. Events, calls and streams behind it on its connection begin when the
// handler has returned, and nothing is read while too many events wait: long work belongs into a
// goroutine of its own. An event that asks for an Ack has it when the handler returns nil.
type EventHandler func(ctx context.Context, r *Request) error

// StreamHandler serves a stream, which ends when it returns.
type StreamHandler func(ctx context.Context, r *Request, s *Stream) error

// Services are what one side serves. They are registered before they are used.
type Services struct {
	names []string
	list  []*Service
	types []Type
	by    []Interceptor
}

// Service has the handlers of one service, by the numbers of its methods.
type Service struct {
	name    string
	all     *Services
	methods map[uint16]*handlerEntry
}

// handlerEntry is a method that has a handler.
type handlerEntry struct {
	Method
	kind    Kind
	flows   flows
	handler Handler // alone
	run     Handler // with the interceptors around it
}

// NewServices makes an empty list.
func NewServices() *Services { return &Services{} }

// Service gives the service of a full name, and adds it if it is new.
func (s *Services) Service(name string) *Service {
	for _, one := range s.list {
		if one.name == name {
			return one
		}
	}
	one := &Service{name, s, map[uint16]*handlerEntry{}}
	s.names, s.list = append(s.names, name), append(s.list, one)
	return one
}

// Intercept puts interceptors around all handlers, inside of earlier interceptors. The first that
// is given is the outermost.
func (s *Services) Intercept(interceptors ...Interceptor) {
	s.by = append(s.by, interceptors...)
	for _, service := range s.list {
		for _, one := range service.methods {
			one.run = guarded(s.by, one.handler)
		}
	}
}

// Reaches adds types to the types that peers compare before the first request [MXP-13.3].
func (s *Service) Reaches(types ...Type) *Service {
	s.all.types = append(s.all.types, types...)
	return s
}

// Call registers the handler of a method. A number that has one already panics.
func (s *Service) Call(method uint16, handler CallHandler) *Service {
	return s.register(Method{Number: method}, KindCall, flows{}, func(ctx context.Context, r *Request) (Reply, error) {
		value, err := handler(ctx, r)
		return replyOf(ctx, value), err
	})
}

// Event registers the handler of an event.
func (s *Service) Event(method uint16, handler EventHandler) *Service {
	return s.register(Method{Number: method}, KindEvent, flows{}, func(ctx context.Context, r *Request) (Reply, error) {
		return Reply{}, handler(ctx, r)
	})
}

// Stream registers the handler of a stream.
func (s *Service) Stream(method uint16, handler StreamHandler) *Service {
	return s.register(Method{Number: method}, KindStream, flows{}, func(ctx context.Context, r *Request) (Reply, error) {
		return Reply{}, handler(ctx, r, r.stream)
	})
}

func (s *Service) register(method Method, kind Kind, flows flows, handler Handler) *Service {
	if s.methods[method.Number] != nil {
		panic(fmt.Sprintf("mxp: %s has two methods %d", s.name, method.Number))
	}
	s.methods[method.Number] = &handlerEntry{method, kind, flows, handler, guarded(s.all.by, handler)}
	return s
}

// find gives the name of a request's service, which the session has checked, and
// the method; nil if there is none of the kind.
func (s *Services) find(service, number uint16, kind Kind) (name string, method *handlerEntry) {
	one := s.list[service]
	if method = one.methods[number]; method != nil && method.kind != kind {
		method = nil
	}
	return one.name, method
}

// Handle lets the handler of a call or an event, and the interceptors around it, answer a request
// that has come by another way than a connection. Its service, method, kind and value count; the
// answer's metadata are the metadata set for it. A panic is the caller's.
func (s *Services) Handle(ctx context.Context, r *Request) (Reply, error) {
	at := slices.Index(s.names, r.Service)
	if at < 0 || r.Kind == KindStream {
		return Reply{}, ErrUnimplemented
	}
	_, method := s.find(uint16(at), r.Method, r.Kind)
	if method == nil {
		return Reply{}, ErrUnimplemented
	}
	r.Name, r.Idempotent = method.Name, method.Idempotent
	return method.run(context.WithValue(ctx, requestKey{}, r), r)
}

// methodsText says which methods there are instead of one that was asked for.
func (s *Service) methodsText(kind Kind, number uint16) string {
	var names []engine.MethodName
	for _, m := range s.methods {
		names = append(names, engine.MethodName{Kind: m.kind.String(), Name: m.Name, Number: m.Number})
	}
	return engine.MethodsText(s.name, kind.String(), number, names)
}

// fill makes a request what a handler is given, whose own the value is.
func (m *handlerEntry) fill(r *Request, c *conn, service string, metadata []Metadatum, value []byte) {
	*r = Request{
		Service: service, Method: m.Number, Name: m.Name, Kind: m.kind, Idempotent: m.Idempotent,
		Metadata: engine.Owned(metadata), Value: value, Peer: c.options.who, conn: c,
	}
}

// failureOf is the failure that a peer is told for a handler's error.
func failureOf(err error) Failure {
	var refused *refusal
	var f *Failure
	var kind session.Kind
	switch {
	case errors.As(err, &refused):
		return refused.failure
	case errors.As(err, &f):
		failure := *f
		failure.Acted = true
		return failure
	case errors.As(err, &kind):
		return engine.Refusal(kind, true)
	case errors.Is(err, context.DeadlineExceeded):
		return engine.Refusal(session.ErrDeadlineExceeded, true)
	case errors.Is(err, context.Canceled):
		return engine.Refusal(session.ErrCancelled, true)
	}
	return Failure{Status: session.StatusUnknown, Name: "unknown", Text: err.Error(), Acted: true}
}
