package mxp

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/link"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Reply is the answer to a call.
type Reply struct {
	Metadata []Metadatum
	Value    []byte
}

// Option changes one request.
type Option func(*requestOptions)

type requestOptions struct {
	metadata []Metadatum
	ack      bool
	final    bool
	full     session.Full
	read     *[]Metadatum
	retry    *engine.Policy
	retries  bool  // that policy counts, also if it is nil
	first    *conn // on which it is made, unless that takes no more; nil for any
}

// WithMetadata sends a key and a value beside the request's own.
func WithMetadata(key string, value []byte) Option {
	return func(o *requestOptions) { o.metadata = append(o.metadata, Metadatum{Key: key, Value: value}) }
}

// ReadMetadata takes the metadata of a call's answer, once there is one.
func ReadMetadata(target *[]Metadatum) Option { return func(o *requestOptions) { o.read = target } }

// WithAck makes Event wait until the peer's handler has taken the event.
func WithAck() Option { return func(o *requestOptions) { o.ack = true } }

// WithoutChunks makes Open open a stream on which this side sends nothing but the
// value, so that CloseSend need not be called.
func WithoutChunks() Option { return func(o *requestOptions) { o.final = true } }

// DropNewest makes an event that finds the queue full be dropped, instead of
// waiting for room. Drops are counted.
func DropNewest() Option { return func(o *requestOptions) { o.full = session.DropNewest } }

// DropOldest makes the oldest events that wait give way to one that finds the
// queue full.
func DropOldest() Option { return func(o *requestOptions) { o.full = session.DropOldest } }

// request is the session's form of a request. The lock is held.
func (c *conn) request(ctx context.Context, asked *Request) (r session.Request, err error) {
	r, refused := c.Engine.Asked(asked.Service, asked.Method)
	if refused != nil {
		return r, refused
	}
	r.Metadata, r.Trace = asked.Metadata, localTrace(ctx)
	if r.Trace != nil {
		r.Metadata = withState(ctx, asked)
	}
	if deadline, ok := ctx.Deadline(); ok {
		left := time.Until(deadline).Microseconds()
		if left <= 0 {
			return r, context.DeadlineExceeded
		}
		r.Deadline = uint64(left)
	}
	return r, nil
}

// sending does something with the session that takes room in the queue, as soon as
// there is some, and calls follow behind each attempt. The lock is not held.
func (c *conn) sending(ctx context.Context, size engine.FrameSize, request bool, follow func(*link.Conn), do func() error) error {
	c.Lock()
	defer c.Unlock()
	return c.InLine(ctx, size, request, do, follow)
}

// failed turns what a session refuses, or a context, into a Failure.
func failed(err error, acted bool) error {
	if err == nil {
		return nil
	}
	var kind session.Kind
	switch {
	case errors.As(err, &kind):
		f := engine.Refusal(kind, acted)
		return &f
	case errors.Is(err, context.DeadlineExceeded):
		f := engine.Refusal(session.ErrDeadlineExceeded, acted)
		return &f
	case errors.Is(err, context.Canceled):
		f := engine.Refusal(session.ErrCancelled, acted)
		return &f
	}
	return err
}

// ask makes a request that is answered, and waits for its end.
func (c *conn) ask(ctx context.Context, size engine.FrameSize, make func(now uint64) (uint64, error)) (reply Reply, err error) {
	p := pendings.Get().(*pendingRequest)
	var id uint64
	err = c.sending(ctx, size, true, (*link.Conn).Answered, func() (err error) {
		if id, err = make(c.Now()); err != nil {
			return c.Engine.Refused(err)
		}
		c.Engine.Wait(&p.Call, id)
		return nil
	})
	if err != nil {
		pendings.Put(p)
		return Reply{}, failed(err, false)
	}
	select {
	case <-p.done:
		reply, err = p.take()
	case <-ctx.Done():
		c.Lock()
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			c.Engine.Late(&p.Call, id)
		}
		c.Engine.Session.Cancel(id, c.Now()) // ends it, if nothing else has
		c.Update()
		c.Unlock()
		<-p.done
		reply, err = p.take()
		var f *Failure
		if errors.As(err, &f) && f.Name == session.ErrCancelled.String() {
			err = failed(ctx.Err(), f.Acted)
		}
	}
	pendings.Put(p)
	return reply, err
}

// pendingRequest is a request that was made here, and waits for its end. They are used
// again, with their channels.
type pendingRequest struct {
	engine.Call
	done link.Signal
}

var pendings = sync.Pool{New: func() any {
	done := make(link.Signal, 1)
	return &pendingRequest{engine.Call{Waiter: done}, done}
}}

// take gives how the request has ended.
func (p *pendingRequest) take() (reply Reply, err error) {
	if p.Failure != nil {
		err = p.Failure
	}
	reply = Reply{p.Metadata, p.Value}
	p.Metadata, p.Value, p.Failure = nil, nil, nil
	return reply, err
}

func newSignal() chan struct{} { return make(chan struct{}) }

func (c *conn) call(ctx context.Context, request *Request) (Reply, error) {
	return c.ask(ctx, engine.SizeOf(request.Value), func(now uint64) (uint64, error) {
		r, err := c.request(ctx, request)
		if err != nil {
			return 0, err
		}
		return c.Engine.Session.Call(r, request.Value, now)
	})
}

func (c *conn) event(ctx context.Context, request *Request) error {
	make := func(now uint64) (uint64, error) {
		r, err := c.request(ctx, request)
		if err != nil {
			return 0, err
		}
		return c.Engine.Session.Event(r, request.Value, request.options.ack, request.options.full, now)
	}
	if request.options.ack {
		_, err := c.ask(ctx, engine.SizeOf(request.Value), make)
		return err
	}
	do := func() error {
		_, err := make(c.Now())
		return c.Engine.Refused(err)
	}
	return failed(c.publish(ctx, engine.SizeOf(request.Value), request.options.full, do), false)
}

// open opens a stream on the connection.
func (c *conn) open(ctx context.Context, request *Request, s *Stream) error {
	return failed(c.sending(ctx, engine.SizeOf(request.Value), true, (*link.Conn).Update, func() error {
		r, err := c.request(ctx, request)
		if err != nil {
			return err
		}
		window := s.state.Window
		id, err := c.Engine.Session.Open(r, window.Messages, uint64(window.Bytes), request.Value, s.state.Closed, c.Now())
		if err != nil {
			return c.Engine.Refused(err)
		}
		s.place(c, id)
		return nil
	}), false)
}

// join lets an event share the frame of waiting events, if it can, and nobody waits for room. That
// frame waits for somebody who writes already.
func (c *conn) join(ctx context.Context, request *Request) bool {
	c.Lock()
	defer c.Unlock()
	if !c.Engine.Session.Joinable() || c.Engine.Lines.IsCrowded(engine.Small) {
		return false
	}
	r, err := c.request(ctx, request)
	return err == nil && c.Engine.Session.JoinEvent(r, request.Value)
}

// publish sends Events for which no Ack is asked, as soon as there is room, or as it is said
// what happens where there is none.
func (c *conn) publish(ctx context.Context, size engine.FrameSize, full session.Full, do func() error) error {
	if full == session.Refuse {
		return c.sending(ctx, size, false, (*link.Conn).Update, do)
	}
	c.Lock() // it waits for nobody
	defer c.Unlock()
	err := do()
	c.Update()
	return err
}
