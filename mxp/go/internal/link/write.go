package link

import (
	"errors"
	"net"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// batches are what frames are written from, so that idle connections hold none.
var batches = sync.Pool{New: func() any { return &session.Batch{} }}

// batchBytes is how much is given out for one write, but for the last frame of it.
const batchBytes = 64 << 10

// poll gives out what is written next, and lets others queue more. The lock is held.
func (c *Conn) poll(batch *session.Batch) bool {
	before := c.Engine.Session.Queued()
	some := c.Engine.Session.Poll(batch, batchBytes, c.Now())
	if c.given = 0; some {
		c.given = before - c.Engine.Session.Queued() + engine.ItemBytes
		c.Engine.Lines.Room()
	}
	return some
}

// flush starts to write, if something waits and nobody writes. The lock is held.
func (c *Conn) flush() {
	switch {
	case c.writing || c.ended:
	case c.Engine.Session.Queued() > 0:
		c.writing = true
		go c.write()
	case c.Engine.Session.Finished():
		c.hangUp()
	}
}

// push writes what waits by itself, as far as the socket takes it at once, and
// leaves the rest to another goroutine. It is for a request, or an answer, that
// nothing else is to be written beside. The lock is held, and let go of meanwhile.
func (c *Conn) push() {
	if c.attempt == nil {
		c.attempt = newAttempt(c.Network)
	}
	if c.writing || c.ended || c.attempt == nil || c.Engine.Session.Queued() == 0 || c.Engine.InFlight() > pushed {
		c.flush()
		return
	}
	c.writing = true
	batch := batches.Get().(*session.Batch)
	c.poll(batch)
	if len(batch.Pieces) != 1 {
		go c.writeOn(batch)
		return
	}
	c.Unlock()
	n := c.attempt.TryWrite(batch.Pieces[0])
	c.Lock()
	if n < len(batch.Pieces[0]) || c.Engine.Session.Queued() > 0 {
		batch.Pieces[0] = batch.Pieces[0][n:]
		go c.writeOn(batch)
		return
	}
	release(batch)
	c.wrote()
}

// attempt writes without waiting, and says how much was taken. A writer of the rest finds out what
// is wrong with the connection, if nothing was taken.
type attempt interface {
	TryWrite(data []byte) (n int)
}

// newAttempt is nil for a connection that can only be waited for.
func newAttempt(network net.Conn) attempt {
	if shared, is := network.(SharedConn); is {
		return shared
	}
	return attemptAt(network)
}

// release lets other connections have a batch that was written.
func release(batch *session.Batch) {
	batch.Release()
	batches.Put(batch)
}

// pushed is how many requests there may be in flight for frames not to wait for
// others that could be written with them.
const pushed = 1

// write writes all that waits, as one vectored write at a time.
func (c *Conn) write() {
	runtime.Gosched() // who is about to queue more does so before
	c.Lock()
	defer c.Unlock()
	batch := batches.Get().(*session.Batch)
	c.writeAll(batch, c.poll(batch))
}

// writeOn writes what is left of a batch, and all that waits.
func (c *Conn) writeOn(batch *session.Batch) {
	c.Lock()
	defer c.Unlock()
	c.writeAll(batch, true)
}

// writeAll writes a batch, if there is one, and all that waits. The lock is held,
// and let go of meanwhile.
func (c *Conn) writeAll(batch *session.Batch, more bool) {
	defer release(batch)
	for ; more; more = c.poll(batch) {
		stall := c.stall
		c.Unlock()
		began := time.Now()
		err := c.writeBatch(batch.Pieces, stall, began)
		c.Lock()
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			c.Engine.Session.Stalled(c.Now())
			c.Engine.Next()
		case err == nil && time.Since(began) > blocks:
			c.Engine.Session.Moved(c.Now())
		}
		if err != nil {
			c.broken = true // the reader finds out, and ends everything
			c.Network.Close()
			break
		}
		c.reader.Signal()
	}
	c.wrote()
}

const (
	// blocks is how long a write takes at least that the transport has not taken at once.
	blocks = 10 * time.Millisecond
	// movesEvery is how often, at least, a session is told that a write goes on [MXP-10.6].
	movesEvery = time.Second
)

// movesWithin is how long a write waits before it looks whether it goes on: less than
// anybody waits for that.
func (c *Conn) movesWithin() time.Duration {
	limits := c.Engine.Session.Limits()
	return min(movesEvery, Micros(limits.Pong)/2, Micros(limits.Stall)/2)
}

// wrote notes that nobody writes any more. The lock is held.
func (c *Conn) wrote() {
	c.writing, c.given = false, 0
	c.Account()
	c.reader.Signal()
	if c.Engine.Session.Finished() && !c.ended {
		c.hangUp()
	}
	c.setTimer() // some times count from when nothing waits any more [MXP-11.1]
}

// writeBatch writes as long as the peer takes something [MXP-10.5].
func (c *Conn) writeBatch(pieces [][]byte, stall time.Duration, began time.Time) error {
	switch c.Network.(type) {
	case syscall.Conn, SharedConn:
		return c.writeVector(pieces, stall, began)
	}
	return c.writeSlices(pieces, stall)
}

// writeVector writes to a socket, or shared memory, which goes on after a write that took too long.
func (c *Conn) writeVector(pieces [][]byte, stall time.Duration, began time.Time) error {
	moved := began
	for all, now := net.Buffers(pieces), began; ; now = time.Now() {
		c.Network.SetWriteDeadline(now.Add(min(c.moves, stall-now.Sub(moved))))
		n, err := all.WriteTo(c.Network)
		switch {
		case err == nil || c.lingers.Load() || !errors.Is(err, os.ErrDeadlineExceeded):
			return err
		case n > 0:
			moved = time.Now()
			c.moved()
		case time.Since(moved) >= stall:
			return err
		}
	}
}

// sliceBytes is how much a connection that is no socket is given at once: a record of
// TLS, after a part of which it could not go on.
const sliceBytes = 16 << 10

func (c *Conn) writeSlices(pieces [][]byte, stall time.Duration) error {
	for _, piece := range pieces {
		for len(piece) > 0 {
			n := min(len(piece), sliceBytes)
			began := time.Now()
			c.Network.SetWriteDeadline(began.Add(stall))
			if _, err := c.Network.Write(piece[:n]); err != nil {
				return err
			}
			if piece = piece[n:]; time.Since(began) > blocks {
				c.moved()
			}
		}
	}
	return nil
}

// moved tells the session that the transport has moved. The lock is not held.
func (c *Conn) moved() {
	c.Lock()
	defer c.Unlock()
	c.Engine.Session.Moved(c.Now())
}
