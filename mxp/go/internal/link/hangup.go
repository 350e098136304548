package link

import (
	"cmp"
	"errors"
	"io"
	"net"
	"time"
)

// lingerTime is how long a connection whose session is finished waits for the peer.
func (c *Conn) lingerTime() time.Duration {
	return Micros(c.Engine.Session.Limits().Linger)
}

// linger lets the last frame of a session that has ended be written, but not for
// long. The lock is held.
func (c *Conn) linger() {
	c.lingers.Store(true)
	c.share.End()
	c.stall = min(c.stall, c.lingerTime())
	c.Network.SetWriteDeadline(time.Now().Add(c.stall))
}

// Drain lets the connection end what is in flight, and takes no more requests.
func (c *Conn) Drain(why string) {
	c.Lock()
	defer c.Unlock()
	c.Engine.Session.Drain(why, c.Now()) // one that has ended needs none
	c.Draining()
	c.Update()
}

// Drained is closed when the connection drains, or ends.
func (c *Conn) Drained() <-chan struct{} {
	c.Lock()
	defer c.Unlock()
	if c.drained == nil {
		c.drained = make(chan struct{})
		if c.drains {
			close(c.drained)
		}
	}
	return c.drained
}

// Drains reports whether one side takes no more requests. The lock is held.
func (c *Conn) Drains() bool { return c.drains }

// hangUp ends this side's direction of the connection, of which nothing is left to be
// written, and lets the peer end its own: a connection that is closed while something
// comes takes away from the peer what was written last [MXP-11.5]. The lock is held.
func (c *Conn) hangUp() {
	if !c.hungUp.IsZero() {
		return
	}
	c.hungUp = time.Now().Add(c.lingerTime())
	c.Network.SetReadDeadline(c.hungUp)
	half, ok := c.Network.(interface{ CloseWrite() error })
	if !ok {
		c.Network.Close()
		return
	}
	go func() { // TLS writes that it is closed
		if half.CloseWrite() != nil {
			c.Network.Close()
		}
	}()
}

// leave closes the connection, from which nothing can be read any more. Bytes that are being
// written to a peer that may still read have a while yet. The lock is held.
func (c *Conn) leave(why error) {
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
	c.Network.Close()
}

// answerCalls waits until the calls are answered that came before the peer ended its direction,
// since it may still read [MXP-16.3], but not for long. The lock is held.
func (c *Conn) answerCalls() {
	if !c.Engine.IsAsked() && !c.isAnswering() {
		return
	}
	end := time.Now().Add(c.lingerTime())
	wake := time.AfterFunc(c.lingerTime(), func() {
		c.Lock()
		defer c.Unlock()
		c.reader.Signal()
	})
	defer wake.Stop()
	for (c.Engine.IsAsked() || c.isAnswering()) && !c.broken && time.Now().Before(end) {
		c.reader.Wait()
	}
}

// isAnswering reports whether something is not written yet.
func (c *Conn) isAnswering() bool { return c.writing || c.Engine.Session.Queued() > 0 }

// Cut closes the connection at once, also where its reader waits for something else than
// the network. No lock is held.
func (c *Conn) Cut() {
	c.Network.Close()
	c.Lock()
	defer c.Unlock()
	c.broken = true
	c.reader.Signal()
}

// errFinished ends reading when the session has nothing left to do.
var errFinished = net.ErrClosed

// shrink gives memory back that an idle connection doesn't need, or ends one whose peer
// has not hung up in time.
func (c *Conn) shrink() error {
	c.Lock()
	defer c.Unlock()
	if !c.hungUp.IsZero() {
		if time.Now().Before(c.hungUp) { // it was about to shrink
			return cmp.Or(c.Network.SetReadDeadline(c.hungUp), errIdle)
		}
		return errFinished
	}
	c.Engine.Shrink()
	c.Options.Rest()
	c.attempt = nil
	return cmp.Or(c.Network.SetReadDeadline(time.Time{}), errIdle)
}
