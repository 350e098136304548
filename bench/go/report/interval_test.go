package report

import (
	"math"
	"testing"
)

func TestBoundsOfTheMedianAreRanksOfTheBinomialDistribution(t *testing.T) {
	for n, want := range map[int]int{1: 0, 5: 0, 6: 1, 8: 1, 9: 2, 15: 4, 21: 6, 42: 15} {
		if got := rankOf(n); got != want {
			t.Errorf("of %d samples it is rank %d, want %d", n, got, want)
		}
	}
	got := IntervalOf([]float64{3, 1, 2, 6, 5, 4, 9, 8, 7})
	if want := (Interval{Median: 5, Low: 2, High: 8}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// All sides of the median that samples can lie on are counted.
func TestIntervalHasTheMedianInItAsOftenAsItSays(t *testing.T) {
	for n := 6; n <= 15; n++ {
		within, rank := 0, rankOf(n)
		for signs := range 1 << n {
			below := 0
			for i := range n {
				below += signs >> i & 1
			}
			if below >= rank && below <= n-rank {
				within++
			}
		}
		if p := float64(within) / math.Pow(2, float64(n)); p < 0.95 {
			t.Errorf("%d samples have the median within their bounds with %.3f", n, p)
		}
	}
}

func TestFewRoundsSayHowFewTheyAre(t *testing.T) {
	for _, c := range []struct {
		samples        []float64
		times, percent string
	}{
		{[]float64{2, 1, 4}, "2.00 × (1.00 to 4.00 in 3 rounds)", "+100.0 % (+0.0 to +300.0 in 3 rounds)"},
		{[]float64{3}, "3.00 × (once)", "+200.0 % (once)"},
		{[]float64{1, 1, 1, 1, 1, 0.9}, "1.00 × (0.90 to 1.00)", "+0.0 % (-10.0 to +0.0)"},
	} {
		if i := IntervalOf(c.samples); i.Times() != c.times || i.percent() != c.percent {
			t.Errorf("%v became %q and %q", c.samples, i.Times(), i.percent())
		}
	}
}

func TestRatioPairsRounds(t *testing.T) {
	// A disturbance that doubles both halves of a round leaves the ratio alone.
	slow := &Record{Nanoseconds: NewNanoseconds([]float64{20, 40, 20, 40, 80, 20})}
	fast := &Record{Nanoseconds: NewNanoseconds([]float64{10, 20, 10, 20, 40, 10})}
	if got, want := ratio(slow, fast), (Interval{Median: 2, Low: 2, High: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
