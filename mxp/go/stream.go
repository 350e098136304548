package mxp

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
)

// Stream has two directions, in which chunks are sent one after the other. One
// goroutine may send while another receives.
type Stream struct {
	conn  atomic.Pointer[conn] // a stream that is opened anew is on another one then
	of    engine.Target        // the method
	waits engine.Wait          // for the end of it all

	// Under the connection's lock.
	state   engine.Stream
	again   *reopener     // how it is opened anew
	stop    func() bool   // ends the watch over the context
	meter   *meter        // that counts its end; nil once it has, and at the server
	began   time.Duration // when that has begun to
	told    *span         // is told of its end, as the meter is
	changed chan struct{} // closed at news; nil if nobody waits

	dropped atomic.Bool // nothing that has come is to be taken any more

	reader engine.Reader // the reader's own
}

// streamUser is a stream as the engine tells it of news. The lock is held.
type streamUser Stream

// Wake lets callers that wait for the stream look again.
func (u *streamUser) Wake() {
	if u.changed != nil {
		close(u.changed)
		u.changed = nil
	}
}

// Locate says of a failure that it is the stream's.
func (u *streamUser) Locate(f *Failure) error { return (*Stream)(u).located(f) }

// Drop lets the reader take nothing more.
func (u *streamUser) Drop() { u.dropped.Store(true) }

// Leave ends what watches the stream, and counts its end.
func (u *streamUser) Leave() {
	if u.stop != nil && u.state.Reopen == nil {
		u.stop()
	}
	(*Stream)(u).count()
}

// lock takes the lock of the connection that the stream is on.
func (s *Stream) lock() *conn {
	for {
		c := s.conn.Load()
		c.Lock()
		if s.conn.Load() == c {
			return c
		}
		c.Unlock()
	}
}

// place puts a stream on a connection, whose lock is held.
func (s *Stream) place(c *conn, id uint64) {
	if old := s.conn.Load(); old != nil && old != c {
		old.Lock()
		defer old.Unlock()
	}
	s.conn.Store(c)
	c.Engine.Put(&s.state, id)
}

// metered lets the end of the stream be counted.
func (s *Stream) metered(m *meter, began time.Duration) {
	c := s.lock()
	defer c.Unlock()
	s.meter, s.began = m, began
	if !c.Engine.Has(&s.state) { // it has ended already
		s.count()
	}
}

// count counts the end of a stream that is not about to be opened anew, and tells it. The
// lock is held.
func (s *Stream) count() {
	why := s.state.Failure
	if why != nil && s.state.Reopen != nil {
		return
	}
	if s.meter != nil {
		s.meter.end(time.Since(epoch)-s.began, why)
	}
	s.told.end(why)
	s.meter, s.told = nil, nil
}

// located says of a failure that it is the stream's.
func (s *Stream) located(err error) error {
	return engine.Located(s.waits.Explained(err, time.Now()), s.of, s.conn.Load().options.Peer)
}

// wait waits until something changes, and opens a stream anew that can be. It returns
// why the stream has ended. The lock is let go of.
func (s *Stream) wait(ctx context.Context, c *conn) error {
	switch {
	case s.state.Failure == nil:
	case s.state.Reopen == nil:
		defer c.Unlock()
		return s.state.Failure
	case !s.state.Reopen.Busy:
		s.state.Reopen.Busy = true
		c.Unlock()
		return s.reopen(ctx, c)
	}
	if s.changed == nil {
		s.changed = newSignal()
	}
	changed := s.changed
	c.Unlock()
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		if s.again != nil && s.again.ctx.Err() != nil {
			s.cancel(s.again.ctx.Err()) // now, and not behind a request that the user makes next
		}
		return s.located(failed(ctx.Err(), true))
	}
}

// CloseSend says that no more is sent. It may be said twice.
func (s *Stream) CloseSend() error {
	c := s.lock()
	defer c.Unlock()
	err := c.Engine.Finish(&s.state)
	c.Update()
	if err == nil || err == s.state.Failure {
		return err
	}
	return s.located(failed(err, true))
}

// Close ends a stream that was opened here and that nobody reads to its end.
func (s *Stream) Close() { s.cancel(context.Canceled) }

func (s *Stream) cancel(err error) {
	c := s.lock()
	defer c.Unlock()
	var f *Failure
	if errors.As(failed(err, true), &f) {
		c.Engine.Cancel(&s.state, f)
		c.Account()
		c.Update()
	}
}

// refuse ends a stream on which something came, or was to be sent, that is no value
// of its type. The peer is told why, unless it serves the stream. It returns the failure
// as the stream's.
func (s *Stream) refuse(f *Failure) error {
	c := s.lock()
	defer c.Unlock()
	c.Engine.Refuse(&s.state, f, func() { c.fail(s.state.ID, s.of, f) })
	c.Account()
	c.Update()
	return s.located(f)
}

// served ends a stream whose handler has returned, and gives the time at which it does.
func (s *Stream) served(err error) uint64 {
	c := s.lock()
	defer c.Unlock()
	var fail func()
	if err != nil {
		fail = func() { c.fail(s.state.ID, s.of, err) }
	}
	c.Engine.Served(&s.state, &s.reader, fail)
	c.Account()
	c.Update()
	return c.Now()
}
