package mxp

import (
	"container/list"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// budget is the memory that the connections of a server, or of a client, share
// [MXP-15.4].
type budget struct {
	most    int64        // that they may hold
	held    atomic.Int64 // that they do
	going   atomic.Int64 // of these, what is held by those whose sessions have ended
	kept    atomic.Int64 // and what events hold whose connections are gone
	peak    atomic.Int64 // the most that they held since memory was given back
	sheds   atomic.Bool  // somebody ends connections
	returns atomic.Bool  // memory will be given back

	garbage *collector

	mu       sync.Mutex
	conns    map[*conn]struct{}
	number   atomic.Int64  // of these
	paused   [2]pausedLine // connections that are not read; those that move bytes apart
	waits    atomic.Int64  // how many these are
	ticks    bool          // they have turns while memory is scarce
	returned time.Time     // when memory was given back last
}

const (
	// smallBytes is what a connection may hold at least [MXP-15.4].
	smallBytes = 64 << 10
	// smallPieceBytes is how much is read at once where more than half of the budget is held.
	smallPieceBytes = 16 << 10
	// movingTimes is how many times as much as it holds a connection lets go of in a second
	// that moves bytes.
	movingTimes = 4
	// resumeEvery is the least time between two of a line that are read again where more than
	// half of the budget is held.
	resumeEvery = 10 * time.Millisecond
	// tickEvery is how often it is looked who has a turn.
	tickEvery = 10 * time.Millisecond
	// returnedBytes and returnEvery are how much is to be let go of for memory to be given
	// back to the system, and how often.
	returnedBytes = 64 << 20
	returnEvery   = 5 * time.Second
)

// Those that don't move bytes, and those that do, wait in two lines.
var (
	// lineTurnBytes is how much more a connection of each comes to hold in a turn while memory is
	// scarce: what it holds may wait for grants of its peer, or for the rest of a frame, without
	// which nothing makes it less.
	lineTurnBytes = [2]int{64 << 10, 256 << 10}
	// turnEvery is the least time between two of each that have a turn.
	turnEvery = [2]time.Duration{100 * time.Millisecond, 40 * time.Millisecond}
)

// pausedLine is connections that are not read, the first to be read first.
type pausedLine struct {
	list.List
	served time.Time // when one of them was to be read last
}

// newBudget makes a budget of so many bytes of the program's memory, or of the default.
// The collector needs a part of them, and a reserve is for what nobody counts.
func newBudget(bytes int64) *budget {
	if bytes <= 0 {
		bytes = machineBytes() / session.ServerBytesPart
	}
	most := bytes / (100 + collectorPercent()) * 100
	most -= most / 4
	return &budget{most: most, garbage: newCollector(most / 3 * 2), conns: map[*conn]struct{}{}}
}

// collectorPercent is how much the heap grows between two collections, as GOGC says.
func collectorPercent() int64 {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 || sample[0].Value.Uint64() > math.MaxInt32 {
		return 100 // it is off, and a limit of the memory bounds the heap
	}
	return int64(sample[0].Value.Uint64())
}

// enter lets a connection take part.
func (b *budget) enter(c *conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.conns[c] = struct{}{}
	b.number.Store(int64(len(b.conns)))
}

// leave lets a connection take no part any more that is gone, once its events have been served.
func (b *budget) leave(c *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.departed = true
	c.lingers.Store(true)
	c.remains.Store(c.link.Order.IsServed())
	c.link.Session.Shrink()
	c.account()
	if b.crowded() && b.sheds.CompareAndSwap(false, true) {
		go b.shed()
	}
	if !c.link.Order.IsServed() {
		b.forget(c)
	}
}

// forget ends that a connection takes part. The connection's lock is held.
func (b *budget) forget(c *conn) {
	c.forgotten = true
	b.mu.Lock()
	delete(b.conns, c)
	b.number.Store(int64(len(b.conns)))
	b.mu.Unlock()
	c.going.set(&b.going, 0)
	c.kept.set(&b.kept, 0)
	b.add(-c.counted.Swap(0))
}

// share is the part of a sum that one connection has.
type share struct{ n atomic.Int64 }

// set changes the share, and the sum with it.
func (s *share) set(sum *atomic.Int64, n int64) { sum.Add(n - s.n.Swap(n)) }

// add counts what a connection holds more than before, or less.
func (b *budget) add(delta int64) {
	held := b.held.Add(delta)
	if delta > 0 {
		for peak := b.peak.Load(); held > peak && !b.peak.CompareAndSwap(peak, held); peak = b.peak.Load() {
		}
		if b.exceeded() && b.sheds.CompareAndSwap(false, true) {
			go b.shed()
		}
		return
	}
	if b.waits.Load() > 0 && !b.scarce() {
		b.resume()
	}
	if b.peak.Load()-held >= min(returnedBytes, b.most/8) && b.returns.CompareAndSwap(false, true) {
		b.giveBack()
	}
}

// exceeded reports whether all is held, and those that are ending don't let go of enough, or
// more than may be by those that are gone.
func (b *budget) exceeded() bool { return b.held.Load()-b.going.Load() > b.most || b.crowded() }

// crowded reports whether events hold more than a sixteenth of the budget whose connections are gone.
func (b *budget) crowded() bool { return b.kept.Load() > b.most/16 }

// scarce reports whether more than three quarters of the budget are held.
func (b *budget) scarce() bool { return b.held.Load() > b.most/4*3 }

// tight reports whether more than half of the budget is held.
func (b *budget) tight() bool { return b.held.Load() > b.most/2 }

// collect lets garbage be collected on behalf of a connection that holds so much, where
// all have held much of the budget lately.
func (b *budget) collect(held int64) {
	if held > smallBytes && b.peak.Load() >= b.most/2 {
		b.garbage.look()
	}
}

// fair is what a connection may hold where memory is scarce: all together a quarter of the
// budget, since each reads some more before it looks again.
func (b *budget) fair() int64 { return max(b.most/4/max(b.number.Load(), 1), smallBytes) }

// small is what a connection may hold in any case: 64 KiB, or the even part of the budget where there
// are so many that these would be more than all of it.
func (b *budget) small() int64 { return min(smallBytes, b.most/max(b.number.Load(), 1)) }

// refuses reports whether a connection that holds so much is not read.
func (b *budget) refuses(held int64) bool {
	if b.held.Load() > b.most {
		return held > smallBytes
	}
	return b.scarce() && held > b.fair()
}

// piece is how many bytes are read at once, of so many that could be: where much is held, many
// connections are ready together, and each takes the time of its piece from the others.
func (b *budget) piece(most int) int {
	if b.tight() {
		return min(most, smallPieceBytes)
	}
	return most
}

// shed ends connections, those first that hold most, until the others have enough.
func (b *budget) shed() {
	defer b.sheds.Store(false)
	for b.exceeded() {
		most := b.largest()
		if most == nil {
			return
		}
		most.overrun()
	}
}

// largest is the connection that holds most, of those first that have not let go of as much
// lately, or of those that are gone, where these hold too much; nil if all hold little.
func (b *budget) largest() (largest *conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.crowded() {
		return b.largestGone()
	}
	now, small := time.Now(), b.small()
	most, rests := small, false
	for c := range b.conns {
		held := c.counted.Load()
		if held < small || c.lingers.Load() {
			continue
		}
		if stays := !c.isMoving(now); stays == rests && held >= most || stays && !rests {
			largest, most, rests = c, held, stays
		}
	}
	return largest
}

// largestGone is the connection whose events hold most of those that are gone. The budget's lock is held.
func (b *budget) largestGone() (largest *conn) {
	for c := range b.conns {
		if c.remains.Load() && (largest == nil || c.counted.Load() > largest.counted.Load()) {
			largest = c
		}
	}
	return largest
}

// paused is a connection that is not read.
type paused struct {
	c     *conn
	line  *pausedLine
	place *list.Element
}

// pause notes a connection that is not read, until its reader is signalled.
func (b *budget) pause(c *conn) *paused {
	now := time.Now()
	one := &paused{c: c}
	c.letGo.pause(now)
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.ticks {
		b.ticks = true
		time.AfterFunc(tickEvery, b.tick)
	}
	b.waits.Add(1)
	b.enqueue(one, now)
	return one
}

// enqueue puts a connection at the end of its line. The lock is held.
func (b *budget) enqueue(one *paused, now time.Time) {
	one.line = &b.paused[0]
	if one.c.isMoving(now) {
		one.line = &b.paused[1]
	}
	one.place = one.line.PushBack(one)
}

// moved lets a connection that has let go of memory change to the line of those that move.
func (b *budget) moved(one *paused, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if one.line == &b.paused[0] && one.c.isMoving(now) {
		one.line.Remove(one.place)
		b.enqueue(one, now)
	}
}

// unpause forgets a connection that is read again. The next may follow.
func (b *budget) unpause(one *paused) {
	one.c.letGo.resume(time.Now())
	b.mu.Lock()
	one.line.Remove(one.place)
	b.waits.Add(-1)
	b.mu.Unlock()
	if b.waits.Load() > 0 && !b.scarce() {
		b.resume()
	}
}

// next is the first of a line, which goes to its end; nil if there is none, or the one before
// was too short a time ago. The budget's lock is held.
func (l *pausedLine) next(now time.Time, pause time.Duration) *conn {
	first := l.Front()
	if first == nil || pause > 0 && now.Sub(l.served) < pause {
		return nil
	}
	l.served = now
	l.MoveToBack(first)
	return first.Value.(*paused).c
}

// tick gives turns to those that are not read, or lets them be read again.
func (b *budget) tick() {
	b.mu.Lock()
	if b.ticks = b.waits.Load() > 0; b.ticks {
		time.AfterFunc(tickEvery, b.tick)
	}
	var turns [len(b.paused)]*conn
	if b.scarce() {
		now := time.Now()
		for i := range b.paused {
			turns[i] = b.paused[i].next(now, turnEvery[i])
		}
	}
	b.mu.Unlock()
	if !b.scarce() {
		b.resume()
	}
	for i, c := range turns {
		if c != nil {
			c.mayRead(lineTurnBytes[i])
		}
	}
}

// resume lets those that have not been read for longest look whether they are read again.
// The next follow when these are read, or memory is let go of; but where more than half is
// held not at once, so that what they take together leaves the others time.
func (b *budget) resume() {
	b.mu.Lock()
	defer b.mu.Unlock()
	now, pause := time.Now(), resumeEvery
	if !b.tight() {
		pause = 0
	}
	for i := range b.paused {
		if first := b.paused[i].next(now, pause); first != nil {
			go first.mayRead(0) // whoever has let go of memory holds its connection's lock
		}
	}
}

// giveBack gives the system memory back that connections have let go of, soon.
func (b *budget) giveBack() {
	b.mu.Lock()
	defer b.mu.Unlock()
	time.AfterFunc(max(returnEvery-time.Since(b.returned), returnEvery/5), func() {
		b.mu.Lock()
		b.returned = time.Now()
		b.mu.Unlock()
		b.peak.Store(b.held.Load())
		b.returns.Store(false)
		debug.FreeOSMemory() // what pools keep goes with the second
		debug.FreeOSMemory()
	})
}
