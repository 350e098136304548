package mxp_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// A connection that is not read is closed like any other.
func TestClosingDoesNotWaitForWhatIsNotRead(t *testing.T) {
	r := start(t, places.Plain, mxp.ServerOptions{Limits: session.Limits{Ping: session.Never, ConnectionBytes: 10_000}})
	p := greet(t, r)
	const size = 20_000
	if _, err := p.s.Call(session.Request{Method: 3}, make([]byte, size), 0); err != nil { // its handler waits
		t.Fatal(err)
	}
	if err := p.flush(); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return r.server.Stats().HeldBytes > size })
	closed := make(chan struct{})
	go func() {
		r.server.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(patience * 10 * time.Second):
		t.Fatal("the server is not closed")
	}
	eventually(t, func() bool { return r.events.Load() == 1 })
}

// Of streams whose chunks nobody takes, that is ended which holds most, on either side,
// where a connection holds more than it may. All else goes on. [MXP-15.3]
func TestStreamThatHoldsMostIsEnded(t *testing.T) {
	const most = 1 << 20
	limits := session.Limits{ConnectionBytes: most}
	seen, read := make(chan error, 8), make(chan struct{})
	services := mxp.NewServices()
	services.Service("demo.Held").
		Call(1, func(_ context.Context, r *mxp.Request) ([]byte, error) { return r.Value, nil }).
		Stream(2, func(ctx context.Context, r *mxp.Request, s *mxp.Stream) error { // reads when it may
			<-read
			for {
				if _, err := s.Recv(ctx); errors.Is(err, io.EOF) {
					return nil
				} else if err != nil {
					seen <- err
					return err
				}
			}
		}).
		Stream(3, func(ctx context.Context, r *mxp.Request, s *mxp.Stream) error { // sends as much as it is asked for
			for range r.Value[0] {
				if err := s.Send(ctx, make([]byte, 100_000)); err != nil {
					seen <- err
					return err
				}
			}
			<-ctx.Done() // all of it may have been sent before the stream ends
			seen <- ctx.Err()
			return ctx.Err()
		})
	server := mxp.NewServer(mxp.ServerOptions{Services: services, Limits: limits})
	at := places.Free(t)
	listener, err := server.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	t.Cleanup(server.Close)
	client, err := mxp.Dial(at, mxp.ClientOptions{Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	ctx := within(t, patience*20*time.Second)
	open := func(method uint16, value []byte) *mxp.Stream {
		s, err := client.Open(ctx, "demo.Held", method, value)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	called := func() {
		t.Helper()
		if _, err := client.Call(ctx, "demo.Held", 1, nil); err != nil {
			t.Errorf("a call beside: %v", err)
		}
	}
	ends := func(what string, err error) {
		t.Helper()
		var f *mxp.Failure
		if !errors.As(err, &f) || !errors.Is(err, session.ErrLimitConnectionBytes) || f.Status != session.StatusResourceExhausted || !f.Acted ||
			!strings.HasPrefix(f.Text, "its unread chunks hold ") || !strings.HasSuffix(f.Text, " bytes; the connection may hold 1048576") {
			t.Errorf("%s ended with %v", what, err)
		}
	}

	// At the server, whose handlers don't read.
	small, large := open(2, nil), open(2, nil)
	for range 4 {
		if err := small.Send(ctx, make([]byte, 100_000)); err != nil {
			t.Fatal(err)
		}
	}
	for err = nil; err == nil; err = large.Send(ctx, make([]byte, 100_000)) {
		called()
	}
	if !errors.Is(err, session.ErrLimitConnectionBytes) {
		t.Errorf("it was ended with %v", err)
	}
	close(read)
	ends("the handler's stream", <-seen)
	if err := small.CloseSend(); err != nil {
		t.Error(err)
	}
	if _, err := small.Recv(ctx); !errors.Is(err, io.EOF) {
		t.Errorf("the smaller stream ended with %v", err)
	}
	called()

	// At the client, which doesn't.
	small = open(3, []byte{4})
	large = open(3, []byte{20})
	if err := <-seen; !errors.Is(err, context.Canceled) {
		t.Errorf("the handler is told %v", err)
	}
	_, err = large.Recv(ctx)
	ends("the client's stream", err)
	for range 4 {
		if value, err := small.Recv(ctx); err != nil || len(value) != 100_000 {
			t.Errorf("the smaller stream: %d bytes, %v", len(value), err)
		}
	}
	small.Close()
	called()
	for who, stats := range map[string]func() session.Stats{"server": server.Stats, "client": client.Stats} {
		eventually(t, func() bool { return stats().InFlightPeer+stats().InFlightHere == 0 })
		s := stats()
		if n := s.Refusals[session.ErrLimitConnectionBytes.Number()]; n != 1 {
			t.Errorf("the %s has ended %d streams", who, n)
		}
		if s.HeldBytes > 1000 || !strings.Contains(s.Prometheus(), "mxp_held_bytes ") {
			t.Errorf("the %s holds %d bytes at the end", who, s.HeldBytes)
		}
	}
}
