package shm

import (
	"errors"
	"net"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// How a side says that it waits, in the lowest bits of a number of its memory [MXP-18.9].
const (
	waitsBits   = 3
	waitsFutex  = 1
	waitsSocket = 2
	waitsOnce   = 4 // one wait more, above those bits
)

// waiter waits for bytes, or for room: one goroutine at a time uses it.
type waiter struct {
	conn   *Conn
	other  *waiter
	awaits *uint32 // of its own memory
	count  uint32
	ready  func() bool // the ring has what is waited for, or never will
	vain   uint32      // how often in a row nothing has come while it looked
	turn   chan struct{}
	waits  atomic.Bool  // on turn, since the other one is at the socket
	ends   atomic.Int64 // the deadline, in nanoseconds from when the connection was made; 0 if there is none
	until  time.Time    // the same; under the connection's lock
	look   func(fd uintptr) bool
}

func (w *waiter) init(c *Conn, peer *waiter, awaits *uint32, ready func() bool) {
	w.conn, w.other, w.awaits, w.ready = c, peer, awaits, ready
	w.turn = make(chan struct{}, 1)
	w.look = func(fd uintptr) bool {
		came, more := c.drain(fd)
		if came {
			c.notices.Add(1)
			if w.other.waits.Load() {
				w.other.wake()
			}
		}
		return came || more || c.gone.Load() || w.ready()
	}
}

// wake lets a waiter look that waits for its turn.
func (w *waiter) wake() {
	select {
	case w.turn <- struct{}{}:
	default:
	}
}

// late reports whether the deadline has passed.
func (w *waiter) late() bool {
	ends := w.ends.Load()
	return ends != 0 && int64(time.Since(w.conn.born)) >= ends
}

// setDeadline also holds for a goroutine that waits already.
func (w *waiter) setDeadline(t time.Time) {
	c := w.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	ends := int64(0)
	if !t.IsZero() {
		ends = max(int64(t.Sub(c.born)), 1)
	}
	w.until = t
	w.ends.Store(ends)
	switch {
	case c.watcher == w:
		c.wind(t)
	case w.waits.Load():
		w.wake()
	}
}

// wait returns when the ring has what is waited for, when the socket has ended, or with the
// error that there will be no more waiting. Any notice may be a late notice of this wait, which the
// peer has given for bytes that were taken before. Each further wait is therefore a new wait, with
// another number.
func (w *waiter) wait() error {
	if w.spin() {
		return nil
	}
	for {
		notices := w.conn.notices.Load()
		w.count += waitsOnce
		atomic.StoreUint32(w.awaits, w.count|waitsSocket)
		var err error
		done := w.conn.gone.Load() || w.ready()
		if !done {
			err = w.sleep(notices)
		}
		atomic.StoreUint32(w.awaits, w.count)
		if done || err != nil {
			return err
		}
	}
}

// spin looks for a while, and lets others run between. It reports whether there is something.
func (w *waiter) spin() bool {
	c := w.conn
	if c.spinTime == 0 || w.futile() {
		return false
	}
	w.vain++
	for began := time.Now(); time.Since(began) < c.spinTime; {
		runtime.Gosched()
		if w.ready() {
			w.vain = 0
			return true
		}
		if c.isClosed() {
			return false
		}
	}
	return false
}

const (
	// vainMost is how often in a row looking may be in vain before it is left out.
	vainMost = 4
	// vainEvery is how often it is tried nevertheless.
	vainEvery = 32
)

// futile reports whether looking has been in vain of late: the peer takes longer, or has no
// processor to run on while this side looks.
func (w *waiter) futile() bool {
	if w.vain < vainMost {
		return false
	}
	w.vain++
	return w.vain%vainEvery != 0
}

// sleep waits until there is reason to look again: at the socket, or where the other waiter is
// there, until that has had a notice, or leaves. It doesn't where there was one since so many.
func (w *waiter) sleep(notices uint32) error {
	c := w.conn
	c.mu.Lock()
	switch {
	case c.isClosed():
		c.mu.Unlock()
		return net.ErrClosed
	case w.late():
		c.mu.Unlock()
		return os.ErrDeadlineExceeded
	case c.watcher != nil:
		w.waits.Store(true)
		c.mu.Unlock()
		w.sleepBehind(notices)
		return nil
	case c.notices.Load() != notices:
		c.mu.Unlock()
		return nil
	}
	c.watcher = w
	if !w.until.Equal(c.wound) {
		c.wind(w.until)
	}
	c.mu.Unlock()
	err := c.raw.Read(w.look)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watcher = nil
	if w.other.waits.Load() {
		w.other.wake()
	}
	switch {
	case err == nil:
		return nil
	case c.isClosed():
		return net.ErrClosed
	case !errors.Is(err, os.ErrDeadlineExceeded):
		return err
	case !w.until.IsZero() && w.until.Equal(c.wound):
		return err
	}
	return nil // somebody has changed the deadline meanwhile
}

// sleepBehind waits for its turn, unless the other one has read a notice before it knew of
// this one.
func (w *waiter) sleepBehind(notices uint32) {
	defer w.waits.Store(false)
	if w.conn.notices.Load() != notices {
		return
	}
	var late <-chan time.Time
	if ends := w.ends.Load(); ends != 0 {
		timer := time.NewTimer(time.Duration(ends) - time.Since(w.conn.born))
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-w.turn:
	case <-late:
	}
}

// wind sets the deadline of the waiter at the socket. The lock is held.
func (c *Conn) wind(t time.Time) {
	c.wound = t
	_ = c.socket.SetReadDeadline(t) // a socket that is closed wakes them, too
}

// drainedAtOnce is how often notices are read before it is looked whether there still is
// somebody to wait: a peer may send them without end.
const drainedAtOnce = 16

// drain reads the notices that have come, and passes over them. It reports whether something
// has come, and whether more may be there.
func (c *Conn) drain(fd uintptr) (woken, more bool) {
	var notices [64]byte
	for range drainedAtOnce {
		n, err := unix.Read(int(fd), notices[:])
		switch {
		case n > 0 && n < len(notices):
			return true, false // who waits on reads again before it sleeps
		case n > 0:
			woken = true
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			return woken, false
		default: // the end, or the peer has cut the connection
			c.gone.Store(true)
			return true, false
		}
	}
	return woken, true
}
