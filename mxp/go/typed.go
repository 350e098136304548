package mxp

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/buffers"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Sender sends the values of a stream, until the context ends that the stream was
// opened with, or that its handler was given. It is for one goroutine; another may
// receive meanwhile.
type Sender[T any] struct {
	ctx    context.Context
	stream *Stream
	append func(v *T, buffer []byte) ([]byte, error)
	last   int    // bytes of the value before
	small  []byte // where small values are made

	send func(v *T) error // takes values instead of a stream
}

func newSender[T any, P Message[T]](ctx context.Context, s *Stream) Sender[T] {
	return Sender[T]{ctx: ctx, stream: s, append: func(v *T, buffer []byte) ([]byte, error) { return P(v).AppendBinary(buffer) }}
}

// Send sends a value, as soon as the peer has granted it. The value is the caller's
// again when Send returns. A response that can't be encoded ends the stream.
func (s *Sender[T]) Send(v *T) error {
	if s.send != nil {
		return s.send(v)
	}
	value, err := s.encode(v)
	if err != nil {
		return s.refuse(err)
	}
	if err := s.stream.send(s.ctx, value, true); err != nil {
		return err
	}
	switch {
	case !session.Copies(len(value)):
	case cap(value) <= smallValueBytes:
		s.small = value[:0]
	default:
		buffers.Give(value)
	}
	return nil
}

// smallValueBytes is how much memory a sender keeps for the next value.
const smallValueBytes = 1 << 10

// encode makes a value's bytes, in a shared buffer if the previous value was large.
func (s *Sender[T]) encode(v *T) (value []byte, err error) {
	value, s.small = s.small, nil
	if s.last > smallValueBytes {
		value = buffers.Take(s.last)
	}
	value, err = s.append(v, value)
	s.last = len(value)
	return value, err
}

// refuse tells of a value that can't be encoded.
func (s *Sender[T]) refuse(err error) error {
	if s.stream.state.Mine {
		return s.stream.located(codecFailure(err, session.StatusInvalidArgument))
	}
	return s.stream.refuse(codecFailure(err, session.StatusInternal)) // [MXP-13.7]
}

// Receiver receives the values of a stream, until the context ends that the stream
// was opened with, or that its handler was given. It is for one goroutine; another
// may send meanwhile.
type Receiver[T any] struct {
	ctx    context.Context
	stream *Stream
	decode func(v *T, value []byte) error

	failure error // of a value, which ends the stream and is not told yet

	receive func() (*T, error) // gives values instead of a stream
}

func newReceiver[T any, P Message[T]](ctx context.Context, s *Stream) Receiver[T] {
	return Receiver[T]{ctx: ctx, stream: s, decode: func(v *T, value []byte) error { return P(v).UnmarshalBinary(value) }}
}

// Recv gives the next value, which is the caller's own, and io.EOF after the last
// one. Another error is a *Failure. A value that can't be decoded ends the stream.
func (r *Receiver[T]) Recv() (*T, error) {
	v := new(T)
	if err := r.RecvInto(v); err != nil {
		return nil, err
	}
	return v, nil
}

// RecvInto is Recv into a value that is there, whose slices and texts are used again as
// far as they have room: large values cost no memory then. After an error the value has
// no particular content.
func (r *Receiver[T]) RecvInto(v *T) error {
	if r.failure != nil {
		return r.failure
	}
	if r.receive != nil {
		one, err := r.receive()
		if err == nil {
			*v = *one
		}
		return err
	}
	if value, ok := r.stream.receiveOpen(); ok {
		return r.take(v, value)
	}
	one, err := r.stream.await(r.ctx)
	if err != nil {
		return err
	}
	return r.takeWith(v, one)
}

// takeWith is take, and lets others have the buffer of the value.
func (r *Receiver[T]) takeWith(v *T, chunk engine.Chunk) error {
	err := r.take(v, chunk.Value)
	if err == nil {
		buffers.Give(chunk.Buffer) // the value has copied what it keeps, as decoders do
	}
	return err
}

// take decodes a value, or ends the stream.
func (r *Receiver[T]) take(v *T, value []byte) error {
	if err := r.decode(v, value); err != nil {
		f := codecFailure(err, session.StatusInvalidArgument) // [MXP-13.4]
		if r.stream.state.Mine {
			f = badResponse(err)
		}
		return r.stream.refuse(f)
	}
	return nil
}

// All gives the values that are left. A failure is the last that it gives. Leaving
// the loop before ends a stream that was opened here, as Close does.
func (r *Receiver[T]) All() iter.Seq2[*T, error] { return all(r.Recv, r.Close) }

// Close ends a stream that was opened here and that is not read to its end, in both
// directions. A stream that the peer has opened ends with its handler.
func (r *Receiver[T]) Close() {
	if r.stream != nil && r.stream.state.Mine {
		r.stream.Close()
	}
}

// ClientStream is a stream that was opened here and has one response. It is ended
// by CloseAndRecv, by Close, or with its context.
type ClientStream[Q, A any] struct {
	Sender[Q]
	responses Receiver[A]
}

// CloseAndRecv says that no more is sent, and waits for the response. If Send has
// failed, it tells why the peer has ended the stream.
func (s *ClientStream[Q, A]) CloseAndRecv() (*A, error) {
	s.stream.CloseSend() // what is wrong with the stream, Recv tells
	response, err := s.responses.Recv()
	if err == nil {
		_, err = s.responses.stream.Recv(s.ctx)
		if errors.Is(err, io.EOF) {
			return response, nil
		}
	}
	if err == nil || errors.Is(err, io.EOF) { // more than one, or none [MXP-13.6]
		f := engine.Refusal(session.ErrStreamResponses, true)
		err = s.stream.refuse(&f)
	}
	return nil, err
}

// Close ends the stream without a response.
func (s *ClientStream[Q, A]) Close() { s.stream.Close() }

// BidiStream is a stream that was opened here and flows in both directions. It is
// ended by Close, with its context, or when CloseSend was called and it was read to
// its end.
type BidiStream[Q, A any] struct {
	Sender[Q]
	Receiver[A]
}

// CloseSend says that no more is sent. It may be said twice.
func (s *BidiStream[Q, A]) CloseSend() error { return s.Sender.stream.CloseSend() }
