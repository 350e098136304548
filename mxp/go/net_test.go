package mxp_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// echoServices are what the tests call.
func echoServices(events *atomic.Int64) *mxp.Services {
	services := mxp.NewServices()
	services.Service("demo.Echo").
		Call(1, func(_ context.Context, r *mxp.Request) ([]byte, error) { return r.Value, nil }).
		Call(2, func(_ context.Context, r *mxp.Request) ([]byte, error) {
			return nil, &mxp.Failure{Status: session.StatusFailedPrecondition, Name: "demo_refused", Text: string(r.Value), Details: []byte{1, 2}}
		}).
		Call(3, func(ctx context.Context, _ *mxp.Request) ([]byte, error) {
			<-ctx.Done()
			events.Add(1)
			return nil, ctx.Err()
		}).
		Event(4, func(context.Context, *mxp.Request) error { events.Add(1); return nil }).
		Stream(5, func(ctx context.Context, _ *mxp.Request, s *mxp.Stream) error {
			for {
				value, err := s.Recv(ctx)
				if errors.Is(err, io.EOF) {
					return nil
				}
				if err != nil {
					return err
				}
				if err := s.Send(ctx, []byte(strings.ToUpper(string(value)))); err != nil {
					return err
				}
			}
		})
	return services
}

// transports are the addresses that every test runs on.
var transports = map[string][]string{"unix": {"unix", "tcp", "tls", "shm"}, "pipe": {"pipe", "tcp", "tls"}}[places.Plain]

// isLocal reports whether a transport connects programs of one machine.
func isLocal(transport string) bool {
	return transport == "unix" || transport == "shm" || transport == "pipe"
}

// free is an address of a transport of this machine alone.
func free(t *testing.T, transport string) string {
	return strings.Replace(places.Free(t), "+"+places.Plain+":", "+"+transport+":", 1)
}

// running is a server and a client of it.
type running struct {
	server *mxp.Server
	client *mxp.Client
	events atomic.Int64
	at     string

	trusted *tls.Config // a client's, for TLS
}

func start(t *testing.T, transport string, options mxp.ServerOptions) *running {
	t.Helper()
	r := &running{}
	options.Services = echoServices(&r.events)
	client := mxp.ClientOptions{}
	switch transport {
	case "unix", "shm", "pipe":
		r.at = free(t, transport)
	case "tcp":
		r.at = "mxp+tcp://127.0.0.1:0"
	case "tls":
		r.at = "mxp+tls://127.0.0.1:0"
		options.TLS, client.TLS = certified(t)
		r.trusted = client.TLS
	}
	r.server = mxp.NewServer(options)
	listener, err := r.server.Listen(r.at)
	if err != nil {
		t.Fatal(err)
	}
	if !isLocal(transport) {
		r.at = "mxp+" + transport + "://" + listener.Addr().String()
	}
	go r.server.Serve(listener)
	t.Cleanup(r.server.Close)
	r.client, err = mxp.Dial(r.at, client)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.client.Close)
	return r
}

func everywhere(t *testing.T, test func(t *testing.T, r *running)) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) { test(t, start(t, transport, mxp.ServerOptions{})) })
	}
}

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestCall(t *testing.T) {
	everywhere(t, func(t *testing.T, r *running) {
		ctx := within(t, 10*time.Second)
		for _, size := range []int{0, 1, 100, 8 << 10, 1 << 20, 15 << 20} {
			value := []byte(strings.Repeat("x", size))
			reply, err := r.client.Call(ctx, "demo.Echo", 1, value)
			if err != nil || string(reply.Value) != string(value) {
				t.Fatalf("%d bytes: %d came back, %v", size, len(reply.Value), err)
			}
		}
	})
}

func TestManyCallsAtOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, r *running) {
		ctx := within(t, 20*time.Second)
		var all sync.WaitGroup
		for i := range 64 {
			all.Add(1)
			go func() {
				defer all.Done()
				for n := range 100 {
					value := fmt.Sprintf("%d of %d", n, i)
					reply, err := r.client.Call(ctx, "demo.Echo", 1, []byte(value))
					if err != nil || string(reply.Value) != value {
						t.Errorf("%q: %q, %v", value, reply.Value, err)
						return
					}
				}
			}()
		}
		all.Wait()
		stats := r.client.Stats()
		if stats.Calls.Count != 6400 || stats.InFlightHere != 0 {
			t.Errorf("%d calls were counted, %d are in flight", stats.Calls.Count, stats.InFlightHere)
		}
	})
}

func TestFailureKeepsWhatTheHandlerSaid(t *testing.T) {
	everywhere(t, func(t *testing.T, r *running) {
		_, err := r.client.Call(within(t, 5*time.Second), "demo.Echo", 2, []byte("why"))
		var f *mxp.Failure
		if !errors.As(err, &f) || f.Status != session.StatusFailedPrecondition || f.Name != "demo_refused" || f.Text != "why" || len(f.Details) != 2 || !f.Acted {
			t.Errorf("got %+v", err)
		}
	})
}

func TestWhatThereIsNotIsRefused(t *testing.T) {
	r := start(t, places.Plain, mxp.ServerOptions{})
	ctx := within(t, 5*time.Second)
	for _, one := range []struct {
		service string
		method  uint16
		want    session.Kind
	}{{"demo.Echo", 99, session.ErrMethodUnknown}, {"demo.Other", 1, session.ErrServiceUnknown}, {"demo.Echo", 4, session.ErrMethodUnknown}} {
		_, err := r.client.Call(ctx, one.service, one.method, nil)
		var f *mxp.Failure
		if !errors.Is(err, one.want) || !errors.As(err, &f) || f.Acted || !f.Retryable(false) {
			t.Errorf("%s/%d: %+v", one.service, one.method, err)
		}
	}
}

func TestDeadlineAndCancelEndTheHandlerToo(t *testing.T) {
	everywhere(t, func(t *testing.T, r *running) {
		_, err := r.client.Call(within(t, 50*time.Millisecond), "demo.Echo", 3, nil)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("deadline: %v", err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(50*time.Millisecond, cancel)
		_, err = r.client.Call(ctx, "demo.Echo", 3, nil)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancel: %v", err)
		}
		eventually(t, func() bool { return r.events.Load() == 2 && r.server.Stats().InFlightPeer == 0 })
	})
}

func eventually(t *testing.T, is func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come about")
		}
	}
}

func TestEventsAndAcks(t *testing.T) {
	everywhere(t, func(t *testing.T, r *running) {
		ctx := within(t, 10*time.Second)
		for range 10_000 {
			if err := r.client.Event(ctx, "demo.Echo", 4, []byte("tick")); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.client.Event(ctx, "demo.Echo", 4, nil, mxp.WithAck()); err != nil {
			t.Fatal(err)
		}
		if got := r.events.Load(); got != 10_001 {
			t.Errorf("%d events were taken before the Ack", got)
		}
	})
}

func TestStreamBothWays(t *testing.T) {
	everywhere(t, func(t *testing.T, r *running) {
		ctx := within(t, 10*time.Second)
		s, err := r.client.Open(ctx, "demo.Echo", 5, nil)
		if err != nil {
			t.Fatal(err)
		}
		const n = 5_000 // more than is granted at once
		go func() {
			for i := range n {
				if err := s.Send(ctx, fmt.Appendf(nil, "chunk %d", i)); err != nil {
					t.Error(err)
					return
				}
			}
			s.CloseSend()
		}()
		for i := range n {
			value, err := s.Recv(ctx)
			if err != nil || string(value) != fmt.Sprintf("CHUNK %d", i) {
				t.Fatalf("%d: %q, %v", i, value, err)
			}
		}
		if _, err := s.Recv(ctx); !errors.Is(err, io.EOF) {
			t.Errorf("at the end: %v", err)
		}
		eventually(t, func() bool { return r.client.Stats().InFlightHere == 0 && r.server.Stats().InFlightPeer == 0 })
	})
}

// A reader that stops does not make the other side's memory grow.
func TestStreamStopsAtItsWindow(t *testing.T) {
	r := start(t, places.Plain, mxp.ServerOptions{})
	s, err := r.client.Open(within(t, 10*time.Second), "demo.Echo", 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	sent := 0
	ctx := within(t, 300*time.Millisecond)
	for s.Send(ctx, make([]byte, 10<<10)) == nil {
		sent++
	}
	if most := 3 << 20 / (10 << 10); sent < 100 || sent > most {
		t.Errorf("%d chunks were taken, at most %d may be", sent, most)
	}
	s.Close()
	eventually(t, func() bool { return r.server.Stats().InFlightPeer == 0 })
}

// Chunks of up to half the window pass after any other chunks. [MXP-8.7]
func TestChunksUpToHalfTheWindowPass(t *testing.T) {
	everywhere(t, func(t *testing.T, r *running) {
		ctx := within(t, 10*time.Second)
		s, err := r.client.Open(ctx, "demo.Echo", 5, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 1<<20 - 1, 1 << 20, 600_000, 1 << 20, 0, 1 << 20} {
			if err := s.Send(ctx, make([]byte, n)); err != nil {
				t.Fatalf("%d bytes: %v", n, err)
			}
			if value, err := s.Recv(ctx); err != nil || len(value) != n {
				t.Fatalf("%d bytes came of %d: %v", len(value), n, err)
			}
		}
	})
}

// A chunk that might never be granted is refused at once, by either side. [MXP-8.7]
func TestChunkBeyondTheWindowIsRefused(t *testing.T) {
	r := start(t, places.Plain, mxp.ServerOptions{})
	ctx := within(t, 10*time.Second)
	s, err := r.client.Open(ctx, "demo.Echo", 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Send(ctx, make([]byte, 1<<20+1))
	const text = "stream_window: a chunk of 1048577 bytes, where the receiver's window lets 1048576 through"
	if !errors.Is(err, session.ErrStreamWindow) || !strings.Contains(err.Error(), text) {
		t.Errorf("it was sent with %v", err)
	}
	if err := s.Send(ctx, []byte("on")); err != nil {
		t.Error(err)
	}
	if value, err := s.Recv(ctx); err != nil || string(value) != "ON" {
		t.Errorf("the stream went on with %q, %v", value, err)
	}

	narrow, err := mxp.Dial(r.at, mxp.ClientOptions{StreamWindow: 100})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(narrow.Close)
	if s, err = narrow.Open(ctx, "demo.Echo", 5, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Send(ctx, make([]byte, 51)); err != nil {
		t.Error(err)
	}
	if _, err := s.Recv(ctx); !errors.Is(err, session.ErrStreamWindow) {
		t.Errorf("the handler's chunk ended the stream with %v", err)
	}
}

func TestShutdownLetsCallsEnd(t *testing.T) {
	everywhere(t, func(t *testing.T, r *running) {
		done := make(chan error, 1)
		// A call that has come to its end before the server was seen to have it is made
		// again, with more time.
		for most := 200 * time.Millisecond; ; most *= 2 {
			go func() {
				_, err := r.client.Call(within(t, most), "demo.Echo", 3, nil)
				done <- err
			}()
			eventually(t, func() bool { return r.server.Stats().InFlightPeer == 1 || len(done) == 1 })
			if len(done) == 0 {
				break
			}
			if err := <-done; !errors.Is(err, context.DeadlineExceeded) || most > 3*time.Second {
				t.Fatalf("the call ended with %v", err)
			}
		}
		if err := r.server.Shutdown(within(t, 5*time.Second)); err != nil {
			t.Error(err)
		}
		if err := <-done; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the call ended with %v", err)
		}
	})
}

// A connection that rests, and has given its memory back, goes on as before.
func TestConnectionsRestAndGoOn(t *testing.T) {
	everywhere(t, func(t *testing.T, r *running) {
		ctx := within(t, 10*time.Second)
		s, err := r.client.Open(ctx, "demo.Echo", 5, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := r.client.Call(ctx, "demo.Echo", 1, []byte("hello")); err != nil {
				t.Fatal(err)
			}
			if err := s.Send(ctx, []byte("again")); err != nil {
				t.Fatal(err)
			}
			if value, err := s.Recv(ctx); err != nil || string(value) != "AGAIN" {
				t.Fatalf("%q, %v", value, err)
			}
			time.Sleep(500 * time.Millisecond)
		}
		s.Close()
		eventually(t, func() bool { return r.server.Stats().InFlightPeer == 0 })
		time.Sleep(500 * time.Millisecond)
		if _, err := r.client.Call(ctx, "demo.Echo", 1, []byte("hello")); err != nil {
			t.Fatal(err)
		}
		stats := r.server.Stats()
		if got := stats.In.Of(frame.Hello).Frames; got != 1 {
			t.Errorf("%d connections were made", got)
		}
	})
}

func TestAgentsAreFoundWhileConnected(t *testing.T) {
	r := start(t, places.Plain, mxp.ServerOptions{Agents: true})
	ctx := within(t, 5*time.Second)
	other, err := mxp.Dial(r.at, mxp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	lease, err := other.Register(ctx, "synth", []string{"audio"}, time.Minute)
	if err != nil || lease != time.Minute {
		t.Fatal(lease, err)
	}
	if _, err := r.client.Register(ctx, "synth", nil, time.Minute); !errors.Is(err, session.ErrAgentTaken) {
		t.Errorf("a name that is taken: %v", err)
	}
	if _, err := other.Heartbeat(ctx, "synth"); err != nil {
		t.Error(err)
	}
	agents, err := r.client.Discover(ctx, "audio")
	if err != nil || len(agents) != 1 || agents[0].Name != "synth" {
		t.Errorf("found %+v, %v", agents, err)
	}
	other.Close()
	eventually(t, func() bool {
		agents, err := r.client.Discover(ctx, "")
		return err == nil && len(agents) == 0
	})
}
