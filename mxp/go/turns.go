package mxp

import (
	"bytes"
	"context"
	"runtime"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/buffers"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// turn is requests of the peer's that wait for the events before them [MXP-7.10]: events, or
// what begins as soon as it is its turn.
type turn struct {
	work   *work   // a call or a stream; nil for events
	events *events // those of one frame
	values int     // of these, which the turn has
}

// events are those of one frame whose handlers have not begun. Their values lie in one memory, and
// the rest of an event is made when its handler begins.
type events struct {
	id       uint64 // 0 if no Ack is asked for
	came     uint64
	method   *served
	conn     *conn
	service  string
	trace    *session.Trace
	metadata []Metadatum
	values   parcel
}

// event is one of the peer's, when its handler begins.
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

// counts is what the events are counted as, until the last has been served [MXP-15.2, MXP-17.8].
func (e *events) counts() int {
	n := len(e.values.data) + itemBytes
	for i := range e.metadata {
		n += len(e.metadata[i].Key) + len(e.metadata[i].Value) + itemBytes
	}
	return n
}

// next makes the next event.
func (e *events) next() event {
	one := event{id: e.id, came: e.came, method: e.method, occasion: new(occasion)}
	value := e.values.take()
	metadata := e.metadata
	if e.values.batch {
		value, metadata = bytes.Clone(value), owned(metadata) // a handler may keep what it gets
	}
	e.method.fill(&one.request, e.conn, e.service, metadata, value)
	one.Context = remoteTrace(e.trace, &one.request)
	return one
}

const (
	// eventsMax is how many events of a connection wait for their handlers before
	// nothing more is read.
	eventsMax = 1024
	// turnsMax and turnBytes are how many requests, and of how many bytes, are taken at once.
	turnsMax  = 256
	turnBytes = 128 << 10
)

// handleEvent lets an event wait for its turn.
func (c *conn) handleEvent(in *session.Event) {
	name, method := c.options.services.find(in.Service, in.Method, KindEvent)
	if method == nil {
		if in.Ack {
			c.refused(&session.Call{ID: in.ID, Service: in.Service, Method: in.Method, Trace: in.Trace, Metadata: in.Metadata}, KindEvent)
		}
		return
	}
	all := &events{method: method, service: name, metadata: owned(in.Metadata), values: parcel{data: c.session.Own(in.Value), left: 1}}
	if in.Ack {
		all.id = in.ID
	}
	c.inOrder(all, in.Trace)
}

// handleEvents lets the events of a batch wait for their turns.
func (c *conn) handleEvents(in *session.Events) {
	name, method := c.options.services.find(in.Service, in.Method, KindEvent)
	if method == nil {
		return
	}
	data, buffer := c.session.OwnIn(in.Data())
	c.inOrder(&events{
		method: method, service: name, metadata: owned(in.Metadata),
		values: parcel{data: data, buffer: buffer, left: int32(in.Len()), batch: true},
	}, in.Trace)
}

// inOrder lets events be served after what has come before them.
func (c *conn) inOrder(all *events, trace *session.Trace) {
	all.conn, all.came = c, c.came
	if trace != nil {
		copied := *trace
		all.trace = &copied
	}
	c.turns = append(c.turns, turn{events: all, values: int(all.values.left)})
	c.waiting += int(all.values.left)
	c.begins += all.counts()
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
			if one.values--; one.values <= 0 {
				left = left[1:]
			}
			if one.work != nil {
				c.beginWork(one.work)
				continue
			}
			if c.drops.Load() {
				left = nil // calls and streams of the session have ended
				continue
			}
			next := one.events.next()
			c.serveEvent(&next)
		}
		if taken = c.takeTurns(taken); len(taken) == 0 {
			left = nil
			return
		}
		left = taken
		runtime.Gosched() // other connections have their turns, too
	}
}

// takeTurns takes what waits, or a part of it, and gives the memory of what was taken
// before, and has been served, to what comes.
func (c *conn) takeTurns(served []turn) []turn {
	for i := range served {
		if e := served[i].events; e != nil && e.values.left == 0 {
			buffers.Give(e.values.buffer)
		}
	}
	clear(served)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begins -= c.begun
	c.begun = 0
	n, requests := 0, 0
	for n < len(c.turns) && requests < turnsMax && c.begun < turnBytes {
		one := &c.turns[n]
		if one.work != nil {
			n, requests = n+1, requests+1
			continue
		}
		values := min(one.values, turnsMax-requests)
		c.waiting -= values
		requests += values
		if values < one.values {
			return c.split(n, values, served)
		}
		c.begun += one.events.counts()
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
		if c.departed && !c.forgotten {
			c.options.budget.forget(c)
		}
	}
	c.account()
	c.reader.Signal()
	return taken
}

// split takes so many turns, and of the one behind them so many events: the others stay.
func (c *conn) split(n, values int, served []turn) []turn {
	taken := append(served[:0], c.turns[:n+1]...)
	taken[n].values = values
	c.turns[n].values -= values
	clear(c.turns[:n])
	c.turns = c.turns[n:]
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
