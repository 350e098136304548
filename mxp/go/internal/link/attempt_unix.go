//go:build unix

package link

import (
	"net"
	"syscall"
)

// socketAttempt writes to a socket without waiting. One goroutine at a time uses it.
type socketAttempt struct {
	raw  syscall.RawConn
	try  func(fd uintptr) bool
	data []byte
	n    int
}

// attemptAt is nil for a connection that is no socket, but encrypted.
func attemptAt(network net.Conn) attempt {
	socket, ok := network.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil
	}
	a := &socketAttempt{raw: raw}
	a.try = func(fd uintptr) bool {
		n, err := syscall.Write(int(fd), a.data)
		if err == nil {
			a.n = n
		}
		return true
	}
	return a
}

// TryWrite says how much the socket has taken.
func (a *socketAttempt) TryWrite(data []byte) int {
	a.data, a.n = data, 0
	_ = a.raw.Write(a.try)
	a.data = nil
	return a.n
}
