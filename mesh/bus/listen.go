package bus

import (
	"context"
	"errors"
	"sync"
)

// Bounds of the events that wait for a subscriber.
const (
	waitingMax      = 1024
	waitingBytesMax = 4 << 20
)

// ErrClosed is the error of a closed listener.
var ErrClosed = errors.New("bus: closed")

// Listener has events that wait for a subscriber. Where they are too many, the oldest are dropped
// and counted: a publisher never waits [MESH-5.1].
type Listener struct {
	mu      sync.Mutex
	waiting []*Event
	bytes   int
	dropped uint64
	closed  bool
	come    chan struct{}
	end     func()
	drops   func(n int)
}

func newListener(drops func(n int)) *Listener {
	return &Listener{come: make(chan struct{}, 1), end: func() {}, drops: drops}
}

// put adds an event.
func (l *Listener) put(e *Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.waiting = append(l.waiting, e)
	l.bytes += len(e.Value)
	drop := 0
	for len(l.waiting)-drop > waitingMax || l.bytes > waitingBytesMax && len(l.waiting)-drop > 1 {
		l.bytes -= len(l.waiting[drop].Value)
		l.waiting[drop] = nil
		drop++
	}
	if drop > 0 {
		l.waiting = append(l.waiting[:0], l.waiting[drop:]...)
		l.dropped += uint64(drop)
		l.drops(drop)
	}
	select {
	case l.come <- struct{}{}:
	default:
	}
}

// Next waits for the next event, which says how many were dropped before it.
func (l *Listener) Next(ctx context.Context) (*Event, error) {
	for {
		if e, err := l.take(); e != nil || err != nil {
			return e, err
		}
		select {
		case <-l.come:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (l *Listener) take() (*Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, ErrClosed
	}
	if len(l.waiting) == 0 {
		return nil, nil
	}
	e := l.waiting[0]
	l.waiting[0] = nil
	l.waiting = l.waiting[1:]
	l.bytes -= len(e.Value)
	e.Dropped, l.dropped = l.dropped, 0
	if len(l.waiting) > 0 {
		select {
		case l.come <- struct{}{}:
		default:
		}
	}
	return e, nil
}

// Close ends it.
func (l *Listener) Close() {
	l.end()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed, l.waiting = true, nil
	select {
	case l.come <- struct{}{}:
	default:
	}
}
