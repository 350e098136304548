package mxp

import (
	"sync/atomic"
	"time"
)

// movement is how many bytes a connection let go of in the last second at least, and in the
// last two at most. One goroutine at a time adds; any may look.
type movement struct {
	second, now, before atomic.Int64
}

func (m *movement) add(bytes int64, at time.Time) {
	second := at.Unix()
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

func (m *movement) bytes(at time.Time) int64 {
	switch at.Unix() - m.second.Load() {
	case 0:
		return m.now.Load() + m.before.Load()
	case 1:
		return m.now.Load()
	}
	return 0
}
