package mxp

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Stream has two directions, in which chunks are sent one after the other. One
// goroutine may send while another receives.
type Stream struct {
	conn atomic.Pointer[conn] // a stream that is opened anew is on another one then
	mine bool

	of    engine.Target // the method
	waits engine.Wait   // for the end of it all

	// Under the connection's lock.
	id      uint64
	stop    func() bool // ends the watch over the context
	again   *reopening  // how it is opened anew; nil once it can't be
	gone    bool        // its user has left it
	meter   *meter      // that counts its end; nil once it has, and at the server
	began   time.Duration
	told    *told    // is told of its end, as the meter is
	inbox   []parcel // what waits for its reader
	lent    int      // what that is counted as which the reader has opened
	held    int      // what all that nobody has taken is counted as
	ended   bool     // no more come
	closed  bool     // no more are sent
	failure error    // what has ended the stream, else nil
	changed chan struct{}

	dropped atomic.Bool // nothing that has come is to be taken any more

	// The reader's own.
	open     parcel
	messages int // taken since the last grant
	bytes    int
	window   int    // in bytes
	most     uint32 // the same in chunks
}

// place puts a stream on a connection, whose lock is held.
func (s *Stream) place(c *conn, id uint64, most uint32) {
	if old := s.conn.Load(); old != nil && old != c {
		old.mu.Lock()
		defer old.mu.Unlock()
	}
	s.conn.Store(c)
	s.id, s.failure, s.window, s.most = id, nil, c.options.window, most
	if c.streams == nil {
		c.streams = map[uint64]*Stream{}
	}
	c.streams[id] = s
}

// lock takes the lock of the connection that the stream is on.
func (s *Stream) lock() *conn {
	for {
		c := s.conn.Load()
		c.mu.Lock()
		if s.conn.Load() == c {
			return c
		}
		c.mu.Unlock()
	}
}

func (s *Stream) finished(c *conn) {
	s.again = nil
	s.peerEnded(c)
	s.forget(c)
	s.wake()
}

// peerEnded notes that no more comes. The lock is held.
func (s *Stream) peerEnded(c *conn) {
	s.ended = true
	if s.mine {
		c.requestEnded(nil)
	}
}

// forget lets go of a stream that was opened here, once both directions have
// ended and all was taken. The lock is held.
func (s *Stream) forget(c *conn) {
	if s.mine && s.ended && s.closed && len(s.inbox) == 0 && s.lent == 0 {
		s.leave(c)
	}
}

// leave takes the stream off its connection. The lock is held.
func (s *Stream) leave(c *conn) {
	if c.streams[s.id] == s {
		delete(c.streams, s.id)
		c.next(forPlaces)
	}
	if s.stop != nil && s.again == nil {
		s.stop()
	}
	s.count()
}

// metered lets the end of the stream be counted.
func (s *Stream) metered(by *meter, began time.Duration) {
	c := s.lock()
	defer c.mu.Unlock()
	s.meter, s.began = by, began
	if c.streams[s.id] != s { // it has ended already
		s.count()
	}
}

// count counts the end of a stream that is not about to be opened anew, and tells it. The
// lock is held.
func (s *Stream) count() {
	if s.failure != nil && s.again != nil {
		return
	}
	if s.meter != nil {
		s.meter.end(time.Since(epoch)-s.began, s.failure)
	}
	s.told.end(s.failure)
	s.meter, s.told = nil, nil
}

// fail ends the stream for whoever waits for it. The lock is held.
func (s *Stream) fail(c *conn, f *Failure) {
	if s.again != nil && !f.Acted {
		s.again.why = f
	} else {
		s.again = nil
	}
	if s.failure == nil {
		s.failure = s.located(f)
	}
	s.leave(c)
	s.wake()
}

// located says of a failure that it is the stream's.
func (s *Stream) located(err error) error {
	return engine.Located(s.waits.Explained(err, time.Now()), s.of, s.conn.Load().options.peer)
}

func (s *Stream) wake() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// wait waits until something changes, and opens a stream anew that can be. It returns
// why the stream has ended. The lock is let go of.
func (s *Stream) wait(ctx context.Context, c *conn) error {
	switch {
	case s.failure == nil:
	case s.again == nil:
		defer c.mu.Unlock()
		return s.failure
	case !s.again.busy:
		s.again.busy = true
		c.mu.Unlock()
		return s.reopen(ctx, c)
	}
	if s.changed == nil {
		s.changed = newSignal()
	}
	changed := s.changed
	c.mu.Unlock()
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return s.located(failed(ctx.Err(), true))
	}
}

// CloseSend says that no more is sent. It may be said twice.
func (s *Stream) CloseSend() error {
	c := s.lock()
	defer c.mu.Unlock()
	if s.failure != nil {
		if s.again != nil {
			s.closed = true
			return nil
		}
		return s.failure
	}
	err := c.session.Finish(s.id, c.now())
	s.closed = true // and is so from the start, if the stream is opened anew
	s.forget(c)
	c.update()
	if errors.Is(err, session.ErrExchangeEnded) {
		return nil
	}
	return s.located(failed(err, true))
}

// Close ends a stream that was opened here and that nobody reads to its end.
func (s *Stream) Close() { s.cancel(context.Canceled) }

func (s *Stream) cancel(err error) {
	c := s.lock()
	defer c.mu.Unlock()
	s.gone = true
	var f *Failure
	if s.mine && (s.failure == nil || s.again != nil) && errors.As(failed(err, true), &f) {
		s.drop(c)
		if s.failure != nil { // it was about to be opened anew
			s.again, s.failure = nil, s.located(f)
			s.wake()
		} else if c.session.Cancel(s.id, c.now()) == nil {
			s.again = nil
			s.fail(c, f)
			c.update()
		}
	}
	s.leave(c)
}

// refuse ends a stream on which something came, or was to be sent, that is no value
// of its type. The peer is told why, unless it serves the stream. It returns the failure
// as the stream's.
func (s *Stream) refuse(f *Failure) error {
	c := s.lock()
	defer c.mu.Unlock()
	if s.failure != nil {
		return s.located(f)
	}
	if s.mine {
		c.session.Cancel(s.id, c.now())
	} else {
		c.fail(s.id, s.of, f)
		if h := c.theirs[s.id]; h != nil {
			h.end(context.Canceled)
		}
	}
	s.drop(c)
	s.again, s.ended = nil, false
	s.fail(c, f)
	c.update()
	return s.located(f)
}

// served ends a stream whose handler has returned, and gives the time at which it does.
func (s *Stream) served(err error) uint64 {
	c := s.lock()
	defer c.mu.Unlock()
	now := c.now()
	switch {
	case err != nil:
		c.fail(s.id, s.of, err)
	case s.failure != nil:
		c.session.Release(s.id, now)
	default:
		c.session.Finish(s.id, now)
		if s.ended {
			s.acknowledgeRest(c)
		} else { // the peer still sends, and nobody reads it
			c.fail(s.id, s.of, &Failure{Status: session.StatusCancelled, Name: session.ErrCancelled.String(), Text: "the handler has returned"})
		}
	}
	s.drop(c)
	s.leave(c)
	c.over(s.id)
	c.update()
	return now
}
