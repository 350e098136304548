package mxp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/draw"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// RetryPolicy says how a client makes requests again that have ended with StatusUnavailable
// [MXP-14.8]: calls, and events that are acknowledged, on which nobody has acted, or whose
// method is idempotent. A field that is 0 has its default.
type RetryPolicy struct {
	// Attempts is how often a request is made at most, the first time included; 3.
	Attempts int
	// LeastPause is the longest pause before the second attempt, 10 ms. It doubles from one
	// attempt to the next, up to GreatestPause, 1 s; a random part of it, between half and all,
	// is waited, and nothing is attempted that would be later than the deadline.
	LeastPause, GreatestPause time.Duration
	// Budget is how much each request adds to what a client may spend on repetitions, of which
	// each costs 1; 0.1. There is at most 10, as there is at first.
	Budget float64
	// Timeout is the deadline of requests whose context has none, repetitions included; none if
	// it is 0.
	Timeout time.Duration
	// Hedge is after how long a call of an idempotent method that has not ended is also made on
	// another connection, at least 1 ms, and so again after each further such time; never if it is
	// 0. Each counts for Attempts and costs 1 of the budget. The first answer is the call's, and
	// the others are cancelled [MXP-14.11].
	Hedge time.Duration
}

// check refuses a policy that can't be.
func (p *RetryPolicy) check() error {
	if p == nil || p.Attempts >= 0 && p.LeastPause >= 0 && p.GreatestPause >= 0 && p.Budget >= 0 && p.Timeout >= 0 && p.Hedge >= 0 {
		return nil
	}
	return fmt.Errorf("mxp: Retry is %+v, and none of its fields can be less than 0", *p)
}

// filled is a policy with its defaults.
func (p *RetryPolicy) filled() *RetryPolicy {
	if p == nil {
		return nil
	}
	all := *p
	orDefault(&all.Attempts, 3)
	orDefault(&all.LeastPause, 10*time.Millisecond)
	orDefault(&all.GreatestPause, time.Second)
	orDefault(&all.Budget, 0.1)
	return &all
}

func orDefault[T int | float64 | time.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

// longest is the longest pause before a repetition; the first is 1.
func (p *RetryPolicy) longest(n int) time.Duration {
	pause := min(p.LeastPause, p.GreatestPause)
	for ; n > 1 && pause < p.GreatestPause; n-- {
		pause = min(2*pause, p.GreatestPause)
	}
	return pause
}

// WithRetry makes a request again by another policy than the client's; by none if it is nil.
func WithRetry(policy *RetryPolicy) Option {
	return func(o *requestOptions) { o.retry, o.retries = policy.filled(), true }
}

// spendable is what a client may spend on repetitions.
type spendable struct {
	mu   sync.Mutex
	less float64 // than spendableMost
	made session.Stats
}

const spendableMost = 10

func (s *spendable) earn(part float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.less = max(s.less-part, 0)
}

// spend reports whether there is enough for a repetition, which is then paid for.
func (s *spendable) spend() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if spendableMost-s.less < 1 {
		s.made.RetriesOverBudget++
		return false
	}
	s.less++
	s.made.Retries++
	return true
}

func (s *spendable) addStats(to *session.Stats) {
	s.mu.Lock()
	defer s.mu.Unlock()
	to.Add(&s.made)
}

// retried makes a request, again if its policy says so. Interceptors stand around it all.
func (c *Client) retried(ctx context.Context, r *Request) (Reply, error) {
	policy := c.retry
	if r.options.retries {
		policy = r.options.retry
	}
	if policy == nil || r.Kind == KindStream || r.Kind == KindEvent && !r.options.ack {
		return c.request(ctx, r)
	}
	if _, has := ctx.Deadline(); !has && policy.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, policy.Timeout)
		defer cancel()
	}
	c.spendable.earn(policy.Budget)
	for n := 1; ; n++ {
		reply, err := c.hedged(ctx, r, policy, &n)
		if n >= policy.Attempts || !repeatable(err, r.Idempotent) || unconnected(err) {
			return reply, err
		}
		longest := policy.longest(n)
		pause := longest/2 + draw.Pause(longest/2)
		if until, has := ctx.Deadline(); has && time.Until(until) <= pause || !c.spendable.spend() {
			return reply, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return reply, err
		case <-c.context.Done():
			return reply, err
		}
	}
}

// repeatable reports whether a request that has failed may be made again by a policy.
func repeatable(err error, idempotent bool) bool {
	var f *Failure
	return errors.As(err, &f) && mayHeal(f) && f.Retryable(idempotent)
}

// unconnected reports whether a request has waited for a connection for as long as it may
// [MXP-14.4], so that it does not wait again.
func unconnected(err error) bool { return errors.Is(err, session.ErrNotConnected) }
