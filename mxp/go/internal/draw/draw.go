// Package draw has the random draws of clients: pauses between attempts, and choices among
// connections. The player of traces makes all of them the same.
package draw

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"
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

// Below is a number from 0 to less than n.
func Below(n int) int { return int(Part() * float64(n)) }

// Pause is a part of a time.
func Pause(longest time.Duration) time.Duration { return time.Duration(Part() * float64(longest)) }

// Two are two different numbers from 0 to less than n, which is at least 2.
func Two(n int) (first, second int) {
	first = Below(n)
	return first, (first + 1 + Below(n-1)) % n
}
