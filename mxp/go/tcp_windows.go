package mxp

import (
	"errors"
	"io/fs"
	"net"
	"syscall"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// limitUnsent keeps little in a socket, so that what is small overtakes in the queue, where it can, what
// is large. Windows has no limit of unsent bytes alone: this one is of bytes on their way, too, and so is
// larger, and its buffer no longer grows by itself.
func limitUnsent(socket *net.TCPConn) { socket.SetWriteBuffer(4 * session.UnsentBytes) }

// forbids reports whether the system refuses this user: of sockets, Windows says so by a number that
// package fs does not know.
func forbids(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.WSAEACCES)
}
