package mxp_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// budgeted is a server whose connections may hold 1.5 MiB together, or as much as 220
// streams cost. Its streams end when the test tells them to, even after their connections.
func budgeted(t *testing.T) (r *running, begun *atomic.Int64) {
	t.Helper()
	begun = new(atomic.Int64)
	ends := make(chan struct{})
	services := mxp.NewServices()
	services.Service("demo.Echo").
		Call(1, func(_ context.Context, r *mxp.Request) ([]byte, error) { return r.Value, nil }).
		Stream(2, func(context.Context, *mxp.Request, *mxp.Stream) error {
			begun.Add(1)
			<-ends
			return nil
		})
	server := mxp.NewServer(mxp.ServerOptions{Services: services, MemoryBytes: 4 << 20})
	at := places.Free(t)
	listener, err := server.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	t.Cleanup(func() {
		close(ends)
		server.Close()
	})
	return &running{server: server, at: at}, begun
}

// opens makes an intruder open streams with one write.
func (p *peer) opens(count int) {
	p.t.Helper()
	for range count {
		if _, err := p.s.Open(session.Request{Method: 2}, 0, 0, nil, false, 0); err != nil {
			p.t.Fatal(err)
		}
	}
	if err := p.flush(); err != nil {
		p.t.Fatal(err)
	}
}

// A read brings many requests, each of which costs more than its bytes: requests that the budget
// has no room for don't begin. [MXP-15.4]
func TestRequestsOfOneReadStayWithinTheBudget(t *testing.T) {
	r, begun := budgeted(t)
	greet(t, r)
	p := greet(t, r)
	p.opens(900)
	if why := p.ends(); why != "limit_server_bytes" {
		t.Errorf("the connection ends with %s", why)
	}
	if n := begun.Load(); n < 100 || n > 300 {
		t.Errorf("%d handlers have begun", n)
	}
}

// A connection that is ended since it holds most goes on to hold what its handlers do until
// they return. That is no reason to end another. [MXP-15.4]
func TestConnectionThatEndsIsNotCountedTwice(t *testing.T) {
	r, begun := budgeted(t)
	other := greet(t, r)
	other.opens(15) // it holds more than what any may
	eventually(t, func() bool { return begun.Load() == 15 })
	p := greet(t, r)
	p.opens(900)
	if why := p.ends(); why != "limit_server_bytes" {
		t.Errorf("the connection ends with %s", why)
	}
	for _, p := range []*peer{greet(t, r), other} {
		if !p.answered() {
			t.Errorf("a connection has ended that holds little: %v", p.told)
		}
	}
}

// A connection that is ended since it holds most, and goes on to send, is read slowly as long
// as much is held: what it sends is passed over. [MXP-11.5]
func TestWhatIsPassedOverIsReadSlowly(t *testing.T) {
	if places.Plain == "pipe" {
		t.Log("a pipe ends in both directions at once, and nothing is passed over")
		return
	}
	r, _ := budgeted(t)
	p := greet(t, r)
	p.opens(900)
	if _, err := p.socket.Read(make([]byte, 64<<10)); err != nil { // it is told that it has ended
		t.Fatal(err)
	}
	const piece = 16 << 10
	const inTheSocket = 1 << 20
	began, written := time.Now(), 0
	for n, err := 0, error(nil); err == nil; written += n {
		n, err = p.socket.Write(make([]byte, piece))
	}
	took := time.Since(began)
	if most := inTheSocket + int(took/(10*time.Millisecond)+1)*piece; written > most {
		t.Errorf("%d bytes were read in %v, more than %d", written, took, most)
	}
	if written < 1<<20/8 {
		t.Errorf("after %d bytes the connection is closed", written)
	}
}

// answered reports whether a call is.
func (p *peer) answered() bool {
	if _, err := p.s.Call(session.Request{Method: 1}, []byte("here"), 0); err != nil || p.flush() != nil {
		return false
	}
	isAnswer := func(in session.Incoming) bool { _, is := in.(*session.Response); return is }
	for !slices.ContainsFunc(p.told, isAnswer) {
		if !p.read() {
			return false
		}
	}
	return true
}
