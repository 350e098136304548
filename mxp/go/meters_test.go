package mxp

import (
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// No reader of the counters sees a request that has failed as one that has ended well, at any moment: a counter of
// Prometheus never falls.
func TestNoReaderSeesAFailureAsSuccess(t *testing.T) {
	const requests = 200_000
	m, done := &meter{}, make(chan struct{})
	go func() {
		defer close(done)
		for range requests {
			m.begun.Add(1)
			m.end(time.Microsecond, &Failure{Status: session.StatusCancelled})
		}
	}()
	for isRunning := true; isRunning; {
		select {
		case <-done:
			isRunning = false
		default:
		}
		stats := m.stats()
		if ok := stats.Requests[session.StatusOK]; ok > 0 || stats.Requests[session.StatusCancelled] < stats.Took.Count || stats.InFlight < 0 {
			t.Fatalf("of requests that are cancelled it has %+v", stats)
		}
	}
	if stats := m.stats(); stats.Took.Count != requests || stats.InFlight != 0 {
		t.Errorf("it has %+v", stats)
	}
}
