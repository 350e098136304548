package mxp

import (
	"slices"
	"testing"
	"time"
)

// Those that are not read follow one another when memory is let go of: at once where half
// of the budget is free, else after a pause. [MXP-15.4]
func TestPausedConnectionsAreReadOneAfterTheOther(t *testing.T) {
	b := &budget{most: 1 << 20}
	var all []*conn
	for range 3 {
		c := &conn{}
		c.reader.L = &c.mu
		b.pause(c)
		all = append(all, c)
	}
	line := func() (numbers []int) {
		b.mu.Lock()
		defer b.mu.Unlock()
		for e := b.paused.Front(); e != nil; e = e.Next() {
			numbers = append(numbers, slices.Index(all, e.Value.(*conn)))
		}
		return numbers
	}
	freeze := func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.resumed = time.Now().Add(time.Hour)
		b.dripping = true
	}
	for _, one := range []struct {
		held  int64
		turns int
	}{{900 << 10, 0}, {780 << 10, 0}, {700 << 10, 0}, {500 << 10, 1}, {400 << 10, 1}} {
		freeze()
		before := line()
		b.add(one.held - b.held.Load())
		want := slices.Concat(before[one.turns:], before[:one.turns])
		if got := line(); !slices.Equal(got, want) {
			t.Errorf("with %d KiB held the line is %v, want %v", one.held>>10, got, want)
		}
	}
}
