package engine

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Pauses between attempts to connect: the first is made at once, then after a
// random part of a time that doubles [MXP-14.3].
const (
	pauseMin = 5 * time.Millisecond
	pauseMax = time.Second
)

// refusedWithin is how long after a session was ready a refusal ends an attempt, too.
const refusedWithin = 10 * time.Millisecond

// Endpoint is the attempts to have a connection to an address.
type Endpoint struct {
	Address string
	Failure *Failure // why there is no connection; nil while there is one
	tried   bool     // it is that of an attempt
	longest time.Duration
	logged  outage
}

// NewEndpoint makes one that nothing was attempted of.
func NewEndpoint(address string) Endpoint {
	return Endpoint{Address: address, Failure: Unavailable("nothing has answered yet", address)}
}

// Pause is how long to wait before the next attempt.
func (e *Endpoint) Pause(draw Draw) time.Duration {
	e.longest = min(max(2*e.longest, pauseMin), pauseMax)
	return draw.pause(e.longest)
}

// Expect notes that the peer's Hello is awaited, unless an attempt has failed before.
func (e *Endpoint) Expect() {
	if !e.tried {
		e.Failure = Unavailable("the peer has not sent its Hello", e.Address)
	}
}

// Connect notes that there is a connection, whose end the log tells.
func (e *Endpoint) Connect() { e.Failure, e.tried, e.logged = nil, false, outageOnce }

// Rest ends the row of attempts: the next is made at once.
func (e *Endpoint) Rest() { e.longest = 0 }

// Fail notes why an attempt has failed.
func (e *Endpoint) Fail(f *Failure) { e.Failure, e.tried = f, true }

// Detach notes why a connection takes no more requests. A failure that a later connection may
// mend is waited for.
func (e *Endpoint) Detach(why *Failure) { e.Failure, e.tried = why, !MayHeal(why) }

// Lose notes that the connection has ended.
func (e *Endpoint) Lose(why string) {
	e.Failure = Unavailable("the connection has ended: "+why, e.Address)
}

// hopeless reports whether the attempts have failed in a way that is not passed over.
func (e *Endpoint) hopeless(passes func(*Failure) bool) bool {
	return e.Failure != nil && e.tried && !passes(e.Failure)
}

// Hopeless reports whether none of the endpoints is worth waiting for [MXP-14.4].
func Hopeless(endpoints []*Endpoint, passes func(*Failure) bool) bool {
	return !slices.ContainsFunc(endpoints, func(e *Endpoint) bool { return !e.hopeless(passes) })
}

// Because is why there is no connection. If there are several addresses, it is told of each; a
// failure that may heal decides which it is.
func Because(endpoints []*Endpoint, several bool) *Failure {
	var why Failure
	var causes []string
	for i, e := range endpoints {
		f := e.Failure
		if f == nil { // it has come in this moment
			f = Unavailable("the connection came too late", e.Address)
		}
		if i == 0 || MayHeal(f) && !MayHeal(&why) {
			why = *f
		}
		if cause := e.Address + ": " + f.Text; !slices.Contains(causes, cause) {
			causes = append(causes, cause)
		}
	}
	if several {
		why.Peer, why.Text = "", strings.Join(causes, "; ")
	}
	return &why
}

// RefusedSoon reports whether a connection takes no more requests so soon after it was ready, as of a
// server that has too little memory, or ends: the next attempt is then another of the same row
// [MXP-14.3]. Why is the failure that its session has ended with, if it has.
func RefusedSoon(why *Failure, ready time.Duration) bool {
	return !errors.Is(why, session.ErrLost) && ready < refusedWithin
}

// outage says how an endpoint that is not connected was logged [MXP-14.5].
type outage uint8

const (
	outageUnlogged outage = iota
	outageOnce
	outageFinal
)

// Notice is how a log tells of a failed attempt.
type Notice uint8

// How a log tells of a failed attempt: as one of many, or since it is news, or that no later one can succeed.
const (
	NoticeAgain Notice = iota
	NoticeOutage
	NoticeFinal
)

// Notice is how the log tells of a failed attempt.
func (e *Endpoint) Notice(f *Failure) Notice {
	notice, now := NoticeOutage, outageOnce
	if !MayHeal(f) {
		notice, now = NoticeFinal, outageFinal
	}
	if now <= e.logged {
		notice = NoticeAgain
	}
	e.logged = max(e.logged, now)
	return notice
}
