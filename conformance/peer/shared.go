package peer

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// Where a side's memory has its numbers, before its ring [MXP-18.6].
const (
	sharedHead    = 4096
	atWritten     = 64
	atEnded       = 72
	atTaken       = 128
	atAwaitsBytes = 192
	atAwaitsRoom  = 196
	atBell        = 256
)

// How a side waits, in the two lowest bits of a number [MXP-18.9].
const (
	forBell = 1
	forByte = 2
)

var errLost = errors.New("the socket has ended, and the direction has not")

// shared is a connection by shared memory, whose numbers a case can write by itself.
type shared struct {
	*net.UnixConn
	// how this side waits; where it is forBell, one goroutine alone may use the connection.
	how uint32

	mu             sync.Mutex
	own, peers     []byte // nil when the connection is closed
	written, taken uint64
	waits, notices int
	woken          map[int]uint32 // the last number of each kind that the peer was woken for
	moved          chan struct{}  // is closed when something comes on the socket
	gone           bool           // the socket has ended
	lies           bool           // what this side says that it has taken stays as it is
	until          [2]time.Time   // deadlines of reads and of writes
}

func newShared(socket net.Conn, own, peers []byte) *shared {
	s := &shared{UnixConn: socket.(*net.UnixConn), how: forByte, own: own, peers: peers, woken: map[int]uint32{}, moved: make(chan struct{})}
	go s.watch()
	return s
}

// watch reads notices of waking, until the socket ends.
func (s *shared) watch() {
	for some := make([]byte, 512); !s.gone; {
		n, err := s.UnixConn.Read(some)
		s.mu.Lock()
		s.notices += n
		s.gone = err != nil
		close(s.moved)
		s.moved = make(chan struct{})
		s.mu.Unlock()
	}
}

func word(memory []byte, at int) *uint32 { return (*uint32)(unsafe.Pointer(&memory[at])) }

func long(memory []byte, at int) *uint64 { return (*uint64)(unsafe.Pointer(&memory[at])) }

// Read copies bytes out of the peer's ring.
func (s *shared) Read(to []byte) (n int, err error) {
	err = s.untilMoved(0, atAwaitsBytes, func() (done bool, err error) {
		gone := s.gone
		ended := atomic.LoadUint32(word(s.peers, atEnded)) == 1
		written, ring := atomic.LoadUint64(long(s.peers, atWritten)), s.peers[sharedHead:]
		if written < s.taken || written-s.taken > uint64(len(ring)) {
			fail("it says that it has written %d bytes, of which %d were taken, into a ring of %d", written, s.taken, len(ring))
		}
		if n = min(len(to), int(written-s.taken)); n > 0 {
			at := int(s.taken % uint64(len(ring)))
			copy(to[copy(to[:n], ring[at:]):n], ring)
			s.taken += uint64(n)
			if !s.lies {
				atomic.StoreUint64(long(s.own, atTaken), s.taken)
			}
			s.wake(atAwaitsRoom)
			return true, nil
		}
		switch {
		case ended:
			return true, io.EOF
		case gone:
			return true, errLost
		}
		return false, nil
	})
	return n, err
}

// Write copies bytes into this side's ring.
func (s *shared) Write(data []byte) (n int, err error) {
	for n < len(data) && err == nil {
		err = s.untilMoved(1, atAwaitsRoom, func() (done bool, err error) {
			if s.gone {
				return true, errLost
			}
			taken, ring := atomic.LoadUint64(long(s.peers, atTaken)), s.own[sharedHead:]
			if taken > s.written || s.written-taken > uint64(len(ring)) {
				fail("it says that it has taken %d bytes of %d, of a ring of %d", taken, s.written, len(ring))
			}
			room := min(len(data)-n, len(ring)-int(s.written-taken))
			at := int(s.written % uint64(len(ring)))
			copied := copy(ring[at:], data[n:n+room])
			copy(ring, data[n+copied:n+room])
			n += room
			s.written += uint64(room)
			atomic.StoreUint64(long(s.own, atWritten), s.written)
			s.wake(atAwaitsBytes)
			return room > 0, nil
		})
	}
	return n, err
}

// untilMoved does a step, and waits for the peer where there is nothing to do yet [MXP-18.9].
func (s *shared) untilMoved(direction, at int, step func() (done bool, err error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for waits := false; ; waits = !waits {
		if s.own == nil {
			return net.ErrClosed
		}
		if s.notices > s.waits {
			fail("it has woken this side %d times, which has waited %d times", s.notices, s.waits)
		}
		bell := atomic.LoadUint32(word(s.peers, atBell))
		if waits {
			s.waits++
			atomic.StoreUint32(word(s.own, at), uint32(s.waits)<<2|s.how)
		}
		done, err := step()
		if waits && !done {
			err = s.wait(bell, s.until[direction])
		}
		if waits && s.own != nil {
			atomic.StoreUint32(word(s.own, at), uint32(s.waits)<<2)
		}
		if done || err != nil {
			return err
		}
	}
}

// wait returns when the peer has woken this side, or the socket has ended.
func (s *shared) wait(bell uint32, until time.Time) error {
	left := time.Until(until)
	if until.IsZero() {
		left = time.Hour
	}
	if left <= 0 {
		return os.ErrDeadlineExceeded
	}
	moved, place := s.moved, word(s.peers, atBell)
	s.mu.Unlock()
	defer s.mu.Lock()
	if s.how == forBell {
		sleep(place, bell, min(left, 100*time.Millisecond))
		return nil
	}
	select {
	case <-moved:
	case <-time.After(left):
	}
	return nil
}

// wake wakes the peer where it waits, once for each number.
func (s *shared) wake(at int) {
	number := atomic.LoadUint32(word(s.peers, at))
	if number&3 == 0 || s.woken[at] == number {
		return
	}
	s.woken[at] = number
	switch number & 3 {
	case forBell:
		place := word(s.own, atBell)
		atomic.AddUint32(place, 1)
		rouse(place)
	case forByte:
		s.notice([]byte{0})
	default:
		fail("it waits in the way %d, which is none", number&3)
	}
}

// says writes a number of this side's, and wakes the peer.
func (s *shared) says(at int, number uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own == nil {
		return
	}
	s.lies = s.lies || at == atTaken
	if at == atEnded {
		atomic.StoreUint32(word(s.own, at), uint32(number))
	} else {
		atomic.StoreUint64(long(s.own, at), number)
	}
	s.wake(atAwaitsBytes)
	s.wake(atAwaitsRoom)
}

// CloseWrite ends this side's direction.
func (s *shared) CloseWrite() error {
	s.says(atEnded, 1)
	return nil
}

// Close ends this side's direction, and then the socket.
func (s *shared) Close() error {
	s.CloseWrite()
	return s.abandon()
}

// abandon ends the socket, and says nothing in memory.
func (s *shared) abandon() error {
	err := s.UnixConn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, memory := range [][]byte{s.own, s.peers} {
		unmap(memory)
	}
	s.own, s.peers = nil, nil
	return err
}

func (s *shared) SetReadDeadline(t time.Time) error  { return s.setDeadline(0, t) }
func (s *shared) SetWriteDeadline(t time.Time) error { return s.setDeadline(1, t) }

func (s *shared) SetDeadline(t time.Time) error {
	return errors.Join(s.setDeadline(0, t), s.setDeadline(1, t))
}

func (s *shared) setDeadline(direction int, t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.until[direction] = t
	return nil
}

// ringBytes is the size of this side's rings, but where a case is about another.
const ringBytes = 64 << 10

// lent is memory of this side's, and its file, which is handed over.
type lent struct {
	memory []byte
	file   *os.File
}

// handOver makes memory as the protocol has it, and sends an Offer of it.
func handOver(socket net.Conn, ring int) ([]byte, error) {
	own, err := newLent(sharedHead+ring, sharedHead+ring, sharedSeals)
	if err == nil {
		err = lend(socket, offering(ring), own.file)
	}
	return own.memory, errors.Join(err, own.file.Close())
}

// openShared offers memory on a socket, and takes the peer's.
func openShared(socket net.Conn, ring int) (net.Conn, error) {
	own, err := handOver(socket, ring)
	if err != nil {
		return nil, err
	}
	peers, err := borrow(socket)
	if err != nil {
		return nil, err
	}
	return newShared(socket, own, peers), nil
}

// acceptShared takes the memory that a client offers, and gives its own.
func acceptShared(socket net.Conn, ring int) (net.Conn, error) {
	peers, err := borrow(socket)
	if err != nil {
		return nil, err
	}
	own, err := handOver(socket, ring)
	if err != nil {
		return nil, err
	}
	return newShared(socket, own, peers), nil
}
