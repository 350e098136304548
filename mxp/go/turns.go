package mxp

import (
	"bytes"
	"context"
	"runtime"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/buffers"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/link"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// events are the events of one frame whose handlers have not begun. The rest of an event is made
// when its handler begins.
type events struct {
	engine.Batch
	id       uint64 // 0 if no Ack is asked for
	came     uint64
	method   *handlerEntry
	conn     *conn
	service  string
	trace    *session.Trace
	metadata []Metadatum
}

// event is one of the peer's, when its handler begins.
type event struct {
	id     uint64 // 0 if no Ack is asked for
	came   uint64
	method *handlerEntry
	*occasion
}

// occasion is the context of an event's handler, with the request. It does not end.
type occasion struct {
	context.Context // that of the trace
	request         Request
}

// Value is the request, or the trace's.
func (o *occasion) Value(key any) any {
	if key == (requestKey{}) {
		return &o.request
	}
	return o.Context.Value(key)
}

// next makes the next event.
func (e *events) next() event {
	one := event{id: e.id, came: e.came, method: e.method, occasion: new(occasion)}
	value := e.Values.Take()
	metadata := e.metadata
	if e.Values.IsBatch() {
		value, metadata = bytes.Clone(value), engine.Owned(metadata) // a handler may keep what it gets
	}
	e.method.fill(&one.request, e.conn, e.service, metadata, value)
	one.Context = remoteTrace(e.trace, &one.request)
	return one
}

// Events makes events that wait for their turn; it is the engine's.
func (c *conn) Events(event session.Incoming) (*engine.Batch, bool) {
	all := &events{conn: c, came: c.Came}
	var trace *session.Trace
	switch in := event.(type) {
	case *session.Event:
		if all.service, all.method = c.options.services.find(in.Service, in.Method, KindEvent); all.method == nil {
			if in.Ack {
				c.refused(&session.Call{ID: in.ID, Service: in.Service, Method: in.Method, Trace: in.Trace, Metadata: in.Metadata}, KindEvent)
			}
			return nil, false
		}
		all.metadata, trace = engine.Owned(in.Metadata), in.Trace
		all.Values = engine.Single(c.Engine.Session.Own(in.Value))
		if in.Ack {
			all.id = in.ID
		}
	case *session.Events:
		if all.service, all.method = c.options.services.find(in.Service, in.Method, KindEvent); all.method == nil {
			return nil, false
		}
		all.metadata, trace = engine.Owned(in.Metadata), in.Trace
		data, buffer := c.Engine.Session.OwnIn(in.Data())
		all.Values = engine.Records(data, buffer, in.Len())
	}
	if trace != nil {
		copied := *trace
		all.trace = &copied
	}
	for i := range all.metadata {
		all.Extra += len(all.metadata[i].Key) + len(all.metadata[i].Value) + engine.ItemBytes
	}
	all.Driver = all
	return &all.Batch, true
}

// Serve begins to serve what waits in order; it is the engine's.
func (c *conn) Serve() { go c.serveTurns(nil) }

// serveTurns serves the taken requests and the waiting ones, one after the other, until there are
// none.
func (c *conn) serveTurns(batch []engine.Sequence) {
	left := batch
	defer func() {
		if left != nil { // a handler has ended the goroutine
			go c.serveTurns(left)
		}
	}()
	for {
		for len(left) > 0 {
			one := &left[0]
			if one.Next() {
				left = left[1:]
			}
			if one.Work != nil {
				c.beginWork(one.Work.(*work))
				continue
			}
			if c.Drops() {
				left = nil // calls and streams of the session have ended
				continue
			}
			next := one.Events.Driver.(*events).next()
			c.serveEvent(&next)
		}
		if batch = c.takeTurns(batch); len(batch) == 0 {
			left = nil
			return
		}
		left = batch
		runtime.Gosched() // other connections have their turns, too
	}
}

// takeTurns takes all waiting requests, or a part of them, and reuses the memory of the requests
// taken before, which have been served.
func (c *conn) takeTurns(old []engine.Sequence) []engine.Sequence {
	for i := range old {
		if e := old[i].Events; e != nil && e.Values.Len() == 0 {
			buffers.Give(e.Values.Buffer())
		}
	}
	return c.Take(old)
}

// beginWork begins a call or a stream whose turn it is, unless nobody waits for it any
// more.
func (c *conn) beginWork(w *work) {
	if !w.IsOver() {
		w.Begin()
		return
	}
	c.Lock()
	defer c.Unlock()
	c.Engine.Forget(w.id)
	c.Update()
}

// serveEvent runs the handler of an event, and answers if an Ack is asked for.
func (c *conn) serveEvent(e *event) {
	err := errExited
	meter := c.options.meters.begin(&e.request, true)
	ctx, told := c.options.telemetry.begin(e.occasion, &e.request, true)
	defer func() {
		told.end(err)
		meter.end(link.Micros(c.Now()-e.came), err)
		if !c.crashes(err) {
			c.tookEvent(e, err)
		}
	}()
	_, err = c.invoke(ctx, e.method, &e.request)
}

func (c *conn) tookEvent(e *event, err error) {
	if err != nil && !hasPanicked(err) {
		f := failureOf(err)
		c.warn("mxp: event handler", e.request.target(), &f)
	}
	if e.id == 0 {
		return
	}
	c.Lock()
	defer c.Unlock()
	if err != nil {
		c.fail(e.id, e.request.target(), err)
	} else {
		c.Engine.Ack(e.id)
	}
	c.Update()
}
