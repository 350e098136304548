// Package budget shares the memory of a program among the connections of a server, or of a client
// [MXP-15.4].
package budget

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

// Budget is the memory that the connections of a server, or of a client, share.
type Budget struct {
	most    int64        // that they may hold
	held    atomic.Int64 // that they do
	going   atomic.Int64 // of these, what is held by those whose sessions have ended
	kept    atomic.Int64 // and what events hold whose connections are gone
	peak    atomic.Int64 // the most that they held since memory was given back
	sheds   atomic.Bool  // somebody ends connections
	returns atomic.Bool  // memory will be given back

	garbage *collector

	mu       sync.Mutex
	shares   map[*Share]struct{}
	number   atomic.Int64  // of these
	paused   [2]pausedLine // connections that are not read; those that move bytes apart
	waits    atomic.Int64  // how many these are
	ticks    bool          // they have turns while memory is scarce
	returned time.Time     // when memory was given back last
}

const (
	// unknownBytes is taken for the memory of a machine where that is not known.
	unknownBytes = 4 << 30
	// smallBytes is the memory that each connection may hold in any case [MXP-15.4].
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

// Paused connections wait in two lines: connections that don't move bytes, and connections that do.
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

// New makes a budget of so many bytes of the program's memory, or of the default.
// The collector needs a part of them, and a reserve is for memory that nobody counts.
func New(bytes int64) *Budget {
	if bytes <= 0 {
		bytes = machineBytes() / session.ServerBytesPart
	}
	most := bytes / (100 + collectorPercent()) * 100
	most -= most / 4
	return &Budget{most: most, garbage: newCollector(most / 3 * 2), shares: map[*Share]struct{}{}}
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

// Held is how much the connections hold.
func (b *Budget) Held() int64 { return b.held.Load() }

// add counts by how much the memory of a connection has grown, or shrunk.
func (b *Budget) add(delta int64) {
	held := b.held.Add(delta)
	if delta > 0 {
		for peak := b.peak.Load(); held > peak && !b.peak.CompareAndSwap(peak, held); peak = b.peak.Load() {
		}
		if b.exceeded() {
			b.shedSoon()
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

// exceeded reports whether the connections hold more than the budget, without the memory of ending
// connections, or whether events of gone connections hold more than they may.
func (b *Budget) exceeded() bool { return b.held.Load()-b.going.Load() > b.most || b.crowded() }

// crowded reports whether events hold more than a sixteenth of the budget whose connections are gone.
func (b *Budget) crowded() bool { return b.kept.Load() > b.most/16 }

// scarce reports whether more than three quarters of the budget are held.
func (b *Budget) scarce() bool { return b.held.Load() > b.most/4*3 }

// Tight reports whether more than half of the budget is held.
func (b *Budget) Tight() bool { return b.held.Load() > b.most/2 }

// fair is the memory that a connection may hold where memory is scarce: an even part of a quarter
// of the budget, since each connection reads some more before it looks again, and at least
// smallBytes.
func (b *Budget) fair() int64 { return max(b.most/4/max(b.number.Load(), 1), smallBytes) }

// small is the memory that a connection may hold in any case: 64 KiB, or an even part of the budget
// if that is less.
func (b *Budget) small() int64 { return min(smallBytes, b.most/max(b.number.Load(), 1)) }

// refuses reports whether a connection that holds so much is not read.
func (b *Budget) refuses(bytes int64) bool {
	if b.held.Load() > b.most {
		return bytes > smallBytes
	}
	return b.scarce() && bytes > b.fair()
}

// Piece is how many bytes are read at once, of so many that could be: where much is held, many
// connections are ready together, and each takes the time of its piece from the others.
func (b *Budget) Piece(most int) int {
	if b.Tight() {
		return min(most, smallPieceBytes)
	}
	return most
}

// shedSoon lets connections be ended, unless somebody does.
func (b *Budget) shedSoon() {
	if b.sheds.CompareAndSwap(false, true) {
		go b.shed()
	}
}

// shed ends connections, those first that hold most, until the others have enough.
func (b *Budget) shed() {
	defer b.sheds.Store(false)
	for b.exceeded() {
		most := b.largest()
		if most == nil {
			return
		}
		most.member.Overrun()
	}
}

// largest is the connection that holds most; connections that have not let go of as much lately
// come first. If gone connections hold too much, it is the largest of these. It is nil if all hold
// little.
func (b *Budget) largest() (largest *Share) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.crowded() {
		return b.largestGone()
	}
	now, small := time.Now(), b.small()
	most, rests := small, false
	for s := range b.shares {
		held := s.counted.Load()
		if held < small || s.state.Load() != running {
			continue
		}
		if stays := !s.isMoving(now); stays == rests && held >= most || stays && !rests {
			largest, most, rests = s, held, stays
		}
	}
	return largest
}

// largestGone is the gone connection whose events hold most. The budget's lock is held.
func (b *Budget) largestGone() (largest *Share) {
	for s := range b.shares {
		if s.Remains() && (largest == nil || s.counted.Load() > largest.counted.Load()) {
			largest = s
		}
	}
	return largest
}

// pausedConn is a connection that is not read.
type pausedConn struct {
	share *Share
	line  *pausedLine
	place *list.Element
}

// pause notes a connection that is not read, until its reader is signalled.
func (b *Budget) pause(s *Share) *pausedConn {
	now := time.Now()
	one := &pausedConn{share: s}
	s.letGo.pause(now)
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
func (b *Budget) enqueue(p *pausedConn, now time.Time) {
	p.line = &b.paused[0]
	if p.share.isMoving(now) {
		p.line = &b.paused[1]
	}
	p.place = p.line.PushBack(p)
}

// moved lets a connection that has let go of memory change to the line of moving connections.
func (b *Budget) moved(p *pausedConn, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.line == &b.paused[0] && p.share.isMoving(now) {
		p.line.Remove(p.place)
		b.enqueue(p, now)
	}
}

// unpause forgets a connection that is read again. The next may follow.
func (b *Budget) unpause(p *pausedConn) {
	p.share.letGo.resume(time.Now())
	b.mu.Lock()
	p.line.Remove(p.place)
	b.waits.Add(-1)
	b.mu.Unlock()
	if b.waits.Load() > 0 && !b.scarce() {
		b.resume()
	}
}

// next is the first of a line, which goes to its end; nil if the line is empty, or if its last turn
// was too short a time ago. The budget's lock is held.
func (l *pausedLine) next(now time.Time, pause time.Duration) *Share {
	first := l.Front()
	if first == nil || pause > 0 && now.Sub(l.served) < pause {
		return nil
	}
	l.served = now
	l.MoveToBack(first)
	return first.Value.(*pausedConn).share
}

// tick gives turns to paused connections, or lets them be read again.
func (b *Budget) tick() {
	b.mu.Lock()
	if b.ticks = b.waits.Load() > 0; b.ticks {
		time.AfterFunc(tickEvery, b.tick)
	}
	var turns [len(b.paused)]*Share
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
	for i, s := range turns {
		if s != nil {
			s.member.MayRead(lineTurnBytes[i])
		}
	}
}

// resume lets the connections that have been paused for longest look whether they are read again.
// The next follow when these are read, or memory is let go of; but where more than half is held not
// at once, so that what they take together leaves the others time.
func (b *Budget) resume() {
	b.mu.Lock()
	defer b.mu.Unlock()
	now, pause := time.Now(), resumeEvery
	if !b.Tight() {
		pause = 0
	}
	for i := range b.paused {
		if first := b.paused[i].next(now, pause); first != nil {
			go first.member.MayRead(0) // whoever has let go of memory holds its connection's lock
		}
	}
}

// giveBack gives the system memory back that connections have let go of, soon.
func (b *Budget) giveBack() {
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
