package mxp

import (
	"sync/atomic"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// outlier is the record of a connection's requests, by which it is left out for a while where they
// fail one after the other [MXP-14.10].
type outlier struct {
	until atomic.Int64 // since epoch, until when it is left out; 0 if it never was

	// Under the connection's lock.
	row   int    // requests that have failed since one has not
	times uint64 // how often it was left out
}

// leftOut reports whether requests are to be made on other connections.
func (o *outlier) leftOut() bool {
	until := o.until.Load()
	return until != 0 && int64(time.Since(epoch)) < until
}

// ended notes how a request has ended: well, if there is no failure.
func (o *outlier) ended(f *Failure) {
	switch {
	case f != nil && (f.Status == session.StatusCancelled || f.Status == session.StatusDeadlineExceeded && !f.Acted):
	case f == nil || !speaksOfPeer(f.Status):
		o.row = 0
	case !o.leftOut(): // else it was made before
		if o.row++; o.row >= session.OutlierFailures {
			o.until.Store(int64(time.Since(epoch) + outlierPause(o.row-session.OutlierFailures)))
			o.times++
		}
	}
}

// speaksOfPeer reports whether a request that ends with a status may end well elsewhere.
func speaksOfPeer(s session.Status) bool {
	switch s {
	case session.StatusUnknown, session.StatusDeadlineExceeded, session.StatusInternal, session.StatusUnavailable, session.StatusDataLoss:
		return true
	}
	return false
}

// outlierPause is how long a connection is left out that was left out so often already, since a
// request on it has ended well.
func outlierPause(times int) time.Duration {
	const least, greatest = session.OutlierMinUs * time.Microsecond, session.OutlierMaxUs * time.Microsecond
	return min(least<<min(times, 16), greatest)
}
