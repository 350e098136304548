package mxp

import (
	"runtime"
	"testing"
	"time"
)

// Where there is one processor, nobody looks for shared bytes who was not told to.
func TestOneProcessorLooksForSharedBytesWhereItIsTold(t *testing.T) {
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	for given, wanted := range map[time.Duration]time.Duration{0: 0, -1: 0, time.Millisecond: time.Millisecond} {
		made, err := newSharing(0, 0, given, nil)
		if err != nil {
			t.Fatal(err)
		}
		if made.spin != wanted {
			t.Errorf("of %s came %s, not %s", given, made.spin, wanted)
		}
	}
}
