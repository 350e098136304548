package shm

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"
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

// options are those of a test's connections, whose rings nothing bounds.
func options(ring int, spin time.Duration) Options {
	return Options{RingBytes: ring, Spin: spin, Rings: NewRings(1 << 40)}
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
			for n := range 100_000 {
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
