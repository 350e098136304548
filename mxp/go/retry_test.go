package mxp

import (
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Pauses double from the least to the greatest. [MXP-14.8]
func TestPausesOfRepetitionsDouble(t *testing.T) {
	policy := (&RetryPolicy{LeastPause: 10 * time.Millisecond, GreatestPause: 50 * time.Millisecond}).filled()
	for n, want := range []time.Duration{10, 20, 40, 50, 50} {
		if got := policy.longest(n + 1); got != want*time.Millisecond {
			t.Errorf("pause %d is %v", n+1, got)
		}
	}
	if got := (&RetryPolicy{LeastPause: time.Hour}).filled().longest(1); got != time.Second {
		t.Errorf("a least pause that is greater than the greatest is %v", got)
	}
	if got := *(&RetryPolicy{}).filled(); got != (RetryPolicy{Attempts: 3, LeastPause: 10 * time.Millisecond, GreatestPause: time.Second, Budget: 0.1}) {
		t.Errorf("the defaults are %+v", got)
	}
}

// There is enough for ten repetitions at first, and later for those that requests have paid
// for. [MXP-14.8]
func TestBudgetOfRepetitions(t *testing.T) {
	var s spendable
	spent := func() (n int) {
		for s.spend() {
			n++
		}
		return n
	}
	s.earn(5) // there is never more than ten
	if n := spent(); n != 10 {
		t.Errorf("%d at first", n)
	}
	s.earn(0.75)
	if n := spent(); n != 0 {
		t.Errorf("%d for three quarters", n)
	}
	for range 9 {
		s.earn(0.25)
	}
	if n := spent(); n != 3 {
		t.Errorf("%d for three", n)
	}
	var stats session.Stats
	s.addStats(&stats)
	if stats.Retries != 13 || stats.RetriesOverBudget != 3 {
		t.Errorf("%d repetitions, %d over budget", stats.Retries, stats.RetriesOverBudget)
	}
}

func TestPolicyWithFieldsBelow0IsRefused(t *testing.T) {
	for _, p := range []RetryPolicy{{Attempts: -1}, {LeastPause: -1}, {GreatestPause: -1}, {Budget: -1}, {Timeout: -1}, {Hedge: -1}} {
		if _, err := Dial("mxp+tcp://127.0.0.1:1", ClientOptions{Retry: &p}); err == nil {
			t.Errorf("%+v is taken", p)
		}
	}
}
