package engine

import (
	"testing"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// A row of failures that speak of the peer makes an outlier, and nothing else does. [MXP-14.10]
func TestOutliersAreThoseOfARow(t *testing.T) {
	failed := func(s session.Status, acted bool) *Failure { return &Failure{Status: s, Acted: acted} }
	for _, one := range []struct {
		name string
		end  *Failure
		out  bool
	}{
		{"unknown", failed(session.StatusUnknown, false), true},
		{"internal", failed(session.StatusInternal, true), true},
		{"unavailable", failed(session.StatusUnavailable, false), true},
		{"data loss", failed(session.StatusDataLoss, false), true},
		{"too late, sent", failed(session.StatusDeadlineExceeded, true), true},
		{"too late, not sent", failed(session.StatusDeadlineExceeded, false), false},
		{"cancelled", failed(session.StatusCancelled, true), false},
		{"not found", failed(session.StatusNotFound, true), false},
		{"no room", failed(session.StatusResourceExhausted, false), false},
		{"well", nil, false},
	} {
		var o Outlier
		now := uint64(1000000)
		for n := range session.OutlierFailures {
			if o.IsOut(now) {
				t.Errorf("%s: left out after %d", one.name, n)
			}
			o.End(one.end, now)
		}
		if o.IsOut(now) != one.out {
			t.Errorf("%s: left out is %v", one.name, o.IsOut(now))
		}
	}
}

// A request that ends well ends a row; a cancelled request does not. Requests that end while a connection is left out
// are not counted, and the next failure after that lets it be left out for longer. [MXP-14.10]
func TestRowsOfOutliers(t *testing.T) {
	var o Outlier
	now := uint64(1000000)
	bad := &Failure{Status: session.StatusUnavailable}
	fail := func(n int) {
		for range n {
			o.End(bad, now)
		}
	}
	again := func() { now = o.Until }
	fail(4)
	o.End(nil, now)
	fail(4)
	o.End(&Failure{Status: session.StatusCancelled}, now)
	if o.IsOut(now) {
		t.Fatal("left out by two rows of four")
	}
	fail(1)
	if !o.IsOut(now) || o.Times != 1 {
		t.Fatal("not left out by a row of five")
	}
	fail(100)
	if o.row != 5 || o.Times != 1 {
		t.Errorf("row of %d, left out %d times, by what ended meanwhile", o.row, o.Times)
	}
	again()
	if o.IsOut(now) {
		t.Error("left out for good")
	}
	fail(1)
	if until := o.Until - now; !o.IsOut(now) || until < 1000000 {
		t.Errorf("left out for %d µs the second time", until)
	}
	again()
	o.End(nil, now)
	fail(4)
	if o.IsOut(now) {
		t.Error("left out by four, after one that ended well")
	}
	for times, want := range []uint64{1, 2, 4, 8, 16, 30, 30} {
		if got := outlierPause(times); got != want*1000000 {
			t.Errorf("pause %d is %d µs", times, got)
		}
	}
	if outlierPause(1<<40) != 30000000 {
		t.Error("pauses overflow")
	}
}
