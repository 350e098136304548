package budget

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// Paused connections follow one another when memory is let go of: at once where half of the budget
// is free, else after a pause. [MXP-15.4]
func TestPausedConnectionsAreReadOneAfterTheOther(t *testing.T) {
	b := &Budget{most: 1 << 20}
	var all []*Share
	for range 3 {
		c := &Share{budget: b, member: silent{}}
		c.counted.Store(1)
		b.pause(c)
		all = append(all, c)
	}
	line := func() (numbers []int) {
		b.mu.Lock()
		defer b.mu.Unlock()
		for e := b.paused[0].Front(); e != nil; e = e.Next() {
			numbers = append(numbers, slices.Index(all, e.Value.(*pausedConn).share))
		}
		return numbers
	}
	freeze := func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.paused[0].served = time.Now().Add(time.Hour)
		b.ticks = true
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

// Connections that move bytes wait only for each other, however many others there are. A paused
// connection whose handlers go on and let go of memory is one of them. [MXP-15.4]
func TestPausedConnectionsThatMoveWaitApart(t *testing.T) {
	b := &Budget{most: 1 << 20}
	b.ticks = true
	var all []*Share
	var places []*pausedConn
	for i := range 5 {
		c := &Share{budget: b, member: silent{}}
		c.counted.Store(100)
		if i == 3 {
			c.letGo.add(400, time.Now())
		}
		all, places = append(all, c), append(places, b.pause(c))
	}
	now := time.Now()
	b.moved(places[0], now)
	all[4].letGo.add(220, now)
	all[4].counted.Store(50)
	b.moved(places[4], now)
	for i, want := range [][]int{{0, 1, 2}, {3, 4}} {
		var got []int
		for range want {
			got = append(got, slices.Index(all, b.paused[i].next(now, 0)))
		}
		if !slices.Equal(got, want) {
			t.Errorf("in line %d are %v, want %v", i, got, want)
		}
		if b.paused[i].next(now, time.Millisecond) != nil {
			t.Errorf("in line %d one is read too soon after another", i)
		}
	}
}

// While memory is scarce, the first of each line may come to hold so much more.
// [MXP-15.4]
func TestPausedConnectionsHaveTurns(t *testing.T) {
	b := &Budget{most: 1 << 20}
	b.held.Store(1 << 20)
	var all [2]*Share
	var lock sync.Mutex
	turns := map[*Share]int{}
	for i := range all {
		c := &Share{budget: b}
		c.member = reading{c, &lock, turns}
		all[i] = c
		c.counted.Store(300 << 10)
		if !c.Starves(0) {
			t.Fatal("it is read, though memory is scarce")
		}
		b.pause(c)
	}
	b.mu.Lock()
	b.paused[0].served = time.Now().Add(-turnEvery[0])
	b.mu.Unlock()
	b.tick()
	for i, turn := range []int{lineTurnBytes[0], 0} {
		lock.Lock()
		if c := all[i]; turns[c] != turn || c.turn != turn || c.Starves(0) != (turn == 0) {
			t.Errorf("%d may come to hold %d bytes in its turn, want %d", i, c.turn, turn)
		}
		lock.Unlock()
	}
}

// silent is a connection that ignores all calls.
type silent struct{}

func (silent) Overrun()    {}
func (silent) MayRead(int) {}

// reading is one that takes its turns.
type reading struct {
	share *Share
	lock  *sync.Mutex
	turns map[*Share]int
}

func (reading) Overrun() {}

func (r reading) MayRead(turn int) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.turns[r.share] += turn
	r.share.Turn(turn)
}
