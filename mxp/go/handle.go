package mxp

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// handle does what an event asks for. The lock is held; what the event refers to
// is gone afterwards.
func (c *conn) handle(in session.Incoming) {
	switch in := in.(type) {
	case *session.Ready:
		c.greeted = time.Now()
		close(c.ready)
		c.options.logger.Debug("mxp: connection ready", "peer", c.options.peer, "services", in.Services)
		if all := c.session.Differences(); len(all) > 0 {
			first := &all[0]
			c.options.logger.Warn("mxp: methods refused", "peer", c.options.peer, "count", len(all), "first", first.Method.String(), "difference", first.Text)
		}
		if names := c.session.Uncompared(); len(names) > 0 {
			c.options.logger.Warn("mxp: types compared by fingerprints alone", "peer", c.options.peer, "count", len(names), "first", names[0])
		}
	case *session.Call:
		c.handleCall(in)
	case *session.Open:
		c.handleOpen(in)
	case *session.Event:
		c.handleEvent(in)
	case *session.Events:
		c.handleEvents(in)
	case *session.Response:
		c.answer(in.ID, Reply{owned(in.Metadata), c.session.Own(in.Value)}, nil)
	case *session.Ended:
		f := in.Failure
		f.Name, f.Text, f.Details = strings.Clone(f.Name), strings.Clone(f.Text), bytes.Clone(f.Details)
		if f.Name == session.ErrLost.String() && f.Text == "" {
			f.Text = lostText(c.cause)
		}
		c.answer(in.ID, Reply{}, &f)
	case *session.Chunk:
		if s := c.streams[in.ID]; s != nil {
			s.deliver(c, in)
		}
	case *session.Chunks:
		if s := c.streams[in.ID]; s != nil {
			s.deliverAll(c, in)
		}
	case *session.Finished:
		if s := c.streams[in.ID]; s != nil {
			s.finished(c)
		}
	case *session.Granted:
		if s := c.streams[in.ID]; s != nil {
			s.wake()
		}
	case *session.Acked:
		if in.Chunk == 0 {
			c.answer(in.ID, Reply{}, nil)
		}
	case *session.Cancelled:
		c.cancelled(in)
	case *session.Draining:
		c.draining()
		c.takeNoMore(engine.NotConnected(session.StatusUnavailable, "the peer takes no more requests", c.options.peer))
	case *session.Register, *session.Heartbeat, *session.Discover:
		if c.options.directory != nil {
			c.askDirectory(in)
		} else {
			c.options.agents.answer(c, in)
		}
	case *session.End:
		c.end(in)
	}
}

// takeNoMore lets nobody wait for this connection any more.
func (c *conn) takeNoMore(why *Failure) {
	c.disperse()
	if c.asker != nil {
		c.asker.unset(c, why)
	}
	if c.options.drains != nil {
		c.options.drains(why)
	}
}

// end notes why the session has ended.
func (c *conn) end(in *session.End) {
	c.why = in.Failure
	if c.why.Name == session.ErrLost.String() {
		c.why.Text = lostText(c.cause)
	}
	c.draining()
	c.unwanted = in.Remote && in.Refused && !engine.MayHeal(&c.why) && c.session.Stats().Silent()
	c.linger()
	why := *engine.NotConnected(session.StatusUnavailable, "the connection has ended: "+c.why.Error(), c.options.peer)
	if c.unwanted {
		why = c.why
		why.Peer = c.options.peer
	}
	c.takeNoMore(&why)
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
	for _, s := range c.streams {
		s.fail(c, &c.why)
	}
	if c.options.agents != nil {
		c.options.agents.release(c.options.owner)
	}
	if c.options.directory != nil {
		for _, h := range c.theirs {
			h.end(context.Canceled)
		}
		go c.options.directory.Release(c.owner())
	}
}

// owned copies metadata, which refer to a payload.
func owned(metadata []Metadatum) []Metadatum {
	if len(metadata) == 0 {
		return nil
	}
	copied := slices.Clone(metadata)
	for i, m := range copied {
		copied[i] = Metadatum{Key: strings.Clone(m.Key), Value: bytes.Clone(m.Value)}
	}
	return copied
}

// answer ends a request that was made here.
func (c *conn) answer(id uint64, reply Reply, err *Failure) {
	c.requestEnded(err)
	if s := c.streams[id]; s != nil && err != nil {
		s.fail(c, err)
		return
	}
	p := c.mine[id]
	if p == nil {
		return
	}
	delete(c.mine, id)
	c.next(forPlaces)
	p.reply = reply
	if err != nil {
		p.err = err
	}
	p.done <- struct{}{}
}

// over forgets a request of the peer's.
func (c *conn) over(id uint64) {
	if h := c.theirs[id]; h != nil {
		h.end(context.Canceled)
		delete(c.theirs, id)
		if c.lingers.Load() {
			c.reader.Signal() // it may wait for that alone
		}
	}
}

func (c *conn) cancelled(in *session.Cancelled) {
	if h := c.theirs[in.ID]; h != nil { // the handler lets go of its place when it returns
		why := context.Canceled
		if in.Why == session.ByDeadline {
			why = context.DeadlineExceeded
		}
		h.end(why)
	}
	if s := c.streams[in.ID]; s != nil {
		f := engine.Refusal(session.ErrCancelled, true)
		switch in.Why {
		case session.ByDeadline:
			f = engine.Refusal(session.ErrDeadlineExceeded, true)
		case session.ByCredit:
			f = engine.Refusal(session.ErrStreamCredit, true)
		}
		s.fail(c, &f)
	}
}

// refused answers a request whose method there is not.
func (c *conn) refused(in *session.Call, kind Kind) {
	s := c.options.services.list[in.Service]
	f := engine.MethodUnknown(s.methodsText(kind, in.Method))
	of := engine.Target{Service: s.name, Number: in.Method}
	c.warn("mxp: request refused", of, &f)
	c.options.telemetry.refused(remoteTrace(in.Trace, &Request{Metadata: in.Metadata}), of, &f)
	c.fail(in.ID, of, Refuse(f))
}

func (c *conn) handleCall(in *session.Call) {
	name, method := c.options.services.find(in.Service, in.Method, KindCall)
	if method == nil {
		c.refused(in, KindCall)
		return
	}
	w := &work{method: method, conn: c, id: in.ID, came: c.came}
	method.fill(&w.asked, c, name, in.Metadata, c.session.Own(in.Value))
	c.handled(&w.handling, in.ID, &w.asked, in.Deadline, in.Trace)
	c.inTurn(w)
}

// fail answers a request of any kind that has not been answered. Texts are cut, and
// details and texts left out that the peer doesn't take. What this side is to blame for is logged.
func (c *conn) fail(id uint64, of engine.Target, err error) {
	f := failureOf(err)
	if (f.Status == session.StatusInternal || f.Name == session.ErrPayloadTooLarge.String()) && !hasPanicked(err) {
		c.warn("mxp: request failed", of, &f)
	}
	f = engine.Sendable(f)
	failed := c.session.Fail(id, f, c.now())
	for _, drop := range []func(){func() { f.Details = nil }, func() { f.Text = "" }} {
		if failed == error(session.ErrPayloadTooLarge) {
			drop()
			failed = c.session.Fail(id, f, c.now())
		}
	}
	if failed != nil {
		c.session.Release(id, c.now())
	}
}

func (c *conn) handleOpen(in *session.Open) {
	name, method := c.options.services.find(in.Service, in.Method, KindStream)
	if method == nil {
		c.refused(&in.Call, KindStream)
		return
	}
	id := in.ID
	w := &work{method: method, conn: c, id: id, came: c.came}
	method.fill(&w.asked, c, name, in.Metadata, c.session.Own(in.Value))
	c.handled(&w.handling, id, &w.asked, in.Deadline, in.Trace)
	s := &Stream{of: w.asked.target(), ended: in.Final}
	s.place(c, id, windowMessages)
	if !w.deadline.IsZero() {
		s.waits.Most = time.Duration(in.Deadline) * time.Microsecond
		s.waits.Begun = w.deadline.Add(-s.waits.Most)
	}
	w.asked.stream = s
	if !in.Final {
		s.grant(c, c.options.window)
	}
	c.inTurn(w)
}
