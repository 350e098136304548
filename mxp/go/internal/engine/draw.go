package engine

import "time"

// Draw gives numbers from 0 to less than 1, at random.
type Draw func() float64

// below is a number from 0 to less than n.
func (d Draw) below(n int) int { return int(d() * float64(n)) }

// pause is a part of a time.
func (d Draw) pause(longest time.Duration) time.Duration {
	return time.Duration(d() * float64(longest))
}

// two are two different numbers from 0 to less than n, which is at least 2.
func (d Draw) two(n int) (first, second int) {
	first = d.below(n)
	return first, (first + 1 + d.below(n-1)) % n
}
