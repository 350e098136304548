package engine

import (
	"errors"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// leaseTime is that of a registration that asks for none.
const leaseTime = 10 * time.Second

// Lease is a name that a program keeps at a directory [MXP-12.3] [MESH-3.4].
type Lease struct {
	Asked session.Registration // with the last epoch
	Epoch uint64               // 0 while the name is lost
	Lost  error                // why it is
	lasts time.Duration
	until time.Time
}

// NewLease makes one of a registration, of ten seconds if that asks for none.
func NewLease(r session.Registration) Lease {
	if r.Lease == 0 {
		r.Lease = uint64(leaseTime.Microseconds())
	}
	return Lease{Asked: r}
}

// RegisterWithin is how long the directory may take to register the name.
func (l *Lease) RegisterWithin() time.Duration { return leaseTime }

// RegisterAfter is the pause before the name is registered again that was refused.
func (l *Lease) RegisterAfter() time.Duration { return askAgain / 2 }

// Registered notes what the directory has answered, and reports whether the epoch is news.
func (l *Lease) Registered(got session.Lease, now time.Time) (news bool) {
	l.Asked.Epoch = got.Epoch
	// Heartbeats follow, by any answer of the directory, in no less than a third of the shortest lease.
	l.lasts = time.Duration(min(max(got.Lease, session.LeaseMinUs), session.LeaseMaxUs)) * time.Microsecond
	l.until = now.Add(l.lasts)
	return l.set(max(got.Epoch, 1), nil) // directories of 0.3 have none
}

// Lose notes that the name is not this program's, and reports whether that is news.
func (l *Lease) Lose(why error) (news bool) { return l.set(0, why) }

// set changes the standing. While a name is lost each other reason is news.
func (l *Lease) set(epoch uint64, why error) (news bool) {
	news = epoch != l.Epoch || epoch == 0 && nameOf(l.Lost) != nameOf(why)
	l.Epoch, l.Lost = epoch, why
	return news
}

// nameOf is that of a failure; empty if there is none.
func nameOf(err error) string {
	var f *Failure
	if !errors.As(err, &f) {
		return ""
	}
	return f.Name
}

// HeartbeatAfter is the pause before the next heartbeat, and Until when the lease runs out.
func (l *Lease) HeartbeatAfter() time.Duration { return l.lasts / 3 }

// Until is when the lease runs out.
func (l *Lease) Until() time.Time { return l.until }

// Heartbeat notes how a heartbeat has ended that was sent at a time, and reports whether the name
// is lost.
func (l *Lease) Heartbeat(err error, start, now time.Time) (ends bool) {
	if err == nil {
		l.until = start.Add(l.lasts)
		return false
	}
	return errors.Is(err, session.ErrAgentUnknown) || !now.Before(l.until)
}
