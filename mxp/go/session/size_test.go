package session_test

import (
	"runtime"
	"strconv"
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
		greeting := hello(t, session.Config{Role: session.Opener})
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

// Reading a Hello takes little more memory than its kept part.
func TestHelloOfManyServicesIsReadInPlace(t *testing.T) {
	config := session.Config{Role: session.Opener, Services: make([]string, 60_000)}
	for i := range config.Services {
		config.Services[i] = strconv.Itoa(10_000 + i)
	}
	f, ok := session.New(config, 0).PollFrame(0)
	if !ok {
		t.Fatal("no Hello")
	}
	s := session.New(session.Config{Role: session.Acceptor}, 0)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s.Receive(&f.Head, 0)
	runtime.ReadMemStats(&after)
	allocated, held := int(after.TotalAlloc-before.TotalAlloc), s.Held()
	t.Logf("%d bytes allocated, %d held", allocated, held)
	if !s.Ready() || allocated > held*3/2 {
		t.Errorf("%d bytes allocated, %d held", allocated, held)
	}
}

func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
