package mxp

import (
	"context"
	"sync"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/link"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// work is a call or a stream of the peer's, and the context of its handler.
type work struct {
	handlerContext
	asked  Request
	method *handlerEntry
	conn   *conn
	id     uint64
	came   uint64 // when it did
}

// Begin lets the handler run.
func (w *work) Begin() {
	if w.asked.stream != nil {
		go w.serve()
		return
	}
	w.conn.options.workers.begin(w)
}

// serve runs the handler, and answers.
func (w *work) serve() {
	reply, err := Reply{}, errExited
	meter := w.conn.options.meters.begin(&w.asked, true)
	ctx, told := w.conn.options.telemetry.begin(w, &w.asked, true)
	defer func() { // also where the handler ends its goroutine
		if w.conn.crashes(err) {
			return
		}
		var now uint64
		if s := w.asked.stream; s != nil {
			now = s.served(err)
		} else {
			now, err = w.conn.respond(ctx, w.id, w.asked.target(), reply, err)
		}
		meter.end(link.Micros(now-w.came), err)
		told.end(err)
	}()
	reply, err = w.conn.invoke(ctx, w.method, &w.asked)
}

// workers are goroutines that wait for calls, of all connections of a server or a
// client: their stacks have grown already.
type workers struct {
	mu     sync.Mutex
	idle   []chan *work
	closed bool
}

// workersMax is how many wait.
const workersMax = 256

// begin lets a goroutine answer a call: one that waits, or a new one.
func (ws *workers) begin(w *work) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	last := len(ws.idle) - 1
	if last < 0 {
		go ws.serve(w)
		return
	}
	ws.idle[last] <- w
	ws.idle = ws.idle[:last]
}

// serve answers calls until there is too little to do.
func (ws *workers) serve(w *work) {
	next := make(chan *work, 1)
	for w != nil {
		w.serve()
		if !ws.wait(next) {
			return
		}
		w = <-next
	}
}

// wait reports whether a goroutine is to wait for the next call.
func (ws *workers) wait(next chan *work) bool {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.closed || len(ws.idle) == workersMax {
		return false
	}
	ws.idle = append(ws.idle, next)
	return true
}

// dismiss ends the goroutines that wait.
func (ws *workers) dismiss(forEver bool) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for _, next := range ws.idle {
		close(next)
	}
	ws.idle, ws.closed = nil, ws.closed || forEver
}

// respond answers a call, and gives the time at which it did, and the error that it was
// answered with.
func (c *conn) respond(ctx context.Context, id uint64, target engine.Target, reply Reply, err error) (time uint64, why error) {
	c.Lock()
	defer c.Unlock()
	if err == nil {
		held := len(reply.Value) + engine.ItemBytes
		c.Engine.Answers += held
		err = c.InLine(ctx, engine.SizeOf(reply.Value), false, func() error {
			time = c.Now()
			err := c.Engine.Respond(id, reply.Metadata, reply.Value, time)
			if err == nil {
				c.Engine.Answers -= held
			}
			return err
		}, (*link.Conn).Answered)
		if err == nil {
			return time, nil
		}
		c.Engine.Answers -= held
		err = c.Engine.Refused(err)
	}
	time = c.Now()
	c.fail(id, target, err)
	c.Engine.Over(id)
	c.Answered()
	return time, err
}

// handlerContext is a request of the peer's while its handler runs. It is the handler's
// context, which costs less than one of package context: most handlers never ask
// whether it has ended.
type handlerContext struct {
	values   context.Context // that of the trace, or nothing
	request  *Request
	deadline time.Time // zero if there is none

	mu    sync.Mutex
	done  chan struct{} // nil until somebody asks for it
	err   error         // why it has ended
	after map[*func()]struct{}
}

// take makes this the context of the handler of a request of the peer's. The deadline is in
// microseconds from now; 0 for none.
func (h *handlerContext) take(r *Request, deadline uint64, trace *session.Trace) {
	h.request, h.values = r, remoteTrace(trace, r)
	if deadline > 0 && deadline < 1<<50 {
		h.deadline = time.Now().Add(time.Duration(deadline) * time.Microsecond)
	}
}

// Deadline is the request's.
func (h *handlerContext) Deadline() (time.Time, bool) { return h.deadline, !h.deadline.IsZero() }

// Value is the request, or the trace's.
func (h *handlerContext) Value(key any) any {
	if key == (requestKey{}) {
		return h.request
	}
	return h.values.Value(key)
}

// Err is why the context has ended.
func (h *handlerContext) Err() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// Done is closed when the context ends.
func (h *handlerContext) Done() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.done == nil {
		h.done = newSignal()
		if h.err != nil {
			close(h.done)
		}
	}
	return h.done
}

// AfterFunc lets package context derive contexts without a goroutine for each.
func (h *handlerContext) AfterFunc(f func()) (stop func() bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err != nil {
		go f()
		return func() bool { return false }
	}
	if h.after == nil {
		h.after = map[*func()]struct{}{}
	}
	h.after[&f] = struct{}{}
	return func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		_, waits := h.after[&f]
		delete(h.after, &f)
		return waits
	}
}

// IsOver reports whether the context has ended.
func (h *handlerContext) IsOver() bool { return h.Err() != nil }

// End ends the context, unless it has ended.
func (h *handlerContext) End(end engine.End) {
	why := context.Canceled
	if end == engine.TooLate {
		why = context.DeadlineExceeded
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err != nil {
		return
	}
	h.err = why
	if h.done != nil {
		close(h.done)
	}
	for f := range h.after {
		go (*f)()
	}
	h.after = nil
}
