package mxp

import (
	"errors"
	"net"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// batches are what frames are written from, so that idle connections hold none.
var batches = sync.Pool{New: func() any { return &session.Batch{} }}

// flush starts to write, if something waits and nobody writes. The lock is held.
func (c *conn) flush() {
	switch {
	case c.writing || c.ended:
	case c.session.Queued() > 0:
		c.writing = true
		go c.write()
	case c.session.Finished():
		c.network.Close()
	}
}

// push writes what waits by itself, as far as the socket takes it at once, and
// leaves the rest to another goroutine. It is for a request, or an answer, that
// nothing else is to be written beside. The lock is held, and let go of meanwhile.
func (c *conn) push() {
	if c.attempt == nil {
		c.attempt = newAttempt(c.network)
	}
	if c.writing || c.ended || c.attempt == nil || c.session.Queued() == 0 || len(c.mine)+len(c.theirs) > pushed {
		c.flush()
		return
	}
	c.writing = true
	batch := batches.Get().(*session.Batch)
	c.session.PollAll(batch, c.now())
	if len(batch.Pieces) != 1 {
		go c.writeOn(batch)
		return
	}
	c.roomMade()
	c.mu.Unlock()
	n := c.attempt.write(batch.Pieces[0])
	c.mu.Lock()
	if n < len(batch.Pieces[0]) || c.session.Queued() > 0 {
		batch.Pieces[0] = batch.Pieces[0][n:]
		go c.writeOn(batch)
		return
	}
	batches.Put(batch)
	c.wrote()
}

// pushed is how many requests there may be in flight for frames not to wait for
// others that could be written with them.
const pushed = 1

// write writes all that waits, as one vectored write at a time.
func (c *conn) write() {
	runtime.Gosched() // who is about to queue more does so before
	c.mu.Lock()
	defer c.mu.Unlock()
	batch := batches.Get().(*session.Batch)
	c.writeAll(batch, c.session.PollAll(batch, c.now()))
}

// writeOn writes what is left of a batch, and all that waits.
func (c *conn) writeOn(batch *session.Batch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writeAll(batch, true)
}

// writeAll writes a batch, if there is one, and all that waits. The lock is held,
// and let go of meanwhile.
func (c *conn) writeAll(batch *session.Batch, some bool) {
	defer batches.Put(batch)
	for ; some; some = c.session.PollAll(batch, c.now()) {
		c.roomMade()
		stall := c.stall
		c.mu.Unlock()
		err := c.writeBatch(batch.Pieces, stall)
		c.mu.Lock()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			c.session.Stalled(c.now())
			c.told()
		}
		if err != nil {
			c.broken = true // the reader finds out, and ends everything
			c.network.Close()
			break
		}
		c.reader.Signal()
	}
	c.wrote()
}

// wrote notes that nobody writes any more. The lock is held.
func (c *conn) wrote() {
	c.writing = false
	c.reader.Signal()
	if c.session.Finished() {
		c.network.Close()
	}
}

// writeBatch writes as long as the peer takes something [MXP-10.5].
func (c *conn) writeBatch(pieces [][]byte, stall time.Duration) error {
	for all := net.Buffers(pieces); ; {
		c.network.SetWriteDeadline(time.Now().Add(stall))
		n, err := all.WriteTo(c.network)
		if err == nil || n == 0 || c.lingers.Load() || !errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
	}
}

// linger lets the last frame of a session that has ended be written, but not for
// long.
func (c *conn) linger() {
	c.lingers.Store(true)
	c.stall = min(c.stall, time.Second)
	c.network.SetWriteDeadline(time.Now().Add(c.stall))
}
