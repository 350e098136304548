package mxp

import (
	"context"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// turn is a request of the peer's that waits for the events before it [MXP-7.10]: an
// event, or what begins as soon as it is its turn.
type turn struct {
	event
	work *work // a call or a stream; nil for an event
}

// event is one of the peer's.
type event struct {
	id     uint64 // 0 if no Ack is asked for
	came   uint64
	method *served
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

// bytes is what an event is counted as that waits [MXP-15.2].
func (e *event) bytes() int {
	n := len(e.request.Value) + itemBytes
	for i := range e.request.Metadata {
		n += len(e.request.Metadata[i].Key) + len(e.request.Metadata[i].Value) + itemBytes
	}
	return n
}

const (
	// eventsMax is how many events of a connection wait for their handlers before
	// nothing more is read.
	eventsMax = 1024
	// turnsMax and turnBytes are how many turns, and of how many bytes, are taken at once.
	turnsMax  = 1024
	turnBytes = 128 << 10
)

// handleEvent lets an event wait for its turn, with a value that is the connection's own.
func (c *conn) handleEvent(in *session.Event, value []byte) {
	name, method := c.options.services.find(in.Service, in.Method, KindEvent)
	if method == nil {
		if in.Ack {
			c.refused(&session.Call{ID: in.ID, Service: in.Service, Method: in.Method, Trace: in.Trace, Metadata: in.Metadata}, KindEvent)
		}
		return
	}
	one := event{method: method, came: c.came, occasion: new(occasion)}
	method.fill(&one.request, c, name, in.Metadata, value)
	one.Context = remoteTrace(in.Trace, &one.request)
	if in.Ack {
		one.id = in.ID
	}
	c.turns = append(c.turns, turn{event: one})
	c.waiting++
	c.begins += one.bytes()
	if !c.serving {
		c.serving = true
		go c.serveTurns(nil)
	}
}

// inTurn begins a call or a stream, or lets it wait for the events before it.
func (c *conn) inTurn(w *work) {
	if !c.serving {
		w.begin()
		return
	}
	c.turns = append(c.turns, turn{work: w})
}

// serveTurns serves what was taken and what waits, one after the other, until nothing
// does.
func (c *conn) serveTurns(taken []turn) {
	left := taken
	defer func() {
		if left != nil { // a handler has ended the goroutine
			go c.serveTurns(left)
		}
	}()
	for {
		for len(left) > 0 {
			one := &left[0]
			left = left[1:]
			if one.work != nil {
				c.beginWork(one.work)
			} else {
				c.serveEvent(&one.event)
			}
		}
		if taken = c.takeTurns(taken); len(taken) == 0 {
			left = nil
			return
		}
		left = taken
	}
}

// takeTurns takes what waits, or a part of it, and gives the memory of what was taken
// before, and has been served, to what comes.
func (c *conn) takeTurns(served []turn) []turn {
	clear(served)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begins -= c.begun
	c.begun = 0
	n := 0
	for n < min(len(c.turns), turnsMax) && c.begun < turnBytes {
		if one := &c.turns[n]; one.work == nil {
			c.begun += one.bytes()
			c.waiting--
		}
		n++
	}
	taken := c.turns[:n:n]
	switch {
	case n < len(c.turns):
		c.turns = c.turns[n:]
	case n > 0:
		c.turns = served[:0]
	default:
		c.turns, c.serving = nil, false
	}
	c.account()
	c.reader.Signal()
	return taken
}

// beginWork begins a call or a stream whose turn it is, unless nobody waits for it any
// more.
func (c *conn) beginWork(w *work) {
	if w.Err() == nil {
		w.begin()
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session.Release(w.id, c.now())
	delete(c.streams, w.id)
	c.over(w.id)
	c.update()
}

// serveEvent runs the handler of an event, and answers if an Ack is asked for.
func (c *conn) serveEvent(one *event) {
	err := errExited
	meter := c.options.meters.begin(&one.request, true)
	ctx, told := c.options.telemetry.begin(one.occasion, &one.request, true)
	defer func() {
		told.end(err)
		meter.end(micros(c.now()-one.came), err)
		if !c.crashes(err) {
			c.tookEvent(one, err)
		}
	}()
	_, err = c.invoke(ctx, one.method, &one.request)
}

func (c *conn) tookEvent(one *event, err error) {
	if err != nil && !hasPanicked(err) {
		f := failureOf(err)
		c.warn("mxp: event handler", one.request.target(), &f)
	}
	if one.id == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.fail(one.id, one.request.target(), err)
	} else if c.session.Ack(one.id, 0, c.now()) != nil {
		c.session.Release(one.id, c.now())
	}
	c.update()
}
