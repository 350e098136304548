//go:build !race

package golang_test

// raceEnabled is true where the race detector's own allocations are counted too.
const raceEnabled = false
