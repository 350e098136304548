// Package draw has the random draws of clients: pauses between attempts, and choices among
// connections. The player of traces makes all of them the same.
package draw

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
)

// fixed has the bits of the number that all draws are, and 1 more; 0: they are random.
var fixed atomic.Uint64

// Fix makes all draws the same number from now on, which is at least 0 and less than 1.
func Fix(part float64) { fixed.Store(math.Float64bits(part) + 1) }

// Part is a number from 0 to less than 1.
func Part() float64 {
	if bits := fixed.Load(); bits != 0 {
		return math.Float64frombits(bits - 1)
	}
	return rand.Float64()
}
