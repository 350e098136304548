package budget

import (
	"sync/atomic"
	"time"
)

// Member is a connection that takes part in a budget, as that asks it. No lock of the budget is held.
type Member interface {
	// Overrun ends the connection, since all hold too much, and this one most.
	Overrun()
	// MayRead lets the connection look whether it is read again. It may come to hold so many bytes
	// more in any case.
	MayRead(turn int)
}

// Share is the part of a budget that a connection has. Its methods are called under the connection's
// lock.
type Share struct {
	budget  *Budget
	member  Member
	counted atomic.Int64 // all that is held
	going   part         // the same, once the session has ended
	kept    part         // the same, once the connection is gone, while events of it wait
	letGo   movement     // the bytes that it let go of lately, where much of the budget is held
	state   atomic.Int32

	paused *pausedConn // its place among those that are not read; nil while it is
	turn   int         // the bytes that it may come to hold in any case, though memory is scarce
}

// The states of a share: of a connection that runs, whose session has ended, that is gone while its
// events are served, and of which nothing is counted any more.
const (
	running int32 = iota
	ending
	remaining
	forgotten
)

// part is a connection's part of a sum.
type part struct{ n atomic.Int64 }

// set changes the part, and the sum with it.
func (p *part) set(sum *atomic.Int64, n int64) { sum.Add(n - p.n.Swap(n)) }

// Enter lets a connection take part.
func (s *Share) Enter(b *Budget, m Member) {
	s.budget, s.member = b, m
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shares[s] = struct{}{}
	b.number.Store(int64(len(b.shares)))
}

// Set says how much memory the connection takes.
func (s *Share) Set(bytes int64) {
	b := s.budget
	switch s.state.Load() {
	case forgotten:
		return
	case remaining:
		s.going.set(&b.going, 0)
		s.kept.set(&b.kept, bytes)
	case ending:
		s.going.set(&b.going, bytes)
		s.kept.set(&b.kept, 0)
	}
	before := s.counted.Swap(bytes)
	if before == bytes {
		return
	}
	if bytes < before && b.Tight() {
		now := time.Now()
		s.letGo.add(before-bytes, now)
		if s.paused != nil {
			b.moved(s.paused, now)
		}
	}
	s.turn -= min(s.turn, max(int(bytes-before), 0))
	b.add(bytes - before)
}

// End notes that the session of the connection has ended, which is about to let go of all that it holds.
func (s *Share) End() { s.state.CompareAndSwap(running, ending) }

// Remain notes that the connection is gone, and only its events wait for their handlers, which hold so
// much.
func (s *Share) Remain(bytes int64) {
	s.state.Store(remaining)
	s.Set(bytes)
	if b := s.budget; b.crowded() {
		b.shedSoon()
	}
}

// Remains reports whether events of a connection that is gone wait for their handlers.
func (s *Share) Remains() bool { return s.state.Load() == remaining }

// Abandon notes that these events were dropped; events that are with their handlers hold so much.
func (s *Share) Abandon(bytes int64) {
	s.state.Store(ending)
	s.Set(bytes)
}

// Forget ends that the connection takes part.
func (s *Share) Forget() {
	b := s.budget
	s.state.Store(forgotten)
	b.mu.Lock()
	delete(b.shares, s)
	b.number.Store(int64(len(b.shares)))
	b.mu.Unlock()
	s.going.set(&b.going, 0)
	s.kept.set(&b.kept, 0)
	b.add(-s.counted.Swap(0))
}

// Turn lets the connection come to hold so many bytes more in any case.
func (s *Share) Turn(bytes int) { s.turn = max(s.turn, bytes) }

// Read notes how many bytes were read.
func (s *Share) Read(bytes int) { s.turn -= min(s.turn, bytes) }

// Starves reports whether the connection is not read for the sake of others. Offered bytes, which
// wait for the peer's credit, are no reason, since that would not be read either; but for a
// little of it that holds only where the peer has given some lately.
func (s *Share) Starves(offered int) bool {
	if s.turn > 0 {
		return false
	}
	if offered > smallBytes && s.budget.scarce() && s.letGo.bytes(time.Now()) == 0 {
		offered = smallBytes
	}
	return s.budget.refuses(s.counted.Load() - int64(offered))
}

// isMoving reports whether the connection has let go of several times as much as it holds
// lately.
func (s *Share) isMoving(now time.Time) bool {
	return s.letGo.bytes(now)/movingTimes >= s.counted.Load()
}

// Pause puts the connection in line, since it is not read for want of memory.
func (s *Share) Pause() {
	if s.paused == nil {
		s.paused = s.budget.pause(s)
	}
}

// Unpause notes that it is read again.
func (s *Share) Unpause() {
	if s.paused != nil {
		s.budget.unpause(s.paused)
		s.paused = nil
	}
}

// Collect lets garbage be collected on behalf of the connection, where
// all have held much of the budget lately. No lock is needed.
func (s *Share) Collect() {
	if b := s.budget; s.counted.Load() > smallBytes && b.peak.Load() >= b.most/2 {
		b.garbage.look()
	}
}
