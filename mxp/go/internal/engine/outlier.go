package engine

import (
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Outlier is the record of a connection's requests, by which it is left out for a while where they
// fail one after the other [MXP-14.10]. Times are of the session's clock.
type Outlier struct {
	Until uint64 // when it is left out no more; 0 if it never was
	Times uint64 // how often it was left out
	row   int    // requests that have failed since one has not
}

// IsOut reports whether requests are to be made on other connections.
func (o *Outlier) IsOut(now uint64) bool { return o.Until != 0 && now < o.Until }

// End notes how a request has ended, well if there is no failure, and reports whether the
// connection is left out from now on.
func (o *Outlier) End(f *Failure, now uint64) bool {
	switch {
	case f != nil && (f.Status == session.StatusCancelled || f.Status == session.StatusDeadlineExceeded && !f.Acted):
	case f == nil || !blames(f.Status):
		o.row = 0
	case !o.IsOut(now): // else it was made before
		if o.row++; o.row >= session.OutlierFailures {
			o.Until = now + outlierPause(o.row-session.OutlierFailures)
			o.Times++
			return true
		}
	}
	return false
}

// blames reports whether a request that ends with a status may end well elsewhere.
func blames(s session.Status) bool {
	switch s {
	case session.StatusUnknown, session.StatusDeadlineExceeded, session.StatusInternal, session.StatusUnavailable, session.StatusDataLoss:
		return true
	}
	return false
}

// outlierPause is how long a connection is left out that was left out so often already, since a
// request on it has ended well.
func outlierPause(times int) uint64 {
	return min(uint64(session.OutlierMinUs)<<min(times, 16), session.OutlierMaxUs)
}
