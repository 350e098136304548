//go:build !linux

package budget

import (
	"math"
	"runtime/debug"
)

// machineBytes is what GOMEMLIMIT says, since nothing else here tells without a library
// how much memory the machine has.
func machineBytes() int64 {
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		return limit
	}
	return unknownBytes
}
