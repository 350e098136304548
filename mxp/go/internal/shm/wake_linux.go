package shm

import (
	"math"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// notice wakes a peer that waits for one thing, once for each of its waits.
type notice struct {
	awaits *uint32 // of the peer's memory
	last   uint32  // for which it was woken
}

// give wakes the peer if it waits. The bytes, or the room, that the peer waits for are in memory
// already.
func (n *notice) give(b *bell) {
	awaits := atomic.LoadUint32(n.awaits)
	if awaits&waitsBits == 0 || awaits == n.last {
		return
	}
	n.last = awaits
	switch awaits & waitsBits {
	case waitsFutex:
		b.ring()
	case waitsSocket:
		b.send()
	}
}

// bell is how a side wakes its peer.
type bell struct {
	conn *Conn
	try  func(fd uintptr)

	mu     sync.Mutex
	number *uint32 // of its own memory
	rung   uint32
}

func (b *bell) init(c *Conn) {
	b.conn, b.number = c, c.own.word(atBell)
	one := []byte{0}
	b.try = func(fd uintptr) {
		// Where the socket is full, the peer has enough to read.
		_ = unix.Send(int(fd), one, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
	}
}

// ring wakes who sleeps on the number.
func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rung++
	atomic.StoreUint32(b.number, b.rung)
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(b.number)), futexWake, math.MaxInt32, 0, 0, 0)
}

// futexWake is FUTEX_WAKE, of processes that share the memory.
const futexWake = 1

// send wakes who waits at the socket.
func (b *bell) send() { _ = b.conn.raw.Control(b.try) }
