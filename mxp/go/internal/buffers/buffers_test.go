package buffers

import (
	"math/rand/v2"
	"testing"
)

func TestBufferHasASixteenthMoreAtMost(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2_000 {
		n := random.IntN(2*largest + 1)
		buffer := Take(n)
		if size := cap(buffer); len(buffer) != 0 || size < n || n >= smallest && size > n+n/16 || size != Size(n) {
			t.Fatalf("a buffer for %d bytes has %d of %d", n, len(buffer), size)
		}
		Give(buffer)
	}
}

// A buffer of any capacity is used for values that it has room for.
func TestBufferOfAnotherSizeHasRoom(t *testing.T) {
	for n := smallest; n <= largest; n += n/7 + 1 {
		Give(make([]byte, 0, n))
		place, capacity := class(n)
		if one, ok := pools[place].Get().(*[]byte); ok && (cap(*one) != capacity || capacity > n) {
			t.Fatalf("a buffer of %d bytes is kept as one of %d", n, cap(*one))
		}
	}
	Give(nil)
	Give(make([]byte, largest+1))
}
