package engine

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Two draws differ, and each pair comes about as often as another.
func TestTwoDrawsDiffer(t *testing.T) {
	const n, rounds = 5, 100_000
	var pairs [n][n]int
	for range rounds {
		first, second := Draw(rand.Float64).two(n)
		pairs[first][second]++
	}
	for i := range n {
		for j := range n {
			want := rounds / (n * (n - 1))
			if i == j {
				want = 0
			}
			if got := pairs[i][j]; got < want*8/10 || got > want*12/10 {
				t.Errorf("%d and %d came %d times, want %d", i, j, got, want)
			}
		}
	}
}

func TestPausesArePartsOfATime(t *testing.T) {
	if got := Draw(func() float64 { return 0.25 }).pause(time.Second); got != 250*time.Millisecond {
		t.Errorf("a quarter of a second is %v", got)
	}
}
