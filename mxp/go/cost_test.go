// The race detector takes memory of its own.

//go:build !race

package mxp_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// takenNow is how much memory the program takes, but for garbage.
func takenNow() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc + stats.StackInuse)
}

// Requests count no less than they take, but for a fifth. They may count more: stacks of handlers that have worked are
// larger than of handlers that wait at once, and may be used again. [MXP-15.2]
func TestRequestsCountNoLessThanTheyTake(t *testing.T) {
	const many = 4000
	waits := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	for name, ask := range map[string]func(*session.Session) error{
		"call": func(s *session.Session) error { _, err := s.Call(session.Request{Method: 1}, nil, 0); return err },
		"stream": func(s *session.Session) error {
			_, err := s.Open(session.Request{Method: 2}, 0, 0, nil, false, 0)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			services := mxp.NewServices()
			services.Service("demo.Cost").
				Call(1, func(ctx context.Context, _ *mxp.Request) ([]byte, error) { return nil, waits(ctx) }).
				Stream(2, func(ctx context.Context, _ *mxp.Request, s *mxp.Stream) error {
					_, err := s.Recv(ctx)
					return err
				})
			server, at := open(t, places.Plain, mxp.ServerOptions{Services: services, Limits: session.Limits{InFlight: 2 * many, ConnectionBytes: 1 << 30, Ping: session.Never}})
			p := greet(t, &running{at: at})
			for range many {
				if err := ask(p.s); err != nil {
					t.Fatal(err)
				}
			}
			all := p.bytes()
			before, counted := takenNow(), server.Counted()
			if _, err := p.socket.Write(all); err != nil {
				t.Fatal(err)
			}
			eventually(t, func() bool { return server.Stats().InFlightPeer == many })
			time.Sleep(300 * time.Millisecond)
			took, counts := (takenNow()-before)/many, (server.Counted()-counted)/many
			if took > counts*6/5 {
				t.Errorf("each takes %d bytes, and counts %d", took, counts)
			}
			runtime.KeepAlive(all)
		})
	}
}
