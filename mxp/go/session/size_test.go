package session_test

import (
	"runtime"
	"testing"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// An idle session leaves room for a goroutine in the 8 KiB that a connection may
// hold.
func TestIdleSessionIsSmall(t *testing.T) {
	const n = 1_000
	sessions := make([]*session.Session, n)
	batch := &session.Batch{}
	before := heap()
	for i := range sessions {
		s := session.New(session.Config{Role: session.Acceptor, Services: echo.Services}, 0)
		greeting := hello(t, session.Opener)
		s.Receive(&greeting, 0)
		s.Next()
		for s.PollAll(batch, 0) {
		}
		s.Shrink()
		sessions[i] = s
	}
	each := (heap() - before) / n
	t.Logf("%d bytes each", each)
	if each > 4<<10 {
		t.Errorf("%d bytes each", each)
	}
	runtime.KeepAlive(sessions)
}

func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
