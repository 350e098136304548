package draw

import (
	"testing"
	"time"
)

func TestDrawsAreAsOftenOneAsAnother(t *testing.T) {
	const n, times = 5, 100_000
	var count [n][n]int
	for range times {
		first, second := Two(n)
		count[first][second]++
	}
	for first := range n {
		for second := range n {
			want := times / (n * (n - 1))
			if first == second {
				want = 0
			}
			if got := count[first][second]; got < want*8/10 || got > want*12/10 {
				t.Errorf("%d and %d are drawn %d times, want about %d", first, second, got, want)
			}
		}
	}
}

func TestFixedDrawsAreAllTheSame(t *testing.T) {
	defer fixed.Store(0)
	for _, part := range []float64{0, 0.25, 0.999} {
		Fix(part)
		if got := Pause(time.Second); got != time.Duration(part*float64(time.Second)) {
			t.Errorf("a pause of %v is drawn by %v", got, part)
		}
		if Part() != part || Below(4) != int(4*part) {
			t.Errorf("%v is not drawn", part)
		}
	}
}
