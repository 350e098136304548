package mxp_test

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// counting counts the connections that a listener takes.
type counting struct {
	net.Listener
	taken atomic.Int64
}

// Accept counts.
func (c *counting) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.taken.Add(1)
	}
	return conn, err
}

// TestShutdownSendsWhatWaits has clients that leave right after they have sent
// events.
func TestShutdownSendsWhatWaits(t *testing.T) {
	var events atomic.Int64
	server := mxp.NewServer(mxp.ServerOptions{Services: echoServices(&events)})
	address := places.Free(t)
	inner, err := server.Listen(address)
	if err != nil {
		t.Fatal(err)
	}
	listener := &counting{Listener: inner}
	go server.Serve(listener)
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	const clients, each = 20, 50
	for range clients {
		client, err := mxp.Dial(address, mxp.ClientOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for range each {
			if err := client.Event(ctx, "demo.Echo", 4, []byte("tick")); err != nil {
				t.Fatal(err)
			}
		}
		if err := client.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		if _, err := client.Call(ctx, "demo.Echo", 1, nil); !errors.Is(err, session.ErrClosed) {
			t.Errorf("a client that was shut down answers %v", err)
		}
	}
	for events.Load() < clients*each && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	if n := events.Load(); n != clients*each {
		t.Errorf("%d of %d events have come", n, clients*each)
	}
	if n := listener.taken.Load(); n != clients {
		t.Errorf("%d clients have made %d connections", clients, n)
	}
}

// TestClientShutdownLetsCallsEnd shuts down during a call that is answered later, and
// during one that never is.
func TestClientShutdownLetsCallsEnd(t *testing.T) {
	release := make(chan struct{})
	services := mxp.NewServices()
	services.Service("demo.Slow").
		Call(1, func(context.Context, *mxp.Request) ([]byte, error) { <-release; return []byte("late"), nil }).
		Call(2, func(ctx context.Context, _ *mxp.Request) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() })
	server := mxp.NewServer(mxp.ServerOptions{Services: services})
	address := places.Free(t)
	listener, err := server.Listen(address)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	defer server.Close()
	for method, patience := range map[uint16]time.Duration{1: time.Minute, 2: 50 * time.Millisecond} {
		client, err := mxp.Dial(address, mxp.ClientOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := client.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		answered := make(chan error, 1)
		go func() {
			_, err := client.Call(context.Background(), "demo.Slow", method, nil)
			answered <- err
		}()
		for stats := client.Stats(); stats.InFlightHere == 0; stats = client.Stats() {
			time.Sleep(time.Millisecond)
		}
		if method == 1 {
			time.AfterFunc(20*time.Millisecond, func() { close(release) })
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		err = client.Shutdown(ctx)
		cancel()
		if (err == nil) != (method == 1) {
			t.Errorf("method %d: shutting down ends with %v", method, err)
		}
		if err := <-answered; (err == nil) != (method == 1) {
			t.Errorf("method %d: the call ends with %v", method, err)
		}
	}
}

// TestListenAndServeReturnsWhenCallsHaveEnded ends the context of a server during a call.
func TestListenAndServeReturnsWhenCallsHaveEnded(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	services := mxp.NewServices()
	services.Service("demo.Slow").Call(1, func(context.Context, *mxp.Request) ([]byte, error) {
		close(begun)
		<-release
		return []byte("late"), nil
	})
	address := places.Free(t)
	serving, end := context.WithCancel(t.Context())
	var returned atomic.Bool
	served := make(chan error, 1)
	go func() {
		err := mxp.NewServer(mxp.ServerOptions{Services: services}).ListenAndServe(serving, address)
		returned.Store(true)
		served <- err
	}()
	client, err := mxp.Dial(address, mxp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	go func() {
		<-begun
		end()
		for { // until nobody listens any more
			if probe, err := places.Dial(address); err != nil {
				break
			} else {
				probe.Close()
			}
		}
		time.Sleep(10 * time.Millisecond)
		if returned.Load() {
			t.Error("ListenAndServe returned before the call had ended")
		}
		close(release)
	}()
	reply, err := client.Call(ctx, "demo.Slow", 1, nil)
	if err != nil || string(reply.Value) != "late" {
		t.Errorf("the call ended with %q and %v", reply.Value, err)
	}
	if err := <-served; !errors.Is(err, mxp.ErrServerClosed) {
		t.Errorf("ListenAndServe returned %v", err)
	}
}
