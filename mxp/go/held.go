package mxp

import (
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// unknownBytes is taken for the machine's memory where it is not known.
const unknownBytes = 4 << 30

// holds is how many bytes the connection holds [MXP-15.2]. The lock is held.
func (c *conn) holds() int {
	return c.link.Holds() + c.given + c.left
}

// takes is how much memory the connection takes for what it holds. The lock is held.
func (c *conn) takes() int {
	return c.holds() + c.link.Takes(c.lingers.Load())
}

// starves reports whether the connection is not read for the sake of others. What waits
// for the peer's credit is no reason, since that would not be read either; but for a
// little of it that holds only where the peer has given some lately. The lock is held.
func (c *conn) starves() bool {
	if c.turn > 0 {
		return false
	}
	budget, offered := c.options.budget, c.link.Offered
	if offered > smallBytes && budget.scarce() && c.letGo.bytes(time.Now()) == 0 {
		offered = smallBytes
	}
	return budget.refuses(c.counted.Load() - int64(offered))
}

// isMoving reports whether the connection has let go of several times as much as it holds
// lately.
func (c *conn) isMoving(now time.Time) bool {
	return c.letGo.bytes(now)/movingTimes >= c.counted.Load()
}

// account tells the budget how much memory the connection takes. The lock is held.
func (c *conn) account() {
	if c.forgotten {
		return
	}
	held := int64(c.takes())
	switch {
	case c.remains.Load():
		held = int64(c.link.Remains())
		c.going.set(&c.options.budget.going, 0)
		c.kept.set(&c.options.budget.kept, held)
	case c.lingers.Load():
		c.going.set(&c.options.budget.going, held)
		c.kept.set(&c.options.budget.kept, 0)
	}
	if before := c.counted.Swap(held); before != held {
		if held < before && c.options.budget.tight() {
			now := time.Now()
			c.letGo.add(before-held, now)
			if c.paused != nil {
				c.options.budget.moved(c.paused, now)
			}
		}
		c.turn -= min(c.turn, max(int(held-before), 0))
		c.options.budget.add(held - before)
	}
}

// tooMuch reports whether the connection holds more than it may. It ends the streams
// whose chunks nobody takes, if they are why [MXP-15.3]. The lock is held.
func (c *conn) tooMuch() bool {
	for c.link.OverrunStream(c.holds(), c.most) {
		c.update()
	}
	c.account()
	return c.holds() > c.most
}

// stops reports whether nothing is read, or taken of what was read, for now. The lock is held.
func (c *conn) stops() bool {
	return !c.atEnd && (c.link.Order.IsFull() || c.starves() || c.holds() > c.most && c.tooMuch())
}

// overrun ends the session, since all connections hold too much, and this one most
// [MXP-15.4].
func (c *conn) overrun() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.remains.Load() {
		c.abandon()
		return
	}
	c.link.Overrun()
	c.drops.Store(true)
	c.update()
	if !c.lingers.Load() { // it had ended before
		c.linger()
	}
	c.account()
	c.reader.Signal()
}

// abandon drops the events of a connection that is gone whose handlers have not begun. The lock is
// held.
func (c *conn) abandon() {
	if events := c.link.Order.Drop(); events > 0 {
		c.options.logger.Warn("mxp: events of a lost connection dropped", "peer", c.options.peer, "count", events, "name", session.ErrLimitServerBytes.String())
	}
	c.drops.Store(true)
	c.remains.Store(false)
	c.account()
}

// mayRead wakes a reader that waits since memory is scarce, and lets it read until the
// connection holds so many bytes more.
func (c *conn) mayRead(turn int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn = max(c.turn, turn)
	c.reader.Signal()
}

// hangUpEvery is how often it is looked whether the peer of a connection that is not read has
// hung up.
const hangUpEvery = time.Second

// pause waits until the connection may be read: no more events wait for their handlers
// than may, and it doesn't hold too much. One whose peer has hung up is read to its end, which
// is what lies in the socket: then it lets go of all that it holds.
func (c *conn) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for ; !c.broken && !c.ended && !c.lingers.Load(); c.reader.Wait() {
		busy := c.link.Order.IsFull()
		own := busy || c.tooMuch()
		if c.atEnd || !own && !c.starves() {
			break
		}
		c.link.Session.Pause(c.now())
		c.setTimer() // it is to say that it lives
		if !own && c.paused == nil {
			c.paused = c.options.budget.pause(c)
		}
		if c.look == nil {
			c.look = time.AfterFunc(hangUpEvery, c.lookForHangUp)
		}
	}
	if c.look != nil {
		c.look.Stop()
		c.look = nil
	}
	if c.paused != nil {
		c.options.budget.unpause(c.paused)
		c.paused = nil
	}
	c.link.Session.Resume(c.now())
	c.setTimer()
}

// lookForHangUp wakes the reader of a connection that is not read when its peer has hung up.
func (c *conn) lookForHangUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.look == nil: // it is read again
	case hasHungUp(c.network):
		c.atEnd = true
		c.reader.Signal()
	default:
		c.look.Reset(hangUpEvery)
	}
}
