//go:build unix

package mxp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"sync"
	"syscall"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// checkSocket refuses a path that no socket can have.
func checkSocket(scheme, path string) error {
	if len(path) < 2 || path[0] != '/' {
		return errors.New("has no absolute path, as in " + addressOf(scheme, "/run/x.sock"))
	}
	if len(path) > pathBytes {
		return fmt.Errorf("has a path of %d bytes, and a socket's can have %d: the path is too long", len(path), pathBytes)
	}
	return nil
}

func dialUnix(ctx context.Context, path string, options ClientOptions) (net.Conn, error) {
	network, err := options.dial(ctx, unixNetwork, path)
	if err != nil {
		return nil, unixFailure(path, err)
	}
	return network, nil
}

// unixFailure is why a unix socket can't be connected to.
func unixFailure(path string, err error) error {
	there, unseen := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return unreached(session.StatusFailedPrecondition, cause(err), err)
	case unseen == nil && there.Mode()&fs.ModeSocket == 0:
		return unreached(session.StatusFailedPrecondition, "this is no socket", err)
	case unseen != nil && !errors.Is(unseen, fs.ErrNotExist):
		return unreached(session.StatusFailedPrecondition, cause(unseen), err)
	}
	return err
}

// identifyUnix fills in the process at the other end. A peer that has connected to a socket has no
// address but the socket's.
func identifyUnix(network net.Conn, peer *Peer) (err error) {
	peer.Address = addressOf(unixNetwork, network.LocalAddr().String())
	if socket, is := network.(syscall.Conn); is { // also one that a listener of the user's has wrapped
		peer.Process, err = processAt(socket)
	}
	return err
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
	peer, err := net.Dial(unixNetwork, path)
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
func (l *unixListener) Addr() net.Addr { return &net.UnixAddr{Name: l.path, Net: unixNetwork} }

// Close closes the listener.
func (l *unixListener) Close() error {
	l.once.Do(func() { removeSame(l.path, l.file) })
	return l.UnixListener.Close()
}
