package link

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// The following methods are a part of engine.Driver; the lock is held.

// Ready lets requests be made.
func (c *Conn) Ready(event *session.Ready) {
	c.greeted = time.Now()
	close(c.opened)
	c.Options.Logger.Debug("mxp: connection ready", "peer", c.Options.Peer, "services", event.Services)
	if all := c.Engine.Session.Differences(); len(all) > 0 {
		first := &all[0]
		c.Options.Logger.Warn("mxp: methods refused", "peer", c.Options.Peer, "count", len(all), "first", first.Method.String(), "difference", first.Text)
	}
	if names := c.Engine.Session.Uncompared(); len(names) > 0 {
		c.Options.Logger.Warn("mxp: types compared by fingerprints alone", "peer", c.Options.Peer, "count", len(names), "first", names[0])
	}
}

// Draining lets those know that one side takes no more requests who have asked for that.
func (c *Conn) Draining() {
	if !c.drains {
		c.drains = true
		if c.drained != nil {
			close(c.drained)
		}
	}
}

// Ended logs why the session has ended, and lets its last frame be written.
func (c *Conn) Ended(event *session.End) {
	c.linger()
	select {
	case <-c.opened:
	default:
		close(c.opened)
	}
	if event.Name != "" && event.Name != session.ErrLost.String() {
		side, level := "here", slog.LevelWarn
		if event.Remote {
			side = "peer"
		}
		if c.Options.Config.Role == session.Opener {
			level = slog.LevelDebug // the client tells of it, once for all attempts
		}
		c.Options.Logger.Log(context.Background(), level, "mxp: session refused", "peer", c.Options.Peer, "by", side, "status", event.Status.String(), "name", event.Name, "text", event.Text)
	}
}

// LeaveOut lets requests be made on other connections for a while.
func (c *Conn) LeaveOut() { c.out.Store(int64(Micros(c.Engine.Outlier.Until))) }

// Lighter wakes a reader that may wait for less to be held, or for requests to end.
func (c *Conn) Lighter() { c.reader.Signal() }

// LostText says why the transport is gone.
func (c *Conn) LostText() string {
	err := c.cause
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return "the peer has closed the connection"
	case isReset(err):
		return "the peer has reset the connection"
	case errors.Is(err, net.ErrClosed):
		return "the connection was closed here"
	}
	return err.Error()
}

// Take takes a part of the requests that wait in order, and reuses the memory of served ones.
func (c *Conn) Take(old []engine.Sequence) []engine.Sequence {
	c.Lock()
	defer c.Unlock()
	taken := c.Engine.Order.Take(old)
	if len(taken) == 0 && c.gone {
		c.share.Forget()
	}
	c.Account()
	c.reader.Signal()
	return taken
}
