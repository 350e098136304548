package mxp

import (
	"context"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
)

// signal wakes a goroutine that waits, once however often it is told.
type signal chan struct{}

// Wake lets it look again.
func (s signal) Wake() {
	select {
	case s <- struct{}{}:
	default:
	}
}

// inLine does something with the session as soon as that doesn't refuse it for want of
// places or room, and whoever has asked before has been let on. The lock is held, and
// let go of meanwhile. done follows each attempt.
func (c *conn) inLine(ctx context.Context, size engine.FrameSize, request bool, do func() error, done func(*conn)) error {
	lines := &c.link.Lines
	n, err := lines.Try(size, request, do)
	if n < 0 {
		done(c)
		return err
	}
	woken := make(signal, 1)
	turn := lines.Wait(n, woken)
	for {
		done(c)
		c.account() // what waits for room
		c.mu.Unlock()
		var err error
		select {
		case <-woken:
		case <-ctx.Done():
			err = ctx.Err()
		}
		c.mu.Lock()
		if err != nil {
			lines.Leave(&turn)
			return err
		}
		if ok, err := lines.Again(&turn, size, do); ok {
			done(c)
			return err
		}
	}
}
