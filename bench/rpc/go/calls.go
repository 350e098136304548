package main

import (
	"errors"
	"sync"
	"time"
)

// caller calls, and waits for the reply before it calls again.
type caller interface {
	// call calls once, and looks at the reply.
	call(payload) error
	// another is one more on the same connection; nil where it has one call in flight.
	another() caller
}

// flow sends for a while over one connection, returns when all of it has come, and counts the messages of both directions. The other
// end has to have counted the same.
type flow func(payload, until) (uint64, error)

// callers connects as many as the plan says, and returns what lets all of them call.
func (p *plan) callers(of peer, at address) (func(part) (uint64, error), error) {
	var all []caller
	for range p.connections {
		first, err := of.connect(at)
		if err != nil {
			return nil, err
		}
		all = append(all, first)
		for range p.inFlight - 1 {
			another := first.another()
			if another == nil {
				return nil, errors.New("this peer has one call in flight on a connection")
			}
			all = append(all, another)
		}
	}
	return func(part part) (uint64, error) { return callAll(all, part) }, nil
}

func callAll(all []caller, part part) (uint64, error) {
	var wait sync.WaitGroup
	counts := make([]uint64, len(all))
	flaws := make([]error, len(all))
	for i, one := range all {
		wait.Add(1)
		go func() {
			defer wait.Done()
			counts[i], flaws[i] = callOn(one, part)
		}()
	}
	wait.Wait()
	var calls uint64
	for _, n := range counts {
		calls += n
	}
	return calls, errors.Join(flaws...)
}

func callOn(one caller, part part) (uint64, error) {
	until := part.until.begun()
	var calls uint64
	for until.more() {
		var start time.Time
		if until.isTimed() {
			start = time.Now()
		}
		if err := one.call(part.payload); err != nil {
			return calls, err
		}
		if until.isTimed() {
			times.note(time.Since(start))
		}
		calls++
	}
	return calls, nil
}
