package talk

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Request is one request of the user's.
type Request struct {
	// Address is that of a peer, or of agents of a mesh.
	Address string
	Catalog *Catalog
	Method  *Method
	// In has the JSON of the request, or of all requests where they flow.
	In     io.Reader
	InName string // as messages show it
	Rules
	Metadata []session.Metadatum
	// Deadline is how long connecting and the answer may take together; 0 is for
	// ever. Of a stream without one, only connecting has an end.
	Deadline time.Duration
	// Ack asks for the Ack of an event.
	Ack bool
	TLS *tls.Config
	// Client is connected, or will be, to the address; nil makes one for the request.
	Client *mxp.Client
	// Answered is told each answer as JSON in one line, as it comes.
	Answered func(line string) error
	// Connected is told when the peer is ready.
	Connected func()
	// Replied is told the metadata of a call's answer.
	Replied func([]session.Metadatum)
}

// patience is how long a stream may take to be opened if nothing else is said.
const patience = 10 * time.Second

// InputError says that the JSON of a request can't be one.
type InputError struct {
	Name string // of the input
	Err  error
}

// Error is the input's name and its error.
func (e *InputError) Error() string { return e.Name + ": " + e.Err.Error() }

// Unwrap is the error of the input.
func (e *InputError) Unwrap() error { return e.Err }

// Do makes the request and waits for its end. The error at its end is a *mxp.Failure, unless it
// never was sent.
func (r *Request) Do(ctx context.Context) error {
	var value []byte
	if !r.Method.RequestFlows {
		text, err := io.ReadAll(r.In)
		if err != nil {
			return &InputError{r.InName, err}
		}
		if value, err = oneValue(r.Method.Request, text, r.Rules); err != nil {
			return &InputError{r.InName, err}
		}
	}
	if r.Deadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.Deadline)
		defer cancel()
	}
	client := r.Client
	if client == nil {
		var err error
		if client, err = connect(ctx, r.Address, r.Catalog.Types(r.Method.Service), r.TLS); err != nil {
			return err
		}
		defer leave(client)
	}
	r.Connected()
	switch r.Method.Kind {
	case ir.Event:
		return client.Event(ctx, r.Method.Service, r.Method.Number, value, r.options()...)
	case ir.Stream:
		return r.stream(ctx, client, value)
	}
	reply, err := client.Call(ctx, r.Method.Service, r.Method.Number, value, r.options()...)
	if err != nil {
		return err
	}
	r.Replied(reply.Metadata)
	return r.answer(reply.Value)
}

// leavingMax is how long what waits may take to be sent at the end: an event, or
// that a request was cancelled.
const leavingMax = time.Second

func leave(client *mxp.Client) {
	ctx, cancel := context.WithTimeout(context.Background(), leavingMax)
	defer cancel()
	_ = client.Shutdown(ctx) // the request has ended, and how is known
}

func (r *Request) options() []mxp.Option {
	options := metadataOptions(r.Metadata)
	if r.Ack {
		options = append(options, mxp.WithAck())
	}
	return options
}

// answer tells of an answer.
func (r *Request) answer(value []byte) error {
	line, err := Line(r.Method.Response, value)
	if err != nil {
		return undecoded(err, session.StatusDataLoss)
	}
	return r.Answered(line)
}

// stream sends requests and takes answers, at the same time.
func (r *Request) stream(ctx context.Context, client *mxp.Client, value []byte) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	slow := time.AfterFunc(patience, func() { cancel(errors.New("the stream was not opened in time")) })
	options := r.options()
	if !r.Method.RequestFlows {
		options = append(options, mxp.WithoutChunks())
	}
	s, err := client.Open(ctx, r.Method.Service, r.Method.Number, value, options...)
	slow.Stop()
	if err != nil {
		return because(ctx, err)
	}
	defer s.Close()
	if r.Method.RequestFlows {
		go func() {
			if err := r.send(ctx, s); err != nil {
				cancel(err)
			}
		}()
	}
	return because(ctx, r.receive(ctx, s))
}

// because is the reason for which a request was cancelled here, else the error.
func because(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if err == nil || cause == nil || errors.Is(cause, context.Canceled) || errors.Is(cause, context.DeadlineExceeded) {
		return err
	}
	return cause
}

// send sends the requests of the input. An end by the peer is for receive to tell.
func (r *Request) send(ctx context.Context, s *mxp.Stream) error {
	in := newValues(r.Method.Request, r.In, r.Rules)
	for {
		value, err := in.next()
		if errors.Is(err, io.EOF) {
			return ignored(s.CloseSend())
		}
		if err != nil {
			return &InputError{r.InName, err}
		}
		if err := s.Send(ctx, value); err != nil {
			return ignored(err)
		}
	}
}

func ignored(error) error { return nil }

// receive takes answers until there are no more. A single answer is told when it is known to be the
// only one [MXP-13.6].
func (r *Request) receive(ctx context.Context, s *mxp.Stream) error {
	var only []byte
	for n := 0; ; n++ {
		value, err := s.Recv(ctx)
		switch {
		case errors.Is(err, io.EOF) && r.Method.ResponseFlows:
			return nil
		case errors.Is(err, io.EOF) && n == 1:
			return r.answer(only)
		case errors.Is(err, io.EOF):
			return responses("the stream has ended without a response")
		case err != nil:
			return err
		case r.Method.ResponseFlows:
			if err := r.answer(value); err != nil {
				return err
			}
		case n == 1:
			return responses("the stream has more than one response")
		default:
			only = value
		}
	}
}

func responses(text string) error {
	return &mxp.Failure{Status: session.StatusInternal, Name: "stream_responses", Text: text, Acted: true}
}
