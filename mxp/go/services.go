package mxp

import (
	"context"
	"errors"
	"fmt"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Failure says why a request, or a connection, ended; and whether the peer may
// have acted on it. Handlers return one to choose what the peer is told.
type Failure = session.Failure

// Metadatum is a key and a value that travel beside a request or its answer.
type Metadatum = session.Metadatum

// Request is a call or an event that has come. It belongs to the handler.
type Request struct {
	Service  string
	Method   uint16
	Metadata []Metadatum
	Value    []byte
}

// CallHandler answers a call. The context ends when the deadline passes, the
// caller cancels, or the connection is gone. An error that is a *Failure is told
// to the caller as it is; another is told as StatusUnknown with its text.
type CallHandler func(ctx context.Context, r *Request) ([]byte, error)

// EventHandler takes an event. Those of a connection are taken one after the
// other, and nothing else is read from it while too many wait. An event that asks
// for an Ack has it when the handler returns nil.
type EventHandler func(ctx context.Context, r *Request) error

// StreamHandler serves a stream, which ends when it returns.
type StreamHandler func(ctx context.Context, r *Request, s *Stream) error

// Services are what one side serves. They are registered before they are used.
type Services struct {
	names []string
	list  []*Service
}

// Service has the handlers of one service, by the numbers of its methods.
type Service struct {
	name    string
	methods map[uint16]any
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
	one := &Service{name, map[uint16]any{}}
	s.names, s.list = append(s.names, name), append(s.list, one)
	return one
}

// Call registers the handler of a method. A number that has one already panics.
func (s *Service) Call(method uint16, handler CallHandler) *Service {
	return s.register(method, handler)
}

// Event registers the handler of an event.
func (s *Service) Event(method uint16, handler EventHandler) *Service {
	return s.register(method, handler)
}

// Stream registers the handler of a stream.
func (s *Service) Stream(method uint16, handler StreamHandler) *Service {
	return s.register(method, handler)
}

func (s *Service) register(method uint16, handler any) *Service {
	if s.methods[method] != nil {
		panic(fmt.Sprintf("mxp: %s has two methods %d", s.name, method))
	}
	s.methods[method] = handler
	return s
}

// find gives the service and the handler of a request that the session has
// checked the service of.
func (s *Services) find(service, method uint16) (name string, handler any) {
	one := s.list[service]
	return one.name, one.methods[method]
}

// unknownMethod is what a peer is told who asks for a method that there is not.
var unknownMethod = Failure{Status: session.StatusUnimplemented, Name: session.ErrMethodUnknown.String()}

// failureOf is what a peer is told of a handler's error.
func failureOf(err error) Failure {
	var f *Failure
	var kind session.Kind
	switch {
	case errors.As(err, &f):
		told := *f
		told.Acted = true
		return told
	case errors.As(err, &kind):
		return refusal(kind, true)
	case errors.Is(err, context.DeadlineExceeded):
		return refusal(session.ErrDeadlineExceeded, true)
	case errors.Is(err, context.Canceled):
		return refusal(session.ErrCancelled, true)
	}
	return Failure{Status: session.StatusUnknown, Name: "unknown", Text: err.Error(), Acted: true}
}

func refusal(k session.Kind, acted bool) Failure {
	return Failure{Status: session.Status(k.Status()), Name: k.String(), Acted: acted}
}
