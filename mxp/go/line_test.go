package mxp

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// narrow is a client, and a server whose call 1 writes down what was asked, and waits to
// be let go.
func narrow(t *testing.T, server, client session.Limits, connect time.Duration) (c *Client, go_ chan struct{}, asked func() []byte) {
	t.Helper()
	var mu sync.Mutex
	var all []byte
	go_ = make(chan struct{})
	services := NewServices()
	services.Service("demo.Line").Call(1, func(ctx context.Context, r *Request) ([]byte, error) {
		mu.Lock()
		all = append(all, r.Value[0])
		mu.Unlock()
		select {
		case <-go_:
		case <-ctx.Done():
		}
		return r.Value, nil
	})
	s := NewServer(ServerOptions{Services: services, Limits: server})
	at := places.Free(t)
	listener, err := s.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(listener)
	t.Cleanup(s.Close)
	if c, err = Dial(at, ClientOptions{Limits: client, ConnectTimeout: connect}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if err := c.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c, go_, func() []byte {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}

// waitFor polls, and fails the test if it does not come about.
func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

func (c *Client) inLine() int {
	c.mu.Lock()
	conn := c.endpoints[0].conn
	c.mu.Unlock()
	conn.Lock()
	defer conn.Unlock()
	return conn.Engine.Lines.Len()
}

// Requests beyond the limit of requests in flight, by number or by bytes, are let on in the order
// in which they were made. [MXP-9.1, MXP-14.7]
func TestRequestsWaitInLine(t *testing.T) {
	for name, limits := range map[string]session.Limits{"number": {InFlight: 1}, "bytes": {InFlightBytes: 1}} {
		t.Run(name, func(t *testing.T) {
			client, go_, asked := narrow(t, session.Limits{}, limits, 0)
			var all sync.WaitGroup
			const n = 20
			for i := range byte(n) {
				all.Add(1)
				go func() {
					defer all.Done()
					if reply, err := client.Call(t.Context(), "demo.Line", 1, []byte{i}); err != nil || reply.Value[0] != i {
						t.Errorf("%d: %v, %v", i, reply.Value, err)
					}
				}()
				if i == 0 {
					waitFor(t, "the first is not asked", func() bool { return len(asked()) == 1 })
				}
				waitFor(t, "nobody waits", func() bool { return client.inLine() == int(i) })
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			var f *Failure
			if _, err := client.Call(ctx, "demo.Line", 1, []byte{99}); !errors.As(err, &f) || !errors.Is(err, context.DeadlineExceeded) || f.Acted {
				t.Errorf("who waited until his deadline is told %v", err)
			}
			close(go_)
			all.Wait()
			if got := asked(); !slices.IsSorted(got) || len(got) != n {
				t.Errorf("they were asked in the order %v", got)
			}
		})
	}
}

// Requests that the peer has no place for are made again, by the client.
func TestRequestsThatThePeerHasNoPlaceForAreMadeAgain(t *testing.T) {
	client, go_, asked := narrow(t, session.Limits{InFlight: 2}, session.Limits{}, 300*time.Millisecond)
	var all sync.WaitGroup
	for i := range byte(2) {
		all.Add(1)
		go func() {
			defer all.Done()
			if _, err := client.Call(t.Context(), "demo.Line", 1, []byte{i}); err != nil {
				t.Error(err)
			}
		}()
	}
	waitFor(t, "they are not asked", func() bool { return len(asked()) == 2 })
	// For how long, the connect timeout says where there is no deadline.
	began := time.Now()
	if _, err := client.Call(t.Context(), "demo.Line", 1, []byte{98}); !errors.Is(err, session.ErrLimitInFlight) || time.Since(began) < 20*time.Millisecond {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
	// A repetition that is on its way as the deadline passes is none that is made later.
	var late error
	for tries := 0; tries < 5; tries++ {
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
		_, late = client.Call(ctx, "demo.Line", 1, []byte{99})
		isOver := ctx.Err() != nil
		cancel()
		if errors.Is(late, session.ErrLimitInFlight) && !isOver {
			late = nil
			break
		}
	}
	if late != nil {
		t.Errorf("it is made again later than its deadline: %v", late)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for i := range byte(30) {
		all.Add(1)
		go func() {
			defer all.Done()
			if reply, err := client.Call(ctx, "demo.Line", 1, []byte{i}); err != nil || reply.Value[0] != i {
				t.Errorf("%d: %v", i, err)
			}
		}()
	}
	time.Sleep(5 * time.Millisecond) // for some to be refused
	close(go_)
	all.Wait()
	if stats := client.Stats(); stats.InFlightHere != 0 {
		t.Errorf("%d are in flight", stats.InFlightHere)
	}
}
