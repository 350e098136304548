package engine

import (
	"testing"
	"time"
)

// Pauses double from the least to the greatest. [MXP-14.8]
func TestPausesOfRepetitionsDouble(t *testing.T) {
	policy := Policy{LeastPause: 10 * time.Millisecond, GreatestPause: 50 * time.Millisecond}.Filled()
	for n, want := range []time.Duration{10, 20, 40, 50, 50} {
		if got := policy.longest(n + 1); got != want*time.Millisecond {
			t.Errorf("pause %d is %v", n+1, got)
		}
	}
	hour := Policy{LeastPause: time.Hour}.Filled()
	if got := hour.longest(1); got != time.Second {
		t.Errorf("a least pause that is greater than the greatest is %v", got)
	}
	if got := (Policy{}).Filled(); got != (Policy{Attempts: 3, LeastPause: 10 * time.Millisecond, GreatestPause: time.Second, Budget: 0.1}) {
		t.Errorf("the defaults are %+v", got)
	}
}

// The budget is enough for ten repetitions at first, and later for the repetitions that requests
// have paid for. [MXP-14.8]
func TestBudgetOfRepetitions(t *testing.T) {
	var b RetryBudget
	spent := func() (n int) {
		for b.Spend() {
			n++
		}
		return n
	}
	b.Earn(5) // there is never more than ten
	if n := spent(); n != 10 {
		t.Errorf("%d at first", n)
	}
	b.Earn(0.75)
	if n := spent(); n != 0 {
		t.Errorf("%d for three quarters", n)
	}
	for range 9 {
		b.Earn(0.25)
	}
	if n := spent(); n != 3 {
		t.Errorf("%d for three", n)
	}
	stats := b.Stats
	if stats.Retries != 13 || stats.RetriesOverBudget != 3 {
		t.Errorf("%d repetitions, %d over budget", stats.Retries, stats.RetriesOverBudget)
	}
}
