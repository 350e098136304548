package budget

import (
	"sync/atomic"
	"time"
)

// pauseCounts is the most of a pause in reading that counts when a connection's recent movement is
// measured: the connection can't let go of memory that waits for unread bytes.
const pauseCounts = 100 * time.Millisecond

// movement is how many bytes a connection let go of in the last second at least, and in the
// last two at most, but for the times in which it was not read. One goroutine at a time
// changes it; any may look.
type movement struct {
	second, now, before atomic.Int64
	paused              atomic.Int64 // since when it is not read, in nanoseconds; 0 if it is
	passed              atomic.Int64 // how many nanoseconds of pauses don't count
}

func (m *movement) add(bytes int64, now time.Time) {
	second := m.secondOf(now)
	switch second - m.second.Load() {
	case 0:
	case 1:
		m.before.Store(m.now.Swap(0))
	default:
		m.before.Store(0)
		m.now.Store(0)
	}
	m.second.Store(second)
	m.now.Add(bytes)
}

func (m *movement) bytes(now time.Time) int64 {
	switch m.secondOf(now) - m.second.Load() {
	case 0:
		return m.now.Load() + m.before.Load()
	case 1:
		return m.now.Load()
	}
	return 0
}

// pause and resume are told when the connection is not read any more, and when it is again.
func (m *movement) pause(now time.Time) { m.paused.Store(now.UnixNano()) }

func (m *movement) resume(now time.Time) {
	m.passed.Add(m.skipped(now))
	m.paused.Store(0)
}

// skipped is how much of a pause doesn't count, in nanoseconds.
func (m *movement) skipped(now time.Time) int64 {
	paused := m.paused.Load()
	if paused == 0 {
		return 0
	}
	return max(now.UnixNano()-paused-int64(pauseCounts), 0)
}

func (m *movement) secondOf(now time.Time) int64 {
	return (now.UnixNano() - m.skipped(now) - m.passed.Load()) / int64(time.Second)
}
