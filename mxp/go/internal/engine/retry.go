package engine

import (
	"errors"
	"fmt"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Policy says how failed requests are made again [MXP-14.8] [MXP-14.11]; its fields are as in the
// client's RetryPolicy.
type Policy struct {
	Attempts                  int
	LeastPause, GreatestPause time.Duration
	Budget                    float64
	Timeout                   time.Duration
	Hedge                     time.Duration
}

// Check refuses a policy that can't be.
func (p *Policy) Check() error {
	if p.Attempts >= 0 && p.LeastPause >= 0 && p.GreatestPause >= 0 && p.Budget >= 0 && p.Timeout >= 0 && p.Hedge >= 0 {
		return nil
	}
	return fmt.Errorf("mxp: Retry is %+v, and none of its fields can be less than 0", *p)
}

// Filled is the policy with defaults in place of zeros.
func (p Policy) Filled() Policy {
	orDefault(&p.Attempts, 3)
	orDefault(&p.LeastPause, 10*time.Millisecond)
	orDefault(&p.GreatestPause, time.Second)
	orDefault(&p.Budget, 0.1)
	return p
}

func orDefault[T int | float64 | time.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

// longest is the longest pause before a repetition; the first is 1.
func (p *Policy) longest(n int) time.Duration {
	pause := min(p.LeastPause, p.GreatestPause)
	for ; n > 1 && pause < p.GreatestPause; n-- {
		pause = min(2*pause, p.GreatestPause)
	}
	return pause
}

// HedgeAfter is after how long a call that has not ended is also made on another connection.
func (p *Policy) HedgeAfter() time.Duration { return max(p.Hedge, time.Millisecond) }

// Retry is a request that is made by a policy.
type Retry struct {
	Policy     Policy
	Made       int // times
	Idempotent bool
}

// Pause is how long to wait before the request is made again that has failed with err; false if it
// is not. Until is the request's deadline, zero for none. The cost of the repetition is spent.
func (r *Retry) Pause(err error, deadline, now time.Time, budget *RetryBudget, draw Draw) (time.Duration, bool) {
	if r.Made >= r.Policy.Attempts || !r.Repeatable(err) || errors.Is(err, session.ErrNotConnected) {
		return 0, false // one that has waited for a connection does not wait again [MXP-14.4]
	}
	longest := r.Policy.longest(r.Made)
	pause := longest/2 + draw.pause(longest/2)
	if !deadline.IsZero() && deadline.Sub(now) <= pause || !budget.Spend() {
		return 0, false
	}
	r.Made++
	return pause, true
}

// Repeatable reports whether a request that has failed may be made again by a policy.
func (r *Retry) Repeatable(err error) bool {
	var f *Failure
	return errors.As(err, &f) && MayHeal(f) && f.Retryable(r.Idempotent)
}

// MayHedge reports whether the request is also made on another connection.
func (r *Retry) MayHedge(budget *RetryBudget) bool {
	if r.Made >= r.Policy.Attempts || !budget.Spend() {
		return false
	}
	r.Made++
	return true
}

// RetryBudget is how much a client may spend on repetitions, of which each costs 1 [MXP-14.8].
type RetryBudget struct {
	less  float64 // than budgetMost
	Stats session.Stats
}

const budgetMost = 10

// Earn adds what a request pays in.
func (b *RetryBudget) Earn(part float64) { b.less = max(b.less-part, 0) }

// Spend reports whether there is enough for a repetition, which is then paid for.
func (b *RetryBudget) Spend() bool {
	if budgetMost-b.less < 1 {
		b.Stats.RetriesOverBudget++
		return false
	}
	b.less++
	b.Stats.Retries++
	return true
}
