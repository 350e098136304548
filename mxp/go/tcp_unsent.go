//go:build linux || darwin

package mxp

import (
	"net"
	"syscall"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// limitUnsent lets a socket take little beyond what is on its way, so that what is small
// overtakes in the queue, where it can, what is large.
func limitUnsent(socket *net.TCPConn) {
	if raw, err := socket.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) {
			syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, notSentLowat, session.UnsentBytes)
		})
	}
}
