// Package buffers has memory for values that pass through a connection: it is used again
// for others in place of becoming garbage. Collecting it costs more than anything else that
// is done with a large value, and has all others wait.
package buffers

import (
	"math/bits"
	"sync"
)

const (
	// smallest and largest are the capacities that are kept.
	smallest = 4 << 10
	largest  = 1 << 20
	// steps is how many capacities there are between one power of two and the next: a
	// buffer has a sixteenth more than it was taken for, at most.
	steps = 16
)

var pools [(bits.UintSize + 1) * steps]sync.Pool

// class is the place of the largest capacity that is no more than n, which is at least
// smallest, and that capacity.
func class(n int) (place, capacity int) {
	power := bits.Len(uint(n)) - 1
	step := 1 << power / steps
	nth := (n - 1<<power) / step
	return power*steps + nth, 1<<power + nth*step
}

// Size is the capacity of a buffer for so many bytes.
func Size(n int) int {
	if n <= smallest {
		return smallest
	}
	if n > largest {
		return n
	}
	_, capacity := class(n)
	if capacity < n {
		_, capacity = class(n + 1<<(bits.Len(uint(n))-1)/steps)
	}
	return capacity
}

// Take gives an empty buffer with room for so many bytes, which may have been others'.
func Take(n int) []byte {
	size := Size(n)
	if size <= largest {
		place, _ := class(size)
		if one, ok := pools[place].Get().(*[]byte); ok {
			return *one
		}
	}
	return make([]byte, 0, size)
}

// Give lets others have a buffer that nothing refers to any more.
func Give(buffer []byte) {
	if n := cap(buffer); n >= smallest && n <= largest {
		place, capacity := class(n)
		one := buffer[:0:capacity]
		pools[place].Put(&one)
	}
}
