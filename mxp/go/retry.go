package mxp

import (
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
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
	// Budget is how much each request adds to the client's budget of repetitions, of which each
	// costs 1; 0.1. There is at most 10, as there is at first.
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

// WithRetry makes a request again by another policy than the client's; by none if it is nil.
func WithRetry(policy *RetryPolicy) Option {
	return func(o *requestOptions) { o.retry, o.retries = policy.filled(), true }
}

// filled is a policy with its defaults, as the engine has it; nil if there is none.
func (p *RetryPolicy) filled() *engine.Policy {
	if p == nil {
		return nil
	}
	filled := engine.Policy(*p).Filled()
	return &filled
}
