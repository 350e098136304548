package mxp

import (
	"cmp"
	"errors"
	"io"
	"net"
	"time"
)

// lingerTime is how long a connection whose session is finished waits for the peer.
func (c *conn) lingerTime() time.Duration {
	return micros(c.link.Session.Limits().Linger)
}

// linger lets the last frame of a session that has ended be written, but not for
// long. The lock is held.
func (c *conn) linger() {
	c.lingers.Store(true)
	c.stall = min(c.stall, c.lingerTime())
	c.network.SetWriteDeadline(time.Now().Add(c.stall))
}

// drain lets the connection end what is in flight, and takes no more requests.
func (c *conn) drain(why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.link.Session.Drain(why, c.now()) // one that has ended needs none
	c.Draining()
	c.update()
}

// Draining is closed when the connection that the request came on drains, or ends: either side
// then takes no new requests, and waits for those that are in flight. The handler of a stream
// that would go on for long may end it then. It is nil of a request that is about to be made.
func (r *Request) Draining() <-chan struct{} {
	c := r.conn
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.drained == nil {
		c.drained = newSignal()
		if c.drains {
			close(c.drained)
		}
	}
	return c.drained
}

// hangUp ends this side's direction of the connection, of which nothing is left to be
// written, and lets the peer end its own: a connection that is closed while something
// comes takes away from the peer what was written last [MXP-11.5]. The lock is held.
func (c *conn) hangUp() {
	if !c.hungUp.IsZero() {
		return
	}
	c.hungUp = time.Now().Add(c.lingerTime())
	c.network.SetReadDeadline(c.hungUp)
	half, ok := c.network.(interface{ CloseWrite() error })
	if !ok {
		c.network.Close()
		return
	}
	go func() { // TLS writes that it is closed
		if half.CloseWrite() != nil {
			c.network.Close()
		}
	}()
}

// leave closes the connection, from which nothing can be read any more. What is being
// written to a peer that may still read has a while yet. The lock is held.
func (c *conn) leave(why error) {
	if ended := c.lingers.Load(); errors.Is(why, io.EOF) && !c.broken {
		c.linger()
		if !ended {
			c.answerCalls()
			c.lose()
		}
		for c.writing && !c.broken {
			c.reader.Wait()
		}
	}
	c.lose()
	c.network.Close()
}

// answerCalls waits until the calls are answered that came before the peer ended its direction,
// since it may still read [MXP-16.3], but not for long. The lock is held.
func (c *conn) answerCalls() {
	if !c.link.IsAsked() && !c.isAnswering() {
		return
	}
	end := time.Now().Add(c.lingerTime())
	wake := time.AfterFunc(c.lingerTime(), func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.reader.Signal()
	})
	defer wake.Stop()
	for (c.link.IsAsked() || c.isAnswering()) && !c.broken && time.Now().Before(end) {
		c.reader.Wait()
	}
}

// isAnswering reports whether something is not written yet.
func (c *conn) isAnswering() bool { return c.writing || c.link.Session.Queued() > 0 }

// cut closes the connection at once, also where its reader waits for something else than
// the network. No lock is held.
func (c *conn) cut() {
	c.network.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = true
	c.reader.Signal()
}

// errFinished ends reading when the session has nothing left to do.
var errFinished = net.ErrClosed

// shrink gives memory back that an idle connection doesn't need, or ends one whose peer
// has not hung up in time.
func (c *conn) shrink() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.hungUp.IsZero() {
		if time.Now().Before(c.hungUp) { // it was about to shrink
			return cmp.Or(c.network.SetReadDeadline(c.hungUp), errIdle)
		}
		return errFinished
	}
	c.link.Shrink()
	c.options.workers.dismiss(false)
	c.attempt = nil
	return cmp.Or(c.network.SetReadDeadline(time.Time{}), errIdle)
}
