package link

import (
	"context"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
)

// Signal wakes a goroutine that waits, once however often it is told.
type Signal chan struct{}

// Wake lets it look again.
func (s Signal) Wake() {
	select {
	case s <- struct{}{}:
	default:
	}
}

// InLine calls do as soon as the session doesn't refuse it for want of places or room, and earlier
// callers have had their turns. The lock is held, and let go of meanwhile. It calls follow behind
// each attempt.
func (c *Conn) InLine(ctx context.Context, size engine.FrameSize, request bool, do func() error, follow func(*Conn)) error {
	lines := &c.Engine.Lines
	n, err := lines.Try(size, request, do)
	if n < 0 {
		follow(c)
		return err
	}
	woken := make(Signal, 1)
	turn := lines.Wait(n, woken)
	for {
		follow(c)
		c.Account() // what waits for room
		c.Unlock()
		var err error
		select {
		case <-woken:
		case <-ctx.Done():
			err = ctx.Err()
		}
		c.Lock()
		if err != nil {
			lines.Leave(&turn)
			return err
		}
		if ok, err := lines.Again(&turn, size, do); ok {
			follow(c)
			return err
		}
	}
}

// Reject ends the session of a connection that has not begun to run.
func (c *Conn) Reject(f engine.Failure) {
	c.Lock()
	defer c.Unlock()
	c.Engine.Session.Reject(f, c.Now())
	c.Engine.Next()
}
