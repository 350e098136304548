package link

import (
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// holds is how many bytes the connection holds [MXP-15.2]. The lock is held.
func (c *Conn) holds() int {
	return c.Engine.Holds() + c.given + c.left
}

// backlog is how many of them are no reason to read on [MXP-15.3]. The lock is held.
func (c *Conn) backlog() int {
	return c.Engine.Backlog() + c.given
}

// takes is the memory that the connection takes, in bytes. The lock is held.
func (c *Conn) takes() int {
	return c.holds() + c.Engine.Takes(c.lingers.Load())
}

// Account tells the budget how much memory the connection takes. The lock is held.
func (c *Conn) Account() {
	if c.share.Remains() {
		c.share.Set(int64(c.Engine.Remains()))
	} else {
		c.share.Set(int64(c.takes()))
	}
}

// tooMuch reports whether the backlog of the connection is larger than it may be. It ends the
// streams whose chunks nobody takes, if they are why [MXP-15.3]. The lock is held.
func (c *Conn) tooMuch() bool {
	for c.Engine.OverrunStream(c.backlog(), c.most) {
		c.Update()
	}
	c.Account()
	return c.backlog() > c.most
}

// stops reports whether the connection is paused: nothing is read, and no read bytes are taken. The
// lock is held.
func (c *Conn) stops() bool {
	return !c.atEnd && (c.Engine.Order.IsFull() || c.share.Starves(c.Engine.Offered) || c.backlog() > c.most && c.tooMuch())
}

// Overrun ends the session, since all connections hold too much, and this one most
// [MXP-15.4]; it is the budget's.
func (c *Conn) Overrun() {
	c.Lock()
	defer c.Unlock()
	if c.share.Remains() {
		c.abandon()
		return
	}
	c.Engine.Overrun()
	c.drops.Store(true)
	c.Update()
	if !c.lingers.Load() { // it had ended before
		c.linger()
	}
	c.Account()
	c.reader.Signal()
}

// abandon drops the events of a connection that is gone whose handlers have not begun. The lock is
// held.
func (c *Conn) abandon() {
	if events := c.Engine.Order.Drop(); events > 0 {
		c.Options.Logger.Warn("mxp: events of a lost connection dropped", "peer", c.Options.Peer, "count", events, "name", session.ErrLimitServerBytes.String())
	}
	c.drops.Store(true)
	c.share.Abandon(int64(c.takes()))
}

// MayRead wakes a reader that waits since memory is scarce, and lets it read until the
// connection holds so many bytes more; it is the budget's.
func (c *Conn) MayRead(turn int) {
	c.Lock()
	defer c.Unlock()
	c.share.Turn(turn)
	c.reader.Signal()
}

// Leave ends that a connection that is gone takes part in the budget, once its events have been served.
func (c *Conn) Leave() {
	c.Lock()
	defer c.Unlock()
	c.gone = true
	c.lingers.Store(true)
	c.share.End()
	c.Engine.Session.Shrink()
	if c.Engine.Order.IsServed() {
		c.share.Remain(int64(c.Engine.Remains()))
		return
	}
	c.Account()
	c.share.Forget()
}

// hangUpEvery is how often it is looked whether the peer of a connection that is not read has
// hung up.
const hangUpEvery = time.Second

// pause waits until the connection may be read: no more events wait for their handlers
// than may, and it doesn't hold too much. One whose peer has hung up is read to its end, which
// is what lies in the socket: then it lets go of all that it holds.
func (c *Conn) pause() {
	c.Lock()
	defer c.Unlock()
	for ; !c.broken && !c.ended && !c.lingers.Load(); c.reader.Wait() {
		busy := c.Engine.Order.IsFull()
		own := busy || c.tooMuch()
		if c.atEnd || !own && !c.share.Starves(c.Engine.Offered) {
			break
		}
		c.Engine.Session.Pause(c.Now())
		c.setTimer() // it is to say that it lives
		if !own {
			c.share.Pause()
		}
		if c.look == nil {
			c.look = time.AfterFunc(hangUpEvery, c.lookForHangUp)
		}
	}
	if c.look != nil {
		c.look.Stop()
		c.look = nil
	}
	c.share.Unpause()
	c.Engine.Session.Resume(c.Now())
	c.setTimer()
}

// lookForHangUp wakes the reader of a connection that is not read when its peer has hung up.
func (c *Conn) lookForHangUp() {
	c.Lock()
	defer c.Unlock()
	switch {
	case c.look == nil: // it is read again
	case hasHungUp(c.Network):
		c.atEnd = true
		c.reader.Signal()
	default:
		c.look.Reset(hangUpEvery)
	}
}

// AddStats adds the counters of the connection. No lock is held.
func (c *Conn) AddStats(total *session.Stats) {
	c.Lock()
	defer c.Unlock()
	stats := *c.Engine.Session.Stats()
	stats.HeldBytes, stats.Outliers = c.holds(), c.Engine.Outlier.Times
	total.Add(&stats)
}
