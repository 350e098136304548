package shm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// sockets are the two ends of a unix socket.
func sockets(t testing.TB) (opener, acceptor *net.UnixConn) {
	t.Helper()
	at := &net.UnixAddr{Name: filepath.Join(t.TempDir(), "s.sock"), Net: "unix"}
	listener, err := net.ListenUnix("unix", at)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if opener, err = net.DialUnix("unix", nil, at); err != nil {
		t.Fatal(err)
	}
	if acceptor, err = listener.AcceptUnix(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		opener.Close()
		acceptor.Close()
	})
	return opener, acceptor
}

// options are the options of a test's connections, whose rings nothing bounds.
func options(ring int, spin time.Duration) Options {
	return Options{RingBytes: ring, Spin: spin, Rings: NewRings(math.MaxInt)}
}

// pair is a connection from both ends.
func pair(t testing.TB, a, b Options) (opener, acceptor *Conn) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	from, to := sockets(t)
	failed := make(chan error, 1)
	go func() {
		var err error
		acceptor, err = Accept(ctx, to, b)
		failed <- err
	}()
	opener, err := Open(ctx, from, a)
	if err := errors.Join(err, <-failed); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		opener.Close()
		acceptor.Close()
	})
	return opener, acceptor
}

// Neither side sleeps when there is something for it, however they take turns.
func TestNobodySleepsOverBytesThatHaveCome(t *testing.T) {
	for name, spin := range map[string]time.Duration{"sleeping": 0, "spinning": 20 * time.Microsecond} {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t, options(ringLeast, spin), options(ringLeast, spin))
			go io.Copy(b, b)
			value := make([]byte, 64)
			a.SetDeadline(time.Now().Add(20 * time.Second))
			for n := range 20_000 {
				if _, err := a.Write(value); err != nil {
					t.Fatal(n, err)
				}
				if _, err := io.ReadFull(a, value); err != nil {
					t.Fatalf("after %d: %v: %+v %d %+v %d", n, err, &b.bytes, *b.bytes.awaits, a.bytesMade, *a.bytesMade.awaits)
				}
			}
		})
	}
}

// small are options of rings as small as can be, with which nobody spins.
func small() Options { return options(ringLeast, 0) }

// Values larger than the ring pass in both directions at once, while both wait for bytes and
// for room. [MXP-18.7] [MXP-18.9]
func TestValuesLargerThanTheRingPass(t *testing.T) {
	for name, spin := range map[string]time.Duration{"sleeping": 0, "spinning": 20 * time.Microsecond} {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t, options(ringLeast, spin), options(4*ringLeast, spin))
			value := make([]byte, 1<<20)
			for at := range value {
				value[at] = byte(at * 7 >> 3)
			}
			var both sync.WaitGroup
			for _, one := range []*Conn{a, b} {
				one.SetDeadline(time.Now().Add(30 * time.Second))
				both.Add(2)
				go func() {
					defer both.Done()
					for range 8 {
						if n, err := one.Write(value); n != len(value) || err != nil {
							t.Error(n, err)
						}
					}
				}()
				go func() {
					defer both.Done()
					got := make([]byte, len(value))
					for range 8 {
						if _, err := io.ReadFull(one, got); err != nil || !bytes.Equal(got, value) {
							t.Errorf("%v, or other bytes", err)
							return
						}
					}
				}()
			}
			both.Wait()
		})
	}
}

// Each direction ends by itself. [MXP-18.10]
func TestDirectionsEndByThemselves(t *testing.T) {
	a, b := pair(t, small(), small())
	got := make(chan []byte)
	go func() {
		all, err := io.ReadAll(b)
		if err != nil {
			t.Error(err)
		}
		got <- all
	}()
	a.Write([]byte("last"))
	time.Sleep(5 * time.Millisecond) // so that b sleeps
	if err := a.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if all := <-got; string(all) != "last" {
		t.Errorf("%q came", all)
	}
	if n, err := a.Write([]byte("more")); n != 0 || !errors.Is(err, unix.EPIPE) {
		t.Errorf("%d, %v: it writes on", n, err)
	}
	b.Write([]byte("answer"))
	if !a.bytes.ready() || a.HasHungUp() || !b.HasHungUp() {
		t.Error("the other direction has ended, too")
	}
	b.Close()
	if all, err := io.ReadAll(a); err != nil || string(all) != "answer" {
		t.Errorf("%q came, %v", all, err)
	}
}

// A peer whose socket ends before it says that it has ended is lost, behind what it has
// written. [MXP-18.10]
func TestPeerThatDiesIsLostBehindItsLastByte(t *testing.T) {
	a, b := pair(t, small(), small())
	a.Write([]byte("last"))
	woken := make(chan error, 1)
	go func() { // b waits for room, since a takes nothing
		_, err := b.Write(make([]byte, 2*ringLeast))
		woken <- err
	}()
	time.Sleep(5 * time.Millisecond)
	a.socket.Close()
	if err := <-woken; !errors.Is(err, unix.EPIPE) {
		t.Error(err)
	}
	all, err := io.ReadAll(b)
	if string(all) != "last" || !errors.Is(err, unix.ECONNRESET) {
		t.Errorf("%q, %v", all, err)
	}
	if _, err := b.Write([]byte("x")); err == nil || !b.HasHungUp() {
		t.Error("it writes on")
	}
}

// A waiting reader and a waiting writer are woken by Close, and by deadlines that are set
// meanwhile; and a closed connection leaves nothing behind. [MXP-16.3]
func TestWhoWaitsIsWoken(t *testing.T) {
	for name, wake := range map[string]func(c *Conn){
		"by Close":                 func(c *Conn) { c.Close() },
		"by a deadline":            func(c *Conn) { c.SetDeadline(time.Now().Add(time.Millisecond)) },
		"by one that has passed":   func(c *Conn) { c.SetDeadline(time.Unix(1, 0)) },
		"by deadlines of its own":  func(c *Conn) { c.SetReadDeadline(time.Unix(1, 0)); c.SetWriteDeadline(time.Unix(1, 0)) },
		"by one after a later one": func(c *Conn) { c.SetDeadline(time.Now().Add(time.Hour)); c.SetDeadline(time.Now()) },
	} {
		for _, first := range []string{"read", "write"} {
			t.Run(name+", "+first+" first", func(t *testing.T) {
				nothingStays(t, func() {
					a, b := pair(t, small(), small())
					wokenByItself(t, a, wake, first)
					a.Close()
					b.Close()
				})
			})
		}
	}
}

// wokenByItself wakes a reader and a writer; first names the side at the socket.
func wokenByItself(t *testing.T, c *Conn, wake func(c *Conn), first string) {
	t.Helper()
	woken := make(chan error, 2)
	waits := map[string]func(){
		"read":  func() { _, err := c.Read(make([]byte, 1)); woken <- err },
		"write": func() { _, err := c.Write(make([]byte, 2*ringLeast)); woken <- err },
	}
	go waits[first]()
	time.Sleep(2 * time.Millisecond)
	delete(waits, first)
	for _, other := range waits {
		go other()
	}
	time.Sleep(2 * time.Millisecond)
	wake(c)
	for range 2 {
		select {
		case err := <-woken:
			if !errors.Is(err, net.ErrClosed) && !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error(err)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("it sleeps on")
		}
	}
}

// A deadline that has passed can be taken back.
func TestDeadlinesCanBeTakenBack(t *testing.T) {
	a, b := pair(t, small(), small())
	for range 3 {
		a.SetReadDeadline(time.Now().Add(time.Millisecond))
		if _, err := a.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
		a.SetReadDeadline(time.Time{})
		b.Write([]byte{1})
		if n, err := a.Read(make([]byte, 1)); n != 1 || err != nil {
			t.Error(n, err)
		}
	}
}

// A peer that waits for the bell is woken by it, once for each of its numbers, and one that
// waits at the socket by a byte. [MXP-18.9]
func TestPeersAreWokenAsTheyWait(t *testing.T) {
	a, b := pair(t, small(), small())
	awaits, bell := b.own.word(atAwaitsBytes), a.own.word(atBell)
	for n, step := range []struct{ awaits, rung, bytes uint32 }{
		{0, 0, 0}, {4 | waitsFutex, 1, 0}, {4 | waitsFutex, 1, 0}, {8 | waitsFutex, 2, 0}, {12 | waitsSocket, 2, 1}, {12 | waitsSocket, 2, 0}, {16 | waitsBits, 2, 0}, {20, 2, 0},
	} {
		*awaits = step.awaits
		if _, err := a.Write([]byte{1}); err != nil {
			t.Fatal(err)
		}
		if *bell != step.rung {
			t.Errorf("%d: it has rung %d times", n, *bell)
		}
		came := make([]byte, 8)
		b.socket.SetReadDeadline(time.Now().Add(2 * time.Millisecond))
		if got, _ := b.socket.Read(came); got != int(step.bytes) {
			t.Errorf("%d: %d bytes came", n, got)
		}
	}
}

// A thread that sleeps on the bell wakes when bytes are written. [MXP-18.9]
func TestBellWakesWhoSleepsOnIt(t *testing.T) {
	a, b := pair(t, small(), small())
	*b.own.word(atAwaitsBytes) = 4 | waitsFutex
	go func() {
		time.Sleep(5 * time.Millisecond)
		a.Write([]byte{1})
	}()
	limit := unix.NsecToTimespec(int64(10 * time.Second))
	const futexWait = 0
	_, _, errno := unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(b.peers.word(atBell))), futexWait, 0, uintptr(unsafe.Pointer(&limit)), 0, 0)
	if errno != 0 && errno != unix.EAGAIN {
		t.Error(errno)
	}
	if !b.bytes.ready() {
		t.Error("nothing has come")
	}
}

// Notices without end wake nobody for good, and cut nobody off. [MXP-18.10]
func TestFloodOfNoticesIsPassedOver(t *testing.T) {
	a, b := pair(t, small(), small())
	stop := make(chan struct{})
	var flood sync.WaitGroup
	flood.Add(1)
	go func() {
		defer flood.Done()
		for notices := make([]byte, 4096); ; {
			select {
			case <-stop:
				return
			default:
				a.socket.SetWriteDeadline(time.Now().Add(time.Millisecond))
				a.socket.Write(notices)
			}
		}
	}()
	value := make([]byte, 100)
	b.SetDeadline(time.Now().Add(20 * time.Second))
	for range 100 {
		go a.Write(make([]byte, len(value)))
		if _, err := io.ReadFull(b, value); err != nil {
			t.Fatal(err)
		}
	}
	b.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
	if _, err := b.Read(value); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error(err)
	}
	b.SetDeadline(time.Now().Add(20 * time.Second))
	go func() {
		time.Sleep(5 * time.Millisecond)
		b.Close()
	}()
	if _, err := b.Read(value); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	close(stop)
	flood.Wait()
}

// Impossible numbers of a peer end the connection by name, on the side that meets them first, also
// while it sleeps. [MXP-18.7]
func TestConnectionsWithNonsenseNumbersAreLost(t *testing.T) {
	for name, lie := range map[string]func(peer *Conn){
		"written": func(peer *Conn) { *peer.own.long(atWritten) = 1 << 40 },
		"taken":   func(peer *Conn) { *peer.own.long(atTaken) = 1 << 40 },
	} {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t, small(), small())
			ends := make(chan error, 2)
			go func() { _, err := b.Read(make([]byte, 1)); ends <- err }()
			time.Sleep(2 * time.Millisecond)
			lie(a)
			a.socket.Write([]byte{0})
			if name == "taken" {
				if _, err := b.Write(make([]byte, 2*ringLeast)); !errors.Is(err, session.ErrShmIndex) {
					t.Error(err)
				}
				b.Close()
			}
			if err := <-ends; !errors.Is(err, session.ErrShmIndex) {
				t.Error(err)
			}
			if _, err := b.Write(make([]byte, 1)); name == "taken" && !errors.Is(err, session.ErrShmIndex) {
				t.Error(err)
			}
		})
	}
}

// Bytes that were read stay as they are after any change of the peer's memory. [MXP-18.8]
func TestBytesThatWereReadDoNotChange(t *testing.T) {
	a, b := pair(t, small(), small())
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for n := byte(0); ; n++ {
			select {
			case <-stop:
				return
			default:
				for at := range a.own.ring() {
					a.own.ring()[at] = n
				}
			}
		}
	}()
	for range 200 {
		if _, err := a.Write(make([]byte, ringLeast)); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, ringLeast)
		if _, err := io.ReadFull(b, got); err != nil {
			t.Fatal(err)
		}
		seen := bytes.Clone(got)
		runtime.Gosched()
		if !bytes.Equal(seen, got) {
			t.Fatal("they have changed")
		}
	}
	close(stop)
	<-stopped
}
