package draw

import "testing"

func TestDrawsCanBeFixed(t *testing.T) {
	for range 1000 {
		if n := Part(); n < 0 || n >= 1 {
			t.Fatal(n)
		}
	}
	t.Cleanup(func() { fixed.Store(0) })
	for _, part := range []float64{0, 0.5, 0.999} {
		if Fix(part); Part() != part {
			t.Errorf("a draw is %v, want %v", Part(), part)
		}
	}
}
