package main

import (
	"testing"
	"time"
)

func TestTimeIsNearTheMiddleOfItsBucket(t *testing.T) {
	for shift := range 57 {
		for _, time := range []uint64{1 << shift, 1<<shift + 1<<shift/3, 2<<shift - 1} {
			near := middle(bucket(time))
			if off := max(near, time) - min(near, time); off > time/64 {
				t.Errorf("%d is counted as %d", time, near)
			}
		}
	}
}

func TestPercentilesAreOfWhatWasNoted(t *testing.T) {
	var h histogram
	if h.percentiles() != nil {
		t.Error("there are percentiles of nothing")
	}
	for n := range 100_000 {
		h.note(time.Duration(n + 1))
	}
	of := h.percentiles()
	for name, pair := range map[string][2]uint64{"p50": {of.P50, 50_000}, "p99": {of.P99, 99_000}, "p99.9": {of.P999, 99_900}} {
		if off := max(pair[0], pair[1]) - min(pair[0], pair[1]); off > 2_000 {
			t.Errorf("%s is %d, not %d", name, pair[0], pair[1])
		}
	}
	if of.Max != 100_000 {
		t.Errorf("the longest is %d", of.Max)
	}
	if h.reset(); h.percentiles() != nil {
		t.Error("what was reset is there still")
	}
}

func TestCountsThatDifferAreRefused(t *testing.T) {
	if err := compareCounts(3, 3); err != nil {
		t.Error(err)
	}
	if compareCounts(3, 2) == nil {
		t.Error("a message was lost, and nobody says so")
	}
}

func TestReplyThatIsNotWhatWasSentIsRefused(t *testing.T) {
	p := newPayload(8)
	other := append([]byte(nil), p.bytes...)
	other[7]++
	if p.look(other) != nil || p.look(p.bytes[:7]) == nil {
		t.Error("without comparing, a reply is known by its length")
	}
	p.isCompared = true
	if p.look(p.bytes) != nil || p.look(other) == nil {
		t.Error("a reply is compared")
	}
}
