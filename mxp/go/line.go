package mxp

import (
	"container/list"
	"context"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// line has those who wait for what the session has too little of now, in the order in
// which they asked. Only the first tries again; who leaves lets the next try [MXP-9.1].
type line struct{ waiting list.List }

// The lines of a connection. A request waits for a place among those in flight, and any
// frame for room in the queue, of which bulk has less.
const (
	forPlaces = iota
	forBulk
	forRoom
	lineCount
)

// bulkBytes is from which payload on a frame is bulk, as all chunks are.
const bulkBytes = 16 << 10

// frameSize says how much of the queue a frame takes.
type frameSize bool

const (
	small frameSize = false
	bulk  frameSize = true
)

func sizeOf(value []byte) frameSize { return len(value) >= bulkBytes }

// lineOf is where to wait for what was refused, if anywhere.
func (size frameSize) lineOf(err error) (n int, waits bool) {
	switch err { // the session returns them as they are
	case error(session.ErrLimitInFlight), error(session.ErrLimitInFlightBytes):
		return forPlaces, true
	case error(session.ErrLimitQueueBytes):
		if size == bulk {
			return forBulk, true
		}
		return forRoom, true
	}
	return 0, false
}

// crowded reports whether somebody waits already for what a frame will need.
func (c *conn) crowded(size frameSize, request bool) (n int, is bool) {
	switch {
	case request && c.lines[forPlaces].waiting.Len() > 0:
		return forPlaces, true
	case size == bulk:
		return forBulk, c.lines[forBulk].waiting.Len() > 0
	}
	return forRoom, c.lines[forRoom].waiting.Len() > 0
}

// next lets the first in a line try. The lock is held.
func (c *conn) next(n int) {
	if first := c.lines[n].waiting.Front(); first != nil {
		select {
		case first.Value.(chan struct{}) <- struct{}{}:
		default:
		}
	}
}

// roomMade lets those try who wait for the queue. The lock is held.
func (c *conn) roomMade() {
	c.next(forBulk)
	c.next(forRoom)
}

// disperse lets all try who wait, since they wait in vain. The lock is held.
func (c *conn) disperse() {
	for n := range c.lines {
		for e := c.lines[n].waiting.Front(); e != nil; e = e.Next() {
			select {
			case e.Value.(chan struct{}) <- struct{}{}:
			default:
			}
		}
	}
}

// inLine does something with the session as soon as that doesn't refuse it for want of
// places or room, and whoever has asked before has been let on. The lock is held, and
// let go of meanwhile. done follows each attempt.
func (c *conn) inLine(ctx context.Context, size frameSize, request bool, do func(now uint64) error, done func(*conn)) error {
	n, wait := c.crowded(size, request)
	if !wait {
		err := do(c.now())
		if n, wait = size.lineOf(err); !wait {
			done(c)
			return err
		}
	}
	turn := make(chan struct{}, 1)
	at := c.lines[n].waiting.PushBack(turn)
	leave := func() {
		c.lines[n].waiting.Remove(at)
		c.next(n)
	}
	for {
		done(c)
		c.account() // what waits for room
		c.mu.Unlock()
		var err error
		select {
		case <-turn:
		case <-ctx.Done():
			err = ctx.Err()
		}
		c.mu.Lock()
		if err != nil {
			leave()
			return err
		}
		err = do(c.now())
		other, wait := size.lineOf(err)
		if wait && other == n {
			continue
		}
		leave()
		if !wait {
			done(c)
			return err
		}
		n = other
		at = c.lines[n].waiting.PushBack(turn)
	}
}
