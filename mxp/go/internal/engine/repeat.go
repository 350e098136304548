package engine

import (
	"errors"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Pauses before a request is made again that the peer had no place for [MXP-14.7]: a
// random part of a time that doubles.
const (
	crowdedMin = time.Millisecond
	crowdedMax = 100 * time.Millisecond
)

// Repeat is a request that nobody has acted on, and that is made again [MXP-14.6].
type Repeat struct {
	longest time.Duration // of the next pause
	until   time.Time     // when it is made again for the last time, since the peer had no place
}

// Repetition says whether a request is made again.
type Repetition uint8

// Whether a request is made again: not at all, after a pause, or at once on another connection.
const (
	NoMore Repetition = iota
	AfterPause
	Elsewhere
)

// Next says whether a request is made again that has failed. Ended is why its connection takes no
// more requests, if it does; deadline is the request's, zero for none, and most is how long it is
// made again where there is none.
func (r *Repeat) Next(f, end *Failure, deadline, now time.Time, most time.Duration, draw Draw) (Repetition, time.Duration) {
	switch {
	case f.Acted:
		return NoMore, 0
	case isCrowded(f):
		return r.crowded(deadline, now, most, draw)
	case errors.Is(f, session.ErrDraining), errors.Is(f, session.ErrClosed), f.Name == end.Name && f.Status == end.Status && MayHeal(f):
		return Elsewhere, 0
	}
	return NoMore, 0
}

func isCrowded(f *Failure) bool {
	return errors.Is(f, session.ErrLimitInFlight) || errors.Is(f, session.ErrLimitInFlightBytes)
}

// crowded is the pause until the peer may have a place.
func (r *Repeat) crowded(deadline, now time.Time, most time.Duration, draw Draw) (Repetition, time.Duration) {
	if r.until.IsZero() {
		if r.until = deadline; deadline.IsZero() {
			r.until = now.Add(most)
		}
	}
	r.longest = min(max(2*r.longest, crowdedMin), crowdedMax)
	pause := draw.pause(r.longest)
	if r.until.Sub(now) <= pause {
		return NoMore, 0
	}
	return AfterPause, pause
}
