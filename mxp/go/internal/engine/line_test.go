package engine

import (
	"testing"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// waking counts how often somebody was woken.
type waking int

func (w *waking) Wake() { *w++ }

// A request does not pass requests that wait for a place, though there may be one; nor does a frame
// pass frames that wait for room of its size. [MXP-9.1]
func TestNobodyPassesTheLine(t *testing.T) {
	for _, one := range []struct {
		err     error
		size    FrameSize
		request bool
	}{
		{session.ErrLimitInFlight, Small, true},
		{session.ErrLimitInFlightBytes, Bulk, true},
		{session.ErrLimitQueueBytes, Small, false},
		{session.ErrLimitQueueBytes, Bulk, false},
	} {
		var l Lines
		n, _ := l.Try(one.size, one.request, func() error { return one.err })
		if n < 0 {
			t.Fatalf("%v: it does not wait", one.err)
		}
		first := l.Wait(n, new(waking))
		if n, _ := l.Try(one.size, one.request, func() error { t.Errorf("%v: it was tried ahead of its turn", one.err); return nil }); n < 0 {
			t.Errorf("%v: it does not wait for its turn", one.err)
		}
		var next waking
		second := l.Wait(n, &next)
		if done, err := l.Again(&first, one.size, func() error { return nil }); !done || err != nil || next != 1 {
			t.Errorf("%v: the first is done: %v, %v; the next was woken %d times", one.err, done, err, next)
		}
		l.Leave(&second)
		if l.Len() != 0 {
			t.Errorf("%v: %d wait", one.err, l.Len())
		}
	}
}

// Requests that get a place, and then find no room, wait for that behind the others.
func TestWhoWaitsMayChangeLines(t *testing.T) {
	var l Lines
	n, _ := l.Try(Small, true, func() error { return session.ErrLimitInFlight })
	var me, other waking
	turn := l.Wait(n, &me)
	n, _ = l.Try(Small, false, func() error { return session.ErrLimitQueueBytes })
	l.Wait(n, &other)
	if done, _ := l.Again(&turn, Small, func() error { return session.ErrLimitQueueBytes }); done {
		t.Fatal("it is done")
	}
	l.Room()
	if me != 0 || other != 1 {
		t.Errorf("woken are %d and %d", me, other)
	}
}
