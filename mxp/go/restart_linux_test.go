package mxp_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// However often a server is restarted, by a drain while the next one takes its place, no
// caller sees a call fail. [MXP-11.1, MXP-14.6]
func TestRestartsFailNoCalls(t *testing.T) {
	at := "mxp+unix://" + filepath.Join(t.TempDir(), "s.sock")
	var served atomic.Int64
	services := mxp.NewServices()
	services.Service("demo.Echo").
		Call(1, func(_ context.Context, r *mxp.Request) ([]byte, error) {
			served.Add(1)
			return r.Value, nil
		}).
		Call(2, func(_ context.Context, r *mxp.Request) ([]byte, error) {
			served.Add(1)
			time.Sleep(rand.N(3 * time.Millisecond))
			return r.Value, nil
		}).
		Event(4, func(context.Context, *mxp.Request) error { served.Add(1); return nil }).
		Stream(5, func(ctx context.Context, r *mxp.Request, s *mxp.Stream) error {
			served.Add(1)
			return s.Send(ctx, r.Value)
		})
	listen := func() (*mxp.Server, net.Listener) {
		server := mxp.NewServer(mxp.ServerOptions{Services: services})
		listener, err := server.Listen(at)
		if err != nil {
			t.Fatal(err)
		}
		go server.Serve(listener)
		return server, listener
	}
	server, listener := listen()
	stop := make(chan struct{})
	var callers sync.WaitGroup
	var made, acted, failed atomic.Int64
	ctx := within(t, patience*10*time.Minute)
	for n := range 16 {
		client, err := mxp.Dial(at, mxp.ClientOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		callers.Add(1)
		go func() {
			defer callers.Done()
			value := make([]byte, 100)
			for {
				select {
				case <-stop:
					return
				default:
				}
				var err error
				switch made.Add(1); n % 4 {
				case 0, 1:
					_, err = client.Call(ctx, "demo.Echo", 1+uint16(n%2), value)
				case 2:
					err = client.Event(ctx, "demo.Echo", 4, value, mxp.WithAck())
				default:
					var s *mxp.Stream
					if s, err = client.Open(ctx, "demo.Echo", 5, value, mxp.WithoutChunks()); err == nil {
						_, err = s.Recv(ctx)
						s.Close()
					}
				}
				var f *mxp.Failure
				if errors.As(err, &f) && f.Acted {
					acted.Add(1)
				}
				if err != nil {
					failed.Add(1)
					t.Error(err)
				}
			}
		}()
	}
	restarts := number("MXP_RESTARTS", 20)
	var drains sync.WaitGroup
	for range restarts {
		time.Sleep(rand.N(20 * time.Millisecond))
		listener.Close() // so that the next one can listen before this one has drained
		old := server
		drains.Add(1)
		go func() {
			defer drains.Done()
			if err := old.Shutdown(ctx); err != nil {
				t.Error(err)
			}
		}()
		server, listener = listen()
	}
	close(stop)
	callers.Wait()
	drains.Wait()
	server.Close()
	t.Logf("%d restarts: %d requests, of which handlers saw %d; %d ended without an answer, %d failed", restarts, made.Load(), served.Load(), acted.Load(), failed.Load())
	if acted.Load()+failed.Load() > 0 || made.Load() < int64(restarts) {
		t.Errorf("of %d requests %d ended without an answer, and %d failed", made.Load(), acted.Load(), failed.Load())
	}
}
