package shm

import (
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Conn is a connection by shared memory. It is a net.Conn whose directions end by themselves.
type Conn struct {
	socket     *net.UnixConn
	raw        syscall.RawConn
	own, peers memory
	network    string
	spinTime   time.Duration
	released   func()
	born       time.Time

	refs    atomic.Int32  // those who use the memory, and closedBit
	gone    atomic.Bool   // the socket has ended
	notices atomic.Uint32 // how often some were read from it
	failed  atomic.Pointer[error]

	reading   sync.Mutex
	in        receiver
	bytes     waiter
	roomMade  notice
	writing   sync.Mutex
	out       sender
	finished  bool // writes no more
	room      waiter
	bytesMade notice
	bell      bell

	mu      sync.Mutex
	watcher *waiter   // who is at the socket
	wound   time.Time // the deadline that the socket has
}

// closedBit is set in refs when the connection is closed. The memory is mapped until
// nobody uses it.
const closedBit = 1 << 30

// newConn makes a connection of memory that was handed over. It calls released when the memory
// is given back.
func newConn(socket *net.UnixConn, own, peers memory, o Options, released func()) (*Conn, error) {
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil, err
	}
	c := &Conn{
		socket: socket, raw: raw, own: own, peers: peers, network: o.Network, spinTime: o.Spin, released: released, born: time.Now(),
		in: newReceiver(own, peers), out: newSender(own, peers),
		bytesMade: notice{awaits: peers.word(atAwaitsBytes)}, roomMade: notice{awaits: peers.word(atAwaitsRoom)},
	}
	c.bell.init(c)
	c.bytes.init(c, &c.room, own.word(atAwaitsBytes), func() bool {
		n, ended, err := c.in.there()
		return n > 0 || ended || err != nil
	})
	c.room.init(c, &c.bytes, own.word(atAwaitsRoom), func() bool {
		n, err := c.out.room()
		return n > 0 || err != nil
	})
	return c, nil
}

// Socket is the socket on which the connection was handed over.
func (c *Conn) Socket() *net.UnixConn { return c.socket }

// LocalAddr is the socket's, of the network of Options.
func (c *Conn) LocalAddr() net.Addr { return c.address(c.socket.LocalAddr()) }

// RemoteAddr is the socket's, of the network of Options.
func (c *Conn) RemoteAddr() net.Addr { return c.address(c.socket.RemoteAddr()) }

func (c *Conn) address(socket net.Addr) net.Addr {
	return &net.UnixAddr{Name: socket.String(), Net: c.network}
}

// enter keeps the memory mapped until leave, or reports that the connection is closed.
func (c *Conn) enter() bool {
	for {
		n := c.refs.Load()
		if n&closedBit != 0 {
			return false
		}
		if c.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (c *Conn) leave() {
	if c.refs.Add(-1) == closedBit {
		c.own.unmap()
		c.peers.unmap()
		c.released()
	}
}

func (c *Conn) isClosed() bool { return c.refs.Load()&closedBit != 0 }

// fail notes why the connection is lost.
func (c *Conn) fail(err error) error {
	c.failed.CompareAndSwap(nil, &err)
	return *c.failed.Load()
}

// why is the error of who finds the connection closed.
func (c *Conn) why(err error) error {
	if failed := c.failed.Load(); failed != nil {
		return *failed
	}
	return err
}

// Read copies bytes out of the peer's ring.
func (c *Conn) Read(p []byte) (n int, err error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	if !c.enter() {
		return 0, c.why(net.ErrClosed)
	}
	defer c.leave()
	for len(p) > 0 && err == nil {
		if n, err = c.take(p); n > 0 {
			break
		}
		if err == nil {
			err = c.bytes.wait()
		}
	}
	return n, c.why(err)
}

// take reads what there is. It looks whether the socket has ended before it looks for the
// bytes that were written until then [MXP-18.10].
func (c *Conn) take(p []byte) (n int, err error) {
	if c.bytes.late() {
		return 0, os.ErrDeadlineExceeded
	}
	gone := c.gone.Load()
	n, left, ended, err := c.in.take(p)
	switch {
	case err != nil:
		return 0, c.fail(err)
	case n > 0:
		if left <= len(c.in.ring)/2 {
			c.roomMade.give(&c.bell)
		}
		return n, nil
	case ended:
		return 0, io.EOF
	case gone:
		return 0, c.fail(unix.ECONNRESET)
	}
	return 0, nil
}

// Await returns when Read has something to say.
func (c *Conn) Await() error {
	c.reading.Lock()
	defer c.reading.Unlock()
	if !c.enter() {
		return c.why(net.ErrClosed)
	}
	defer c.leave()
	if !c.bytes.late() && c.bytes.ready() {
		return nil
	}
	if c.gone.Load() {
		return nil
	}
	return c.why(c.bytes.wait())
}

// writtenAtOnce is how much is copied before the peer may take it.
const writtenAtOnce = 32 << 10

// Write copies bytes into the ring, and waits for room.
func (c *Conn) Write(p []byte) (n int, err error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	if !c.enter() {
		return 0, c.why(net.ErrClosed)
	}
	defer c.leave()
	for n < len(p) {
		put, err := c.put(p[n:min(len(p), n+writtenAtOnce)])
		if n += put; put == 0 && err == nil {
			err = c.room.wait()
		}
		if err != nil {
			return n, c.why(err)
		}
	}
	return n, nil
}

// put writes what there is room for, and wakes the peer.
func (c *Conn) put(p []byte) (n int, err error) {
	if c.finished || c.gone.Load() {
		return 0, unix.EPIPE
	}
	n, err = c.out.put(p)
	if err != nil {
		return 0, c.fail(err)
	}
	if n > 0 {
		c.bytesMade.give(&c.bell)
	}
	return n, nil
}

// TryWrite writes what there is room for at once. Write names the reason if there is no room.
func (c *Conn) TryWrite(p []byte) (n int) {
	if !c.writing.TryLock() {
		return 0
	}
	defer c.writing.Unlock()
	if !c.enter() {
		return 0
	}
	defer c.leave()
	n, _ = c.put(p)
	return n
}

// CloseWrite ends this side's direction: the peer reads what was written, and then its end.
func (c *Conn) CloseWrite() error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if !c.enter() {
		return net.ErrClosed
	}
	defer c.leave()
	c.finish()
	return nil
}

func (c *Conn) finish() {
	c.finished = true
	atomic.StoreUint32(c.out.ended, 1)
	c.bytesMade.give(&c.bell)
}

// HasHungUp reports whether nothing more will come.
func (c *Conn) HasHungUp() bool {
	if !c.enter() {
		return true
	}
	defer c.leave()
	if c.gone.Load() || atomic.LoadUint32(c.in.ended) == 1 {
		return true
	}
	gone := false
	_ = c.raw.Control(func(fd uintptr) {
		ends := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
		n, err := unix.Poll(ends, 0)
		gone = err == nil && n > 0
	})
	return gone
}

// Close ends the connection, and wakes waiting readers and writers. The peer can still read the
// bytes written before; a running Write fails as closed.
func (c *Conn) Close() error {
	if !c.enter() {
		return net.ErrClosed
	}
	if c.refs.Or(closedBit)&closedBit != 0 {
		c.leave()
		return net.ErrClosed
	}
	if c.writing.TryLock() { // else a part of something was written, and the connection is lost
		c.finish()
		c.writing.Unlock()
	}
	c.bell.ring() // who waits for it looks after the socket
	c.mu.Lock()
	err := c.socket.Close()
	c.bytes.wake()
	c.room.wake()
	c.mu.Unlock()
	c.leave()
	return err
}

// SetDeadline is that of reads and writes.
func (c *Conn) SetDeadline(t time.Time) error {
	c.bytes.setDeadline(t)
	c.room.setDeadline(t)
	return nil
}

// SetReadDeadline is when reads fail.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.bytes.setDeadline(t)
	return nil
}

// SetWriteDeadline is when writes fail that wait for room.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.room.setDeadline(t)
	return nil
}
