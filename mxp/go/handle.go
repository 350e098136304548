package mxp

import (
	"context"
	"log/slog"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// The methods that follow are what the engine asks of the program around a connection; the lock is
// held. It is an engine.Driver.

// Now is the session's time.
func (c *conn) Now() uint64 { return c.now() }

// Ready lets requests be made.
func (c *conn) Ready(in *session.Ready) {
	c.greeted = time.Now()
	close(c.ready)
	c.options.logger.Debug("mxp: connection ready", "peer", c.options.peer, "services", in.Services)
	if all := c.link.Session.Differences(); len(all) > 0 {
		first := &all[0]
		c.options.logger.Warn("mxp: methods refused", "peer", c.options.peer, "count", len(all), "first", first.Method.String(), "difference", first.Text)
	}
	if names := c.link.Session.Uncompared(); len(names) > 0 {
		c.options.logger.Warn("mxp: types compared by fingerprints alone", "peer", c.options.peer, "count", len(names), "first", names[0])
	}
}

// Work makes the work of a call or a stream; nil if there is no such method, which the peer is told.
func (c *conn) Work(in *session.Call, opens *session.Open) engine.Work {
	kind := KindCall
	if opens != nil {
		kind = KindStream
	}
	name, method := c.options.services.find(in.Service, in.Method, kind)
	if method == nil {
		c.refused(in, kind)
		return nil
	}
	w := &work{method: method, conn: c, id: in.ID, came: c.came}
	method.fill(&w.asked, c, name, in.Metadata, c.link.Session.Own(in.Value))
	w.take(&w.asked, in.Deadline, in.Trace)
	if opens != nil {
		w.asked.stream = c.opened(w, opens)
	}
	return w
}

// opened puts a stream of the peer's on the connection.
func (c *conn) opened(w *work, in *session.Open) *Stream {
	s := &Stream{of: w.asked.target()}
	s.state = engine.Stream{Window: engine.WindowOf("", c.options.window), User: (*streamUser)(s), Ended: in.Final}
	s.conn.Store(c)
	c.link.Put(&s.state, in.ID)
	if !w.deadline.IsZero() {
		s.waits.Most = micros(in.Deadline)
		s.waits.Begun = w.deadline.Add(-s.waits.Most)
	}
	if !in.Final {
		c.link.Grant(&s.state)
	}
	return s
}

// refused answers a request whose method there is not.
func (c *conn) refused(in *session.Call, kind Kind) {
	s := c.options.services.list[in.Service]
	f := engine.MethodUnknown(s.methodsText(kind, in.Method))
	target := engine.Target{Service: s.name, Number: in.Method}
	c.warn("mxp: request refused", target, &f)
	c.options.telemetry.refused(remoteTrace(in.Trace, &Request{Metadata: in.Metadata}), target, &f)
	c.link.Fail(in.ID, f)
}

// Directory answers an agent request.
func (c *conn) Directory(in session.Incoming) {
	if c.options.directory != nil {
		c.askDirectory(in)
	} else {
		c.options.agents.answer(c, in)
	}
}

// Draining lets those know that one side takes no more requests who have asked for that.
func (c *conn) Draining() {
	if !c.drains {
		c.drains = true
		if c.drained != nil {
			close(c.drained)
		}
	}
}

// Detach lets no requests be made on the connection.
func (c *conn) Detach(why *Failure) {
	why.Peer = c.options.peer
	if c.asker != nil {
		c.asker.unset(c, why)
	}
	if c.options.drains != nil {
		c.options.drains(why)
	}
}

// Ended logs why the session has ended, and lets its last frame be written.
func (c *conn) Ended(in *session.End) {
	c.linger()
	select {
	case <-c.ready:
	default:
		close(c.ready)
	}
	if in.Name != "" && in.Name != session.ErrLost.String() {
		side, level := "here", slog.LevelWarn
		if in.Remote {
			side = "peer"
		}
		if c.options.config.Role == session.Opener {
			level = slog.LevelDebug // the client tells of it, once for all attempts
		}
		c.options.logger.Log(context.Background(), level, "mxp: session refused", "peer", c.options.peer, "by", side, "status", in.Status.String(), "name", in.Name, "text", in.Text)
	}
	if c.options.agents != nil {
		c.options.agents.release(c.options.owner)
	}
	if c.options.directory != nil {
		c.link.CancelAll()
		go c.options.directory.Release(c.owner())
	}
}

// LeaveOut lets requests be made on other connections for a while.
func (c *conn) LeaveOut() {
	c.outUntil.Store(int64(c.born.Sub(epoch) + micros(c.link.Outlier.Until)))
}

// Lighter wakes a reader that may wait for less to be held, or for requests to end.
func (c *conn) Lighter() { c.reader.Signal() }

// LostText says why the transport is gone.
func (c *conn) LostText() string { return lostText(c.cause) }

// fail answers a request of any kind that has not been answered. What this side is to blame for is
// logged.
func (c *conn) fail(id uint64, target engine.Target, err error) {
	f := failureOf(err)
	if (f.Status == session.StatusInternal || f.Name == session.ErrPayloadTooLarge.String()) && !hasPanicked(err) {
		c.warn("mxp: request failed", target, &f)
	}
	c.link.Fail(id, f)
}
