package mxp_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// diary is what handlers write down, in the order in which they run.
type diary struct {
	mu    sync.Mutex
	words []string
}

func (d *diary) write(word string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.words = append(d.words, word)
}

func (d *diary) read() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.words)
}

// ordered is a server whose handlers write into a diary: 1 is a call, 2 an event that
// takes its time, 3 a stream, 4 an event that waits for a release.
func ordered(t *testing.T) (d *diary, r *running, release chan struct{}) {
	t.Helper()
	d, release = &diary{}, make(chan struct{})
	services := mxp.NewServices()
	services.Service("demo.Order").
		Call(1, func(_ context.Context, r *mxp.Request) ([]byte, error) {
			d.write("call " + string(r.Value))
			return nil, nil
		}).
		Event(2, func(_ context.Context, r *mxp.Request) error {
			time.Sleep(2 * time.Millisecond)
			d.write("event " + string(r.Value))
			return nil
		}).
		Stream(3, func(_ context.Context, r *mxp.Request, _ *mxp.Stream) error {
			d.write("stream " + string(r.Value))
			return nil
		}).
		Event(4, func(context.Context, *mxp.Request) error { <-release; return nil })
	r = &running{server: mxp.NewServer(mxp.ServerOptions{Services: services}), at: places.Free(t)}
	listener, err := r.server.Listen(r.at)
	if err != nil {
		t.Fatal(err)
	}
	go r.server.Serve(listener)
	t.Cleanup(r.server.Close)
	return d, r, release
}

// Events, calls and streams of a connection begin in the order in which they were made, and a
// request behind an event begins when the event's handler has ended. [MXP-7.10]
func TestWhatFollowsAnEventBeginsAfterIt(t *testing.T) {
	d, r, _ := ordered(t)
	p := greet(t, r)
	var want []string
	for n := range 50 {
		method := uint16(1 + n%3)
		value := fmt.Appendf(nil, "%d", n)
		want = append(want, [...]string{"call ", "event ", "stream "}[n%3]+string(value))
		var err error
		switch request := (session.Request{Method: method}); method {
		case 1:
			_, err = p.s.Call(request, value, 0)
		case 2:
			_, err = p.s.Event(request, value, n%2 == 0, session.Refuse, 0)
		case 3:
			_, err = p.s.Open(request, 1, 1, value, true, 0)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := p.flush(); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return len(d.read()) == len(want) })
	// Calls and streams run side by side, so that a stream may write before the call
	// ahead of it; an event is behind all that came before it, and before all behind it.
	at := map[string]int{}
	for i, word := range d.read() {
		at[word] = i
	}
	for i, word := range want {
		for _, later := range want[i+1:] {
			if at[word] > at[later] && strings.HasPrefix(word, "event ") {
				t.Errorf("%q was before %q: %q", later, word, d.read())
			}
		}
	}
}

// A request whose turn comes when nobody waits for it any more is not begun.
func TestWhatNobodyWaitsForIsNotBegun(t *testing.T) {
	d, r, release := ordered(t)
	p := greet(t, r)
	p.s.Event(session.Request{Method: 4}, nil, false, session.Refuse, 0)
	late, _ := p.s.Call(session.Request{Method: 1}, []byte("cancelled"), 0)
	stream, _ := p.s.Open(session.Request{Method: 3}, 1, 1, []byte("cancelled"), false, 0)
	p.s.Call(session.Request{Method: 1, Deadline: 1000}, []byte("late"), 0)
	p.s.Call(session.Request{Method: 1}, []byte("on time"), 0)
	if err := p.flush(); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return r.server.Stats().InFlightPeer == 4 })
	p.s.Cancel(late, 0)
	p.s.Cancel(stream, 0)
	if err := p.flush(); err != nil {
		t.Fatal(err)
	}
	for name := ""; name != session.ErrDeadlineExceeded.String(); { // which the server counts
		if !p.read() {
			t.Fatal("the connection is gone")
		}
		for _, in := range p.told {
			if e, is := in.(*session.Ended); is {
				name = e.Name
			}
		}
	}
	time.Sleep(10 * time.Millisecond) // for the cancels
	close(release)
	eventually(t, func() bool { return r.server.Stats().InFlightPeer == 0 })
	if got := d.read(); !slices.Equal(got, []string{"call on time"}) {
		t.Errorf("what was begun is %q", got)
	}
}
