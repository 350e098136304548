package mxp_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// brokenServices have handlers of all kinds that panic, or end their goroutines, as the
// request says.
func brokenServices() *mxp.Services {
	breaks := func(r *mxp.Request) {
		if string(r.Value) == "exit" {
			runtime.Goexit()
		}
		panic("secret " + string(r.Value))
	}
	services := mxp.NewServices()
	services.Service("demo.Broken").
		Call(1, func(_ context.Context, r *mxp.Request) ([]byte, error) { breaks(r); return nil, nil }).
		Event(2, func(_ context.Context, r *mxp.Request) error { breaks(r); return nil }).
		Stream(3, func(_ context.Context, r *mxp.Request, _ *mxp.Stream) error { breaks(r); return nil }).
		Call(4, func(_ context.Context, r *mxp.Request) ([]byte, error) { return r.Value, nil })
	services.Intercept(func(ctx context.Context, r *mxp.Request, next mxp.Handler) (mxp.Reply, error) {
		if string(r.Value) == "intercepted" {
			breaks(r)
		}
		return next(ctx, r)
	})
	return services
}

// A handler, or an interceptor, that panics fails its request and nothing else: the peer
// is told that, and the log what with, and where.
func TestPanicsEndTheirRequestAlone(t *testing.T) {
	var log lines
	server := mxp.NewServer(mxp.ServerOptions{Services: brokenServices(), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	at := "mxp+unix://" + filepath.Join(t.TempDir(), "s.sock")
	listener, err := server.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	t.Cleanup(server.Close)
	client, err := mxp.Dial(at, mxp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	ctx := within(t, patience*20*time.Second)
	for _, value := range []string{"word", "intercepted", "exit"} {
		text := "the handler panicked"
		if value == "exit" {
			text = "the handler has ended its goroutine"
		}
		_, called := client.Call(ctx, "demo.Broken", 1, []byte(value))
		if err := client.Event(ctx, "demo.Broken", 2, []byte(value)); err != nil {
			t.Error(err)
		}
		acked := client.Event(ctx, "demo.Broken", 2, []byte(value), mxp.WithAck())
		stream, streamed := client.Open(ctx, "demo.Broken", 3, []byte(value))
		if streamed == nil {
			_, streamed = stream.Recv(ctx)
		}
		for what, err := range map[string]error{"call": called, "event": acked, "stream": streamed} {
			var f *mxp.Failure
			if !errors.As(err, &f) || f.Status != session.StatusInternal || f.Name != "internal" || f.Text != text || !f.Acted {
				t.Errorf("%s of %q: %v", what, value, err)
			}
		}
		if reply, err := client.Call(ctx, "demo.Broken", 4, []byte("on")); err != nil || string(reply.Value) != "on" {
			t.Errorf("after %q: %v", value, err)
		}
	}
	for what, n := range map[string]int{
		"level=ERROR msg=\"mxp: handler panicked\"": 8, "panic=\"secret word\"": 4, "brokenServices": 8, "method=demo.Broken/2": 6, "peer=" + at: 12,
		"msg=\"mxp: request failed\"": 3,
	} {
		if got := log.count(what); got < n {
			t.Errorf("the log has %s %d times, not %d", what, got, n)
		}
	}
	stats := server.Stats()
	if stats.In.Of(0x80).Frames != 1 || stats.InFlightPeer != 0 {
		t.Errorf("%d connections were made, %d requests have a place", stats.In.Of(0x80).Frames, stats.InFlightPeer)
	}
}

// A client's handlers are asked in the same way.
func TestPanicOfAClientsHandlerEndsItsRequestAlone(t *testing.T) {
	told := make(chan session.Ended, 1)
	at := "mxp+tcp://" + listening(t, func(socket net.Conn) {
		p := &peer{t: t, socket: socket, s: session.New(session.Config{Role: session.Acceptor}, 0)}
		p.flush()
		for !p.s.Ready() && p.read() {
		}
		p.told = nil
		p.s.Call(session.Request{Method: 1}, []byte("word"), 0)
		for p.flush(); p.read(); {
			for _, in := range p.told {
				if e, is := in.(*session.Ended); is {
					told <- *e
				}
			}
			p.told = nil
		}
	})
	client, err := mxp.Dial(at, mxp.ClientOptions{Services: brokenServices()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	select {
	case e := <-told:
		if e.Name != "internal" || e.Status != session.StatusInternal || !e.Acted {
			t.Errorf("the peer is told %+v", e)
		}
	case <-time.After(patience * 10 * time.Second):
		t.Error("the peer is told nothing")
	}
}

// crashForEver serves handlers whose panics end the program.
func crashForEver(at string) {
	server := mxp.NewServer(mxp.ServerOptions{Services: brokenServices(), CrashOnPanic: true})
	listener, err := server.Listen(at)
	if err != nil {
		panic(err)
	}
	server.Serve(listener)
}

func TestPanicsEndTheProgramIfTheyAreLetThrough(t *testing.T) {
	at := "mxp+unix://" + filepath.Join(t.TempDir(), "s.sock")
	var said bytes.Buffer
	server := program("crash", at)
	server.Stderr = &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	client, err := mxp.Dial(at, mxp.ClientOptions{ConnectTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	if _, err = client.Call(within(t, patience*20*time.Second), "demo.Broken", 1, []byte("word")); !errors.Is(err, session.ErrLost) {
		t.Errorf("the call ended with %v", err)
	}
	if err := server.Wait(); err == nil || !strings.Contains(said.String(), "panic: secret word") {
		t.Errorf("the program ended with %v: %s", err, said.String())
	}
}
