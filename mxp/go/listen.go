package mxp

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"sync"
)

// onceListener is closed once, by whoever comes first: not all listeners can be closed
// again.
type onceListener struct {
	net.Listener
	once sync.Once
	err  error
}

// Close closes the listener.
func (l *onceListener) Close() error {
	l.once.Do(func() { l.err = l.Listener.Close() })
	return l.err
}

// listenUnix makes a socket's file, which is its user's alone from the start. The file
// of a socket on which nobody listens any more is replaced.
func listenUnix(path string) (net.Listener, error) {
	if err := removeStale(path); err != nil {
		return nil, err
	}
	listener, err := bindPrivate(path)
	if err != nil {
		return nil, err
	}
	listener.SetUnlinkOnClose(false)
	file, err := os.Lstat(path)
	if err != nil {
		listener.Close()
		return nil, err
	}
	return &unixListener{UnixListener: listener, path: path, file: file}, nil
}

// removeStale takes away the file of a socket on which nobody listens any more.
func removeStale(path string) error {
	old, err := os.Lstat(path)
	if err != nil {
		return nil // what is wrong with the path, the socket says
	}
	if old.Mode()&fs.ModeSocket == 0 {
		return fmt.Errorf("mxp: %s is there, and no socket", path)
	}
	peer, err := net.Dial("unix", path)
	switch {
	case err == nil:
		peer.Close()
		return fmt.Errorf("mxp: somebody listens on %s already", path)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case !nobodyListens(err):
		return fmt.Errorf("mxp: %s is there, and whether somebody listens on it is not known: %w", path, err)
	}
	removeSame(path, old)
	return nil
}

// removeSame takes a file away, unless another has taken its place.
func removeSame(path string, file fs.FileInfo) {
	if now, err := os.Lstat(path); err == nil && os.SameFile(now, file) {
		os.Remove(path)
	}
}

// unixListener takes its socket's file away when it is closed: before nobody listens on
// it any more, since from then on the file may be the next server's.
type unixListener struct {
	*net.UnixListener
	path string
	file fs.FileInfo
	once sync.Once
}

// Addr is the socket's address.
func (l *unixListener) Addr() net.Addr { return &net.UnixAddr{Name: l.path, Net: "unix"} }

// Close closes the listener.
func (l *unixListener) Close() error {
	l.once.Do(func() { removeSame(l.path, l.file) })
	return l.UnixListener.Close()
}
