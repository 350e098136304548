//go:build go1.25

package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// program is a server or a client that does what lines say. It is the same in every
// language; conformance/README.md describes it.
type program struct {
	network *network
	servers map[string]*mxp.Server
	client  *mxp.Client
}

func newProgram(n *network) *program { return &program{network: n, servers: map[string]*mxp.Server{}} }

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
		Services: services, MemoryBytes: o.number("memory_bytes"), Limits: session.Limits{ConnectionBytes: o.number("connection_bytes")},
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
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(o.number("us"))*time.Microsecond)
	defer cancel()
	err := p.servers[o["server"]].Shutdown(ctx)
	p.network.say("shut %s %s", o["server"], verdict(err))
}

func (p *program) connect(options) {
	client, err := mxp.Dial("mxp+tcp://simulation:1", mxp.ClientOptions{Dial: p.network.dial})
	if err != nil {
		panic(err)
	}
	p.client = client
}

func (p *program) leave(o options) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(o.number("us"))*time.Microsecond)
	defer cancel()
	p.network.say("left %s", verdict(p.client.Shutdown(ctx)))
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

// deadlined is the context of a request.
func deadlined(o options) (context.Context, context.CancelFunc) {
	if o["deadline"] == "" {
		return context.WithCancel(context.Background())
	}
	return context.WithTimeout(context.Background(), time.Duration(o.number("deadline"))*time.Microsecond)
}

func headFrom(o options) head {
	return head{uint64(o.number("id")), uint64(o.number("work")), uint64(o.number("reply")), uint64(o.number("chunks"))}
}

func (p *program) ask(kind string, o options) {
	ctx, cancel := deadlined(o)
	defer cancel()
	h, got := headFrom(o), 0
	value := h.value(o.number("bytes"))
	var err error
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
	p.network.say("ended %s %d %s %d", kind, h.id, verdict(err), got)
}

// open opens a stream, sends its chunks with pauses, and reads those that come, with pauses.
func (p *program) open(o options) {
	ctx, cancel := deadlined(o)
	defer cancel()
	got, err := p.stream(ctx, o)
	p.network.say("ended stream %d %s %d", o.number("id"), verdict(err), got)
}

func (p *program) stream(ctx context.Context, o options) (got int, err error) {
	s, err := p.client.Open(ctx, service, methodStream, headFrom(o).value(o.number("bytes")))
	if err != nil {
		return 0, err
	}
	defer s.Close()
	pause := time.Duration(o.number("pause")) * time.Microsecond
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
