package mxp

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// windowMessages is how many chunks may be on their way to a reader.
const windowMessages = 1024

// Stream has two directions, in which chunks are sent one after the other. One
// goroutine may send while another receives.
type Stream struct {
	c    *conn
	id   uint64
	mine bool
	stop func() bool // ends the watch over the context

	of    target  // the method
	waits waiting // for the end of it all

	// Under the connection's lock.
	chunks   [][]byte // that wait for their reader
	ended    bool     // no more come
	closed   bool     // no more are sent
	failure  error    // what has ended the stream, else nil
	changed  chan struct{}
	messages uint32 // taken by the reader since the last grant
	bytes    uint64
}

func (c *conn) newStream(id uint64, ended bool) *Stream {
	if c.streams == nil {
		c.streams = map[uint64]*Stream{}
	}
	s := &Stream{c: c, id: id, ended: ended, mine: id&1 == 1-uint64(c.options.config.Role)}
	c.streams[id] = s
	return s
}

// grant lets the peer send. The lock is held.
func (s *Stream) grant(window int) {
	s.c.session.Grant(s.id, windowMessages, uint64(window), s.c.now())
}

func (s *Stream) took(in *session.Chunk) {
	s.chunks = append(s.chunks, s.c.session.Own(in.Value))
	if in.Final {
		s.ended = true
		s.forget()
	}
	s.wake()
}

func (s *Stream) finished() {
	s.ended = true
	s.forget()
	s.wake()
}

// forget lets go of a stream that was opened here, once both directions have
// ended. The lock is held.
func (s *Stream) forget() {
	if s.mine && s.ended && s.closed {
		delete(s.c.streams, s.id)
		if s.stop != nil {
			s.stop()
		}
	}
}

// fail ends the stream for whoever waits for it.
func (s *Stream) fail(f *Failure) {
	if s.failure == nil {
		s.failure = s.located(f)
	}
	delete(s.c.streams, s.id)
	s.wake()
}

// located says of a failure that it is the stream's.
func (s *Stream) located(err error) error {
	return located(s.waits.explained(err), s.of, s.c.peer())
}

func (s *Stream) wake() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// wait waits until something changes. The lock is held, and let go of meanwhile.
func (s *Stream) wait(ctx context.Context) error {
	if s.changed == nil {
		s.changed = newSignal()
	}
	changed := s.changed
	s.c.mu.Unlock()
	defer s.c.mu.Lock()
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return s.located(failed(ctx.Err(), true))
	}
}

// Recv gives the next chunk, which is the caller's own. After the last one it
// gives io.EOF. What was taken is granted to the peer again.
func (s *Stream) Recv(ctx context.Context) ([]byte, error) {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	for len(s.chunks) == 0 {
		switch {
		case s.ended:
			return nil, io.EOF
		case s.failure != nil:
			return nil, s.failure
		}
		if err := s.wait(ctx); err != nil {
			return nil, err
		}
	}
	value := s.chunks[0]
	s.chunks[0] = nil
	s.chunks = s.chunks[1:]
	s.messages++
	s.bytes += uint64(len(value))
	if !s.ended && (s.messages >= windowMessages/2 || s.bytes >= uint64(s.c.options.window)/2) {
		if s.c.session.Grant(s.id, s.messages, s.bytes, s.c.now()) == nil {
			s.c.update()
		}
		s.messages, s.bytes = 0, 0
	}
	return value, nil
}

// Send sends a chunk, as soon as the peer has granted it. One that is larger than
// the peer's window lets through is refused with ErrStreamWindow, and the stream goes
// on. The value must not be changed afterwards.
func (s *Stream) Send(ctx context.Context, value []byte) error {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	for {
		if s.failure != nil {
			return s.failure
		}
		if most, known := s.c.session.LargestChunk(s.id); known && uint64(len(value)) > most {
			f := refusal(session.ErrStreamWindow, true)
			f.Text = fmt.Sprintf("a chunk of %d bytes, where the receiver's window lets %d through", len(value), most)
			return s.located(&f)
		}
		_, err := s.c.session.Chunk(s.id, value, false, false, s.c.now())
		s.c.update()
		switch {
		case errors.Is(err, session.ErrLimitQueueBytes):
			err = s.c.waitForRoom(ctx)
		case errors.Is(err, session.ErrStreamCredit):
			err = s.wait(ctx)
		default:
			return s.located(failed(s.c.refusedHere(err), true))
		}
		if err != nil {
			return s.located(failed(err, true))
		}
	}
}

// CloseSend says that no more is sent. It may be said twice.
func (s *Stream) CloseSend() error {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if s.failure != nil {
		return s.failure
	}
	err := s.c.session.Finish(s.id, s.c.now())
	s.closed = true
	s.forget()
	s.c.update()
	if errors.Is(err, session.ErrExchangeEnded) {
		return nil
	}
	return s.located(failed(err, true))
}

// Close ends a stream that was opened here and that nobody reads to its end.
func (s *Stream) Close() { s.cancel(context.Canceled) }

func (s *Stream) cancel(err error) {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if s.stop != nil {
		s.stop()
	}
	if s.failure == nil && s.mine {
		s.chunks = nil
		if s.c.session.Cancel(s.id, s.c.now()) == nil {
			var f *Failure
			if errors.As(failed(err, true), &f) {
				s.fail(f)
			}
			s.c.update()
		}
	}
	delete(s.c.streams, s.id)
}

// refuse ends a stream on which something came, or was to be sent, that is no value
// of its type. The peer is told why, unless it serves the stream. It returns the failure
// as the stream's.
func (s *Stream) refuse(f *Failure) error {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if s.failure != nil {
		return s.located(f)
	}
	if s.stop != nil {
		s.stop()
	}
	if s.mine {
		s.c.session.Cancel(s.id, s.c.now())
	} else {
		s.c.fail(s.id, s.of, f)
		if h := s.c.theirs[s.id]; h != nil {
			h.end(context.Canceled)
		}
	}
	s.chunks, s.ended = nil, false
	s.fail(f)
	s.c.update()
	return s.located(f)
}

// served ends a stream whose handler has returned.
func (s *Stream) served(err error) {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	c := s.c
	switch {
	case err != nil:
		c.fail(s.id, s.of, err)
	case s.failure != nil:
		c.session.Release(s.id, c.now())
	default:
		c.session.Finish(s.id, c.now())
		if !s.ended { // the peer still sends, and nobody reads it
			c.fail(s.id, s.of, &Failure{Status: session.StatusCancelled, Name: session.ErrCancelled.String(), Text: "the handler has returned"})
		}
	}
	delete(c.streams, s.id)
	c.over(s.id)
	c.update()
}
