//go:build go1.25

package main

import (
	"encoding/hex"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// sendBufferBytes and receiveBufferBytes are what a kernel keeps for a socket.
const (
	sendBufferBytes    = 128 << 10
	receiveBufferBytes = 64 << 10
)

// wire is a connection whose other end is the simulation.
type wire struct {
	network *network
	number  int

	mu      sync.Mutex
	changed chan struct{} // closed when anything below is another
	arrived []byte        // and was not read
	later   []byte        // for which the receive buffer has no room
	ended   bool          // the peer sends no more
	reset   bool          // the connection is cut
	unsent  []byte        // the send buffer
	room    int           // how much more the network takes
	shut    bool          // no more is written
	told    bool          // of that, the network
	closed  bool
	until   [2]time.Time // deadlines of reading and writing
}

const (
	reading = iota
	writing
)

func newWire(n *network, number int) *wire {
	return &wire{network: n, number: number, changed: make(chan struct{})}
}

// change wakes waiting goroutines. The lock is held.
func (w *wire) change() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// do changes something from outside.
func (w *wire) do(what func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	what()
	w.fill()
	w.send()
	w.change()
}

// fill moves what has arrived into the receive buffer, and tells how much that was.
func (w *wire) fill() {
	n := min(len(w.later), receiveBufferBytes-len(w.arrived))
	if n <= 0 {
		return
	}
	w.arrived = append(w.arrived, w.later[:n]...)
	if w.later = w.later[n:]; len(w.later) == 0 {
		w.later = nil
	}
	w.network.say("took %d %d", w.number, n)
}

// send gives the network what it takes of the send buffer.
func (w *wire) send() {
	if n := min(w.room, len(w.unsent)); n > 0 && !w.reset {
		w.network.say("bytes %d %s", w.number, hex.EncodeToString(w.unsent[:n]))
		w.room -= n
		w.unsent = w.unsent[n:]
	}
	if w.shut && !w.told && len(w.unsent) == 0 {
		w.told = true
		w.network.say("fin %d", w.number)
	}
}

// wait waits until something is so. The lock is held, and let go of meanwhile.
func (w *wire) wait(which int, is func() bool) error {
	for !is() {
		if w.closed {
			return net.ErrClosed
		}
		if w.reset {
			return &net.OpError{Op: [...]string{"read", "write"}[which], Net: "unix", Err: syscall.ECONNRESET}
		}
		var late <-chan time.Time
		if until := w.until[which]; !until.IsZero() {
			left := time.Until(until)
			if left <= 0 {
				return os.ErrDeadlineExceeded
			}
			timer := time.NewTimer(left)
			defer timer.Stop()
			late = timer.C
		}
		changed := w.changed
		w.mu.Unlock()
		select {
		case <-changed:
		case <-late:
		}
		w.mu.Lock()
	}
	return nil
}

// Read gives bytes that have arrived.
func (w *wire) Read(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.network.woken()
	if until := w.until[reading]; !until.IsZero() && time.Until(until) <= 0 {
		return 0, os.ErrDeadlineExceeded
	}
	if err := w.wait(reading, func() bool { return !w.closed && (len(w.arrived) > 0 || w.ended) }); err != nil {
		return 0, err
	}
	if len(w.arrived) == 0 {
		return 0, io.EOF
	}
	n := copy(b, w.arrived)
	if w.arrived = w.arrived[n:]; len(w.arrived) == 0 {
		w.arrived = nil
	}
	w.fill()
	return n, nil
}

// Write fills the send buffer until all is in it.
func (w *wire) Write(b []byte) (n int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.network.woken()
	for n < len(b) {
		if w.shut {
			return n, syscall.EPIPE
		}
		if err := w.wait(writing, func() bool { return !w.closed && !w.reset && len(w.unsent) < sendBufferBytes }); err != nil {
			return n, err
		}
		some := min(len(b)-n, sendBufferBytes-len(w.unsent))
		w.unsent = append(w.unsent, b[n:n+some]...)
		n += some
		w.send()
	}
	return n, nil
}

// CloseWrite says that no more is written.
func (w *wire) CloseWrite() error {
	w.do(func() { w.shut = true })
	return nil
}

// Close closes the connection; what is in the send buffer goes on.
func (w *wire) Close() error {
	w.do(func() {
		if !w.closed {
			w.closed, w.shut = true, true
			w.network.say("closed %d %d", w.number, len(w.arrived)+len(w.later))
			w.arrived, w.later = nil, nil
		}
	})
	return nil
}

func (w *wire) deadline(at time.Time, which ...int) error {
	w.do(func() {
		for _, one := range which {
			w.until[one] = at
		}
	})
	return nil
}

// SetDeadline sets both deadlines.
func (w *wire) SetDeadline(at time.Time) error { return w.deadline(at, reading, writing) }

// SetReadDeadline sets that of reading.
func (w *wire) SetReadDeadline(at time.Time) error { return w.deadline(at, reading) }

// SetWriteDeadline sets that of writing.
func (w *wire) SetWriteDeadline(at time.Time) error { return w.deadline(at, writing) }

// LocalAddr is nowhere.
func (w *wire) LocalAddr() net.Addr { return &net.UnixAddr{Net: "unix"} }

// RemoteAddr is nowhere.
func (w *wire) RemoteAddr() net.Addr { return w.LocalAddr() }

// acceptor is a listener whose connections the simulation makes.
type acceptor struct {
	come   chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newAcceptor() *acceptor {
	return &acceptor{come: make(chan net.Conn, 1024), closed: make(chan struct{})}
}

// Accept waits for a connection.
func (a *acceptor) Accept() (net.Conn, error) {
	select {
	case one := <-a.come:
		return one, nil
	case <-a.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (a *acceptor) Close() error {
	a.once.Do(func() { close(a.closed) })
	return nil
}

// Addr is nowhere.
func (a *acceptor) Addr() net.Addr { return &net.UnixAddr{Net: "unix"} }

func (a *acceptor) isClosed() bool {
	select {
	case <-a.closed:
		return true
	default:
		return false
	}
}
