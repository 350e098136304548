//go:build go1.25

package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/draw"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// program is a server or a client that does what lines say. It is the same in every
// language; conformance/README.md describes it.
type program struct {
	network *network
	servers map[string]*mxp.Server
	client  *mxp.Client
	failure error // why there is no client

	mu      sync.Mutex
	cancels map[int]context.CancelFunc // of requests that are made, by their ids; of one that was taken back it is nil
}

func newProgram(n *network) *program {
	return &program{network: n, servers: map[string]*mxp.Server{}, cancels: map[int]context.CancelFunc{}}
}

const service = "sim.Load"

// Numbers of methods.
const (
	methodCall = 1 + iota
	methodEvent
	methodStream
)

// head is the start of each value: which request it is, how long its handler takes, and
// the bytes, or the number of chunks, that are answered.
type head struct{ id, work, reply, chunks uint64 }

const headBytes = 32

func (h head) value(bytes int) []byte {
	value := make([]byte, headBytes+bytes)
	for i, n := range []uint64{h.id, h.work, h.reply, h.chunks} {
		binary.LittleEndian.PutUint64(value[8*i:], n)
	}
	return value
}

func headOf(value []byte) (h head) {
	for i, n := range []*uint64{&h.id, &h.work, &h.reply, &h.chunks} {
		*n = binary.LittleEndian.Uint64(value[8*i:])
	}
	return h
}

func (h head) sleep() { time.Sleep(time.Duration(h.work) * time.Microsecond) }

// options are the words of a line, key=value.
type options map[string]string

func optionsOf(words []string) options {
	o := options{}
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		o[key] = value
	}
	return o
}

func (o options) number(key string) int {
	if o[key] == "" {
		return 0
	}
	return number(o[key])
}

func (o options) time(key string) time.Duration {
	return time.Duration(o.number(key)) * time.Microsecond
}

func (p *program) command(words []string) {
	o := optionsOf(words[1:])
	switch words[0] {
	case "serve":
		p.serve(o)
	case "shutdown":
		go p.shutdown(o)
	case "client":
		p.connect(o)
	case "leave":
		go p.leave(o)
	case "call", "event":
		go p.ask(words[0], o)
	case "open":
		go p.open(o)
	case "announce":
		p.announce(o)
	case "cancel":
		p.cancel(o.number("id"))
	case "draw":
		draw.Fix(float64(o.number("part")) / 1e6)
	default:
		panic("no command " + words[0])
	}
}

func (p *program) serve(o options) {
	services := mxp.NewServices()
	services.Service(service).
		Call(methodCall, func(_ context.Context, r *mxp.Request) ([]byte, error) {
			h := headOf(r.Value)
			p.network.say("begun call %d %d", h.id, len(r.Value)-headBytes)
			h.sleep()
			p.network.say("done call %d", h.id)
			if h.chunks > 0 {
				return nil, &mxp.Failure{Status: session.StatusInvalidArgument, Name: "asked", Details: make([]byte, h.reply), Acted: true}
			}
			return h.value(int(h.reply)), nil
		}).
		Event(methodEvent, func(_ context.Context, r *mxp.Request) error {
			h := headOf(r.Value)
			p.network.say("begun event %d %d", h.id, len(r.Value)-headBytes)
			h.sleep()
			p.network.say("done event %d", h.id)
			return nil
		}).
		Stream(methodStream, func(ctx context.Context, r *mxp.Request, s *mxp.Stream) error {
			h := headOf(r.Value)
			p.network.say("begun stream %d %d", h.id, len(r.Value)-headBytes)
			err := h.stream(ctx, s)
			p.network.say("done stream %d", h.id)
			return err
		})
	server := mxp.NewServer(mxp.ServerOptions{
		Services: services, MemoryBytes: o.number("memory_bytes"), Limits: session.Limits{ConnectionBytes: o.number("connection_bytes"), InFlight: o.number("in_flight")},
	})
	p.servers[o["server"]] = server
	go server.Serve(p.network.listen(o.number("server")))
}

// stream reads all chunks, works after each, and sends its own.
func (h head) stream(ctx context.Context, s *mxp.Stream) error {
	for {
		_, err := s.Recv(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		h.sleep()
	}
	for range h.chunks {
		if err := s.Send(ctx, make([]byte, h.reply)); err != nil {
			return err
		}
		h.sleep()
	}
	return nil
}

func (p *program) shutdown(o options) {
	ctx, cancel := context.WithTimeout(context.Background(), o.time("us"))
	defer cancel()
	err := p.servers[o["server"]].Shutdown(ctx)
	p.network.say("shut %s %s", o["server"], verdict(err))
}

func (p *program) connect(o options) {
	how := mxp.ClientOptions{
		Dial: p.network.dial, Connections: o.number("connections"), ConnectTimeout: o.time("connect_us"),
		KeepOutliers: o["keep_outliers"] == "1", MemoryBytes: o.number("memory_bytes"), StreamWindow: o.number("window_bytes"),
		NoBatches: o["batches"] == "0", Limits: session.Limits{
			ConnectionBytes: o.number("connection_bytes"), InFlight: o.number("in_flight"), InFlightBytes: o.number("in_flight_bytes"),
		},
	}
	if o["attempts"] != "" {
		how.Interceptors = []mxp.Interceptor{marked}
		how.Retry = &mxp.RetryPolicy{
			Attempts: o.number("attempts"), LeastPause: o.time("least_us"), GreatestPause: o.time("greatest_us"),
			Budget: float64(o.number("budget")) / 1e6, Timeout: o.time("timeout_us"), Hedge: o.time("hedge_us"),
		}
	}
	addresses := make([]string, max(o.number("addresses"), 1))
	for i := range addresses {
		addresses[i] = address(i + 1)
	}
	if o["node"] == "1" {
		how.Node = address(1)
	}
	if at := o["address"]; at != "" {
		addresses = []string{at}
	}
	p.client, p.failure = mxp.DialAny(addresses, how)
}

// announce keeps a name at the node, and says each epoch and each loss.
func (p *program) announce(o options) {
	_, err := mxp.Announce(session.Registration{Name: o["name"], Lease: uint64(o.number("lease"))}, mxp.AnnounceOptions{
		Node: address(1), Dial: p.network.dial,
		Changed: func(epoch uint64, lost error) {
			if lost == nil {
				p.network.say("held %d", epoch)
				return
			}
			name, _, _ := strings.Cut(verdict(lost), " ")
			p.network.say("lost %s", name)
		},
	})
	if err != nil {
		panic(err)
	}
}

// idempotent marks the context of a call of an idempotent method.
type idempotent struct{}

// marked makes methods idempotent, which generated code says otherwise.
func marked(ctx context.Context, r *mxp.Request, next mxp.Handler) (mxp.Reply, error) {
	r.Idempotent = ctx.Value(idempotent{}) != nil
	return next(ctx, r)
}

func (p *program) leave(o options) {
	ctx, cancel := context.WithTimeout(context.Background(), o.time("us"))
	defer cancel()
	p.network.say("left %s", verdict(p.client.Shutdown(ctx)))
}

// cancel takes a request back, of which nothing more is said.
func (p *program) cancel(id int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cancels[id]()
	p.cancels[id] = nil
}

// ended says the name of a request's failure, whether somebody may have acted, how much has come, and the failure's status.
func (p *program) ended(kind string, o options, err error, got int) {
	p.mu.Lock()
	cancelled := p.cancels[o.number("id")] == nil
	p.mu.Unlock()
	if cancelled {
		return
	}
	status := session.StatusOK
	if f := (*mxp.Failure)(nil); errors.As(err, &f) {
		status = f.Status
	}
	p.network.say("ended %s %d %s %d %d", kind, o.number("id"), verdict(err), got, status)
}

// verdict is the name of a failure, and whether somebody may have acted.
func verdict(err error) string {
	var f *mxp.Failure
	switch {
	case err == nil:
		return "ok 1"
	case errors.As(err, &f):
		acted := 0
		if f.Acted {
			acted = 1
		}
		return fmt.Sprintf("%s %d", f.Name, acted)
	case errors.Is(err, context.DeadlineExceeded):
		return session.ErrDeadlineExceeded.String() + " 1"
	}
	return "unknown 1"
}

// context is that of a request, until it ends or is cancelled.
func (p *program) context(o options) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	if o["deadline"] != "" {
		ctx, cancel = context.WithTimeout(context.Background(), o.time("deadline"))
	}
	if o["idempotent"] == "1" {
		ctx = context.WithValue(ctx, idempotent{}, true)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cancels[o.number("id")] = cancel
	return ctx, cancel
}

func headFrom(o options) head {
	return head{uint64(o.number("id")), uint64(o.number("work")), uint64(o.number("reply")), uint64(o.number("chunks"))}
}

func (p *program) ask(kind string, o options) {
	ctx, cancel := p.context(o)
	defer cancel()
	h, got := headFrom(o), 0
	value := h.value(o.number("bytes"))
	err := p.failure
	if err != nil {
		p.ended(kind, o, err, 0)
		return
	}
	if kind == "call" {
		var reply mxp.Reply
		reply, err = p.client.Call(ctx, service, methodCall, value)
		if err == nil {
			if len(reply.Value) < headBytes || headOf(reply.Value) != h {
				panic("the answer is another's")
			}
			got = len(reply.Value) - headBytes
		}
	} else {
		var asks []mxp.Option
		if o["ack"] == "1" {
			asks = append(asks, mxp.WithAck())
		}
		err = p.client.Event(ctx, service, methodEvent, value, asks...)
	}
	p.ended(kind, o, err, got)
}

// open opens a stream, sends its chunks with pauses, and reads the peer's, with pauses.
func (p *program) open(o options) {
	ctx, cancel := p.context(o)
	defer cancel()
	got, err := p.stream(ctx, o)
	p.ended("stream", o, err, got)
}

func (p *program) stream(ctx context.Context, o options) (got int, err error) {
	s, err := p.client.Open(ctx, cmp.Or(o["service"], service), methodStream, headFrom(o).value(o.number("bytes")))
	if err != nil {
		return 0, err
	}
	defer s.Close()
	pause := o.time("pause")
	for range o.number("send") {
		if err := s.Send(ctx, make([]byte, o.number("size"))); err != nil {
			return 0, err
		}
		time.Sleep(pause)
	}
	if err := s.CloseSend(); err != nil {
		return 0, err
	}
	for {
		_, err := s.Recv(ctx)
		if errors.Is(err, io.EOF) {
			return got, nil
		}
		if err != nil {
			return got, err
		}
		got++
		time.Sleep(pause)
	}
}
