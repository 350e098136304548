package mxp

import (
	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/link"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// The methods that follow are what the engine asks of the program around a connection; the lock is
// held. With the methods of link.Conn it is an engine.Driver.

// Work makes the work of a call or a stream; nil if there is no such method, which the peer is told.
func (c *conn) Work(call *session.Call, opens *session.Open) engine.Work {
	kind := KindCall
	if opens != nil {
		kind = KindStream
	}
	name, method := c.options.services.find(call.Service, call.Method, kind)
	if method == nil {
		c.refused(call, kind)
		return nil
	}
	w := &work{method: method, conn: c, id: call.ID, came: c.Came}
	method.fill(&w.asked, c, name, call.Metadata, c.Engine.Session.Own(call.Value))
	w.take(&w.asked, call.Deadline, call.Trace)
	if opens != nil {
		w.asked.stream = c.opened(w, opens)
	}
	return w
}

// opened puts a stream of the peer's on the connection.
func (c *conn) opened(w *work, open *session.Open) *Stream {
	s := &Stream{of: w.asked.target()}
	s.state = engine.Stream{Window: engine.WindowOf("", c.options.Window), User: (*streamUser)(s), Ended: open.Final}
	s.conn.Store(c)
	c.Engine.Put(&s.state, open.ID)
	if !w.deadline.IsZero() {
		s.waits.Most = link.Micros(open.Deadline)
		s.waits.Begun = w.deadline.Add(-s.waits.Most)
	}
	if !open.Final {
		c.Engine.Grant(&s.state)
	}
	return s
}

// refused answers a request whose method there is not.
func (c *conn) refused(call *session.Call, kind Kind) {
	s := c.options.services.list[call.Service]
	f := engine.MethodUnknown(s.methodsText(kind, call.Method))
	target := engine.Target{Service: s.name, Number: call.Method}
	c.warn("mxp: request refused", target, &f)
	c.options.telemetry.refused(remoteTrace(call.Trace, &Request{Metadata: call.Metadata}), target, &f)
	c.Engine.Fail(call.ID, f)
}

// Directory answers an agent request.
func (c *conn) Directory(event session.Incoming) {
	if c.options.directory != nil {
		c.askDirectory(event)
	} else {
		c.options.agents.answer(c, event)
	}
}

// Detach lets no requests be made on the connection.
func (c *conn) Detach(why *Failure) {
	why.Peer = c.options.Peer
	if c.asker != nil {
		c.asker.unset(c, why)
	}
	if c.options.drains != nil {
		c.options.drains(why)
	}
}

// Ended removes the connection from the directories.
func (c *conn) Ended(event *session.End) {
	c.Conn.Ended(event)
	if c.options.agents != nil {
		c.options.agents.release(c.options.owner)
	}
	if c.options.directory != nil {
		c.Engine.CancelAll()
		go c.options.directory.Release(c.owner())
	}
}

// fail answers a request of any kind that has not been answered. Failures that this side is to blame for are
// logged.
func (c *conn) fail(id uint64, target engine.Target, err error) {
	f := failureOf(err)
	if (f.Status == session.StatusInternal || f.Name == session.ErrPayloadTooLarge.String()) && !hasPanicked(err) {
		c.warn("mxp: request failed", target, &f)
	}
	c.Engine.Fail(id, f)
}
