package shm

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// headBytes is the part of a side's memory before its ring, and the rest are the places of its
// numbers in that part [MXP-18.6].
const (
	headBytes = 4 << 10

	atWritten     = 64
	atEnded       = 72
	atTaken       = 128
	atAwaitsBytes = 192
	atAwaitsRoom  = 196
	atBell        = 256
)

// memory is that of a side, as it is mapped: its numbers and its ring. The owner alone can
// write into it, and does so at any time.
type memory []byte

func (m memory) ring() []byte { return m[headBytes:] }

func (m memory) long(index int) *uint64 { return (*uint64)(unsafe.Pointer(&m[index])) }

func (m memory) word(index int) *uint32 { return (*uint32)(unsafe.Pointer(&m[index])) }

// sender writes into the ring of its own memory. Its number is kept here, and never read back.
type sender struct {
	ring    []byte
	number  *uint64 // written, of its own memory
	ended   *uint32
	taken   *uint64 // of the peer's
	written uint64
	known   uint64 // the last of taken that was read
}

func newSender(own, peers memory) sender {
	return sender{ring: own.ring(), number: own.long(atWritten), ended: own.word(atEnded), taken: peers.long(atTaken)}
}

// room is how many bytes the ring has room for, as the peer says now.
func (s *sender) room() (int, error) {
	taken := atomic.LoadUint64(s.taken)
	under := s.written - taken
	if taken > s.written || under > uint64(len(s.ring)) {
		return 0, misindexed("it has taken %d bytes of %d, of a ring of %d", taken, s.written, len(s.ring))
	}
	s.known = taken
	return len(s.ring) - int(under), nil
}

// put writes as much as there is room for. The peer's number is read only where what is known
// of it leaves too little.
func (s *sender) put(data []byte) (n int, err error) {
	n = len(s.ring) - int(s.written-s.known)
	if n < len(data) {
		if n, err = s.room(); err != nil {
			return 0, err
		}
	}
	n = min(n, len(data))
	if n == 0 {
		return 0, nil
	}
	at := int(s.written) & (len(s.ring) - 1)
	copy(s.ring, data[copy(s.ring[at:], data[:n]):n])
	s.written += uint64(n)
	atomic.StoreUint64(s.number, s.written)
	return n, nil
}

// receiver takes bytes from the peer's ring. Its number is kept here, and never read back.
type receiver struct {
	ring    []byte
	number  *uint64 // taken, of its own memory
	written *uint64 // of the peer's
	ended   *uint32
	taken   uint64
}

func newReceiver(own, peers memory) receiver {
	return receiver{ring: peers.ring(), number: own.long(atTaken), written: peers.long(atWritten), ended: peers.word(atEnded)}
}

// there is how many bytes can be taken, and whether no more come. A peer writes its last
// bytes before it says that it has ended.
func (r *receiver) there() (n int, eof bool, err error) {
	eof = atomic.LoadUint32(r.ended) == 1
	written := atomic.LoadUint64(r.written)
	waiting := written - r.taken
	if written < r.taken || waiting > uint64(len(r.ring)) {
		return 0, false, misindexed("it has written %d bytes, of which %d were taken, into a ring of %d", written, r.taken, len(r.ring))
	}
	return int(waiting), eof, nil
}

// take copies bytes out, each once [MXP-18.8]. It says how many are left, and whether those
// are the last.
func (r *receiver) take(buffer []byte) (n, rest int, eof bool, err error) {
	rest, eof, err = r.there()
	n = min(rest, len(buffer))
	if n == 0 {
		return 0, rest, eof, err
	}
	at := int(r.taken) & (len(r.ring) - 1)
	copied := copy(buffer[:n], r.ring[at:])
	copy(buffer[copied:n], r.ring)
	r.taken += uint64(n)
	atomic.StoreUint64(r.number, r.taken)
	return n, rest - n, eof, nil
}

func misindexed(format string, values ...any) error {
	return fmt.Errorf("%w: %s", session.ErrShmIndex, fmt.Sprintf("the peer says that "+format, values...))
}
