package mxp

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// liar is the directory of a node that answers as a test wants.
type liar struct {
	lease   uint64
	listing func(q *session.Query) session.Listing
	asked   atomic.Int64 // registrations, heartbeats and queries
}

func (l *liar) Register(context.Context, Owner, *session.Registration) (session.Lease, error) {
	l.asked.Add(1)
	return session.Lease{Lease: l.lease, Epoch: 1}, nil
}

func (l *liar) Heartbeat(context.Context, Owner, string) (session.Lease, error) {
	l.asked.Add(1)
	return session.Lease{Lease: l.lease, Epoch: 1}, nil
}

func (l *liar) Discover(_ context.Context, _ Owner, q *session.Query) (*session.Listing, error) {
	l.asked.Add(1)
	listing := l.listing(q)
	return &listing, nil
}

func (l *liar) Release(Owner) {}

// lies runs a node with a directory.
func lies(t *testing.T, directory Directory) string {
	t.Helper()
	at := places.Free(t)
	server := NewServer(ServerOptions{Directory: directory})
	listener, err := server.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	t.Cleanup(server.Close)
	return at
}

// soon waits until something is so.
func soon(t *testing.T, is func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come about")
		}
	}
}

// [MESH-3.4] For any lease that a node gives, heartbeats come no more often than the shortest lease
// needs, and a closed announcement leaves nothing.
func TestLeasesOfAHostileNodeAreHeldInBounds(t *testing.T) {
	for _, lease := range []uint64{0, 1, 999_999, 1 << 63, 1<<64 - 1} {
		t.Run(fmt.Sprint(lease), func(t *testing.T) {
			t.Parallel()
			node := &liar{lease: lease}
			a, err := Announce(session.Registration{Name: "n"}, AnnounceOptions{Node: lies(t, node)})
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			if _, err := a.Registered(ctx); err != nil {
				t.Fatal(err)
			}
			time.Sleep(500 * time.Millisecond)
			if asked := node.asked.Load(); asked > 4 {
				t.Errorf("the node was asked %d times in half a second", asked)
			}
		})
	}
}

func TestAnnouncementsLeaveNothing(t *testing.T) {
	at := lies(t, &liar{lease: 10_000_000})
	before := runtime.NumGoroutine()
	for range 10 {
		a, err := Announce(session.Registration{Name: "n"}, AnnounceOptions{Node: at})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Registered(t.Context()); err != nil {
			t.Fatal(err)
		}
		a.Close()
	}
	soon(t, func() bool { return runtime.NumGoroutine() <= before+2 })
}

// [MESH-2.8] A directory of which each answer has another version, at once, is asked after pauses;
// the query says the version that was answered.
func TestANodeThatChangesAlwaysIsAskedAfterPauses(t *testing.T) {
	var wrong atomic.Bool
	var last atomic.Uint64
	node := &liar{listing: func(q *session.Query) session.Listing {
		if q.Version != last.Load() {
			wrong.Store(true)
		}
		return session.Listing{Version: last.Add(1)}
	}}
	c, err := Dial("mesh:///n", ClientOptions{Node: lies(t, node)})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	time.Sleep(300 * time.Millisecond)
	c.Close()
	most := int64(time.Since(began)/(session.AskingPauseUs*time.Microsecond)) + 1
	if asked := node.asked.Load(); asked < 2 || asked > most {
		t.Errorf("the node was asked %d times, and may be %d", asked, most)
	}
	if wrong.Load() {
		t.Error("a query said another version than the last answer")
	}
}

// [MESH-3.2] A client connects to a bounded number of agents if there are more, and gone agents
// give way to others.
func TestAClientFollowsABoundedNumberOfAgents(t *testing.T) {
	var gone sync.Map
	var version atomic.Uint64
	at := lies(t, &liar{})
	node := &liar{listing: func(q *session.Query) session.Listing {
		listing := session.Listing{Version: version.Load() + 1}
		for i := range 1000 {
			if name := fmt.Sprint("agent-", i); !has(&gone, name) {
				listing.Agents = append(listing.Agents, Agent{Name: name, Addresses: []string{at}})
			}
			listing.Agents = append(listing.Agents, Agent{Name: fmt.Sprint("unreachable-", i), Addresses: []string{"mxp+nothing:///x"}})
		}
		if q.Version == listing.Version {
			time.Sleep(5 * time.Millisecond)
		}
		return listing
	}}
	c, err := Dial("mesh:///?capability=mix", ClientOptions{Node: lies(t, node)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	// ready are the endpoints, once each has its connection.
	ready := func() (endpoints []*endpoint) {
		soon(t, func() bool {
			c.mu.Lock()
			defer c.mu.Unlock()
			endpoints = c.endpoints
			if len(endpoints) > session.FollowedAgents {
				t.Fatalf("%d endpoints", len(endpoints))
			}
			return len(endpoints) == session.FollowedAgents && !slices.ContainsFunc(endpoints, func(e *endpoint) bool { return e.conn == nil })
		})
		return endpoints
	}
	first := ready()
	for i := range 900 {
		gone.Store(fmt.Sprint("agent-", i), true)
	}
	version.Add(1)
	for slices.Equal(first, ready()) {
		time.Sleep(time.Millisecond)
	}
}

func has(m *sync.Map, name string) bool { _, is := m.Load(name); return is }

// An endpoint of several addresses takes the next one while requests are turned away from a
// connection; the race detector looks on.
func TestAnEndpointMovesOnWhileItIsUnset(t *testing.T) {
	places := []Address{{Transport: &tcpTransport, Place: "nowhere:1"}, {Transport: &tcpTransport, Place: "nowhere:2"}}
	c := &Client{changed: newSignal()}
	e := c.endpoint(places[0].String(), places[0])
	e.places = places
	c.endpoints = []*endpoint{e}
	gone := new(conn)
	e.conn = gone
	var both sync.WaitGroup
	both.Add(1)
	go func() {
		defer both.Done()
		for range 1000 {
			e.elsewhere()
		}
	}()
	for range 1000 {
		c.unset(gone, "it drains")
	}
	both.Wait()
	if e.conn != nil || e.Failure == nil {
		t.Error("requests are still made on the connection")
	}
}
