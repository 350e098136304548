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
		c.counted.Store(1)
		b.pause(c)
		all = append(all, c)
	}
	line := func() (numbers []int) {
		b.mu.Lock()
		defer b.mu.Unlock()
		for e := b.paused[0].Front(); e != nil; e = e.Next() {
			numbers = append(numbers, slices.Index(all, e.Value.(*paused).c))
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

// Those that move bytes wait for each other alone, however many others there are.
func TestPausedConnectionsThatMoveTakeTurnsWithTheOthers(t *testing.T) {
	b := &budget{most: 1 << 20}
	b.dripping = true
	var all []*conn
	for i := range 4 {
		c := &conn{}
		c.reader.L = &c.mu
		c.counted.Store(100)
		if i == 3 {
			c.letGo.add(100, time.Now())
		}
		b.pause(c)
		all = append(all, c)
	}
	var turns []int
	for range 6 {
		turns = append(turns, slices.Index(all, b.next()))
	}
	if want := []int{0, 3, 1, 3, 2, 3}; !slices.Equal(turns, want) {
		t.Errorf("the turns are those of %v, want %v", turns, want)
	}
}
