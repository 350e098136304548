//go:build unix

package mxp

import (
	"net"
	"syscall"
)

// attempt writes to a socket without waiting. One goroutine at a time uses it.
type attempt struct {
	raw  syscall.RawConn
	try  func(fd uintptr) bool
	data []byte
	n    int
}

// newAttempt is nil for a connection that is no socket, but encrypted.
func newAttempt(network net.Conn) *attempt {
	socket, ok := network.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil
	}
	a := &attempt{raw: raw}
	a.try = func(fd uintptr) bool {
		n, err := syscall.Write(int(fd), a.data)
		if err == nil {
			a.n = n
		}
		return true
	}
	return a
}

// write says how much the socket has taken. What is wrong with it, if it has taken
// nothing, whoever writes the rest finds out.
func (a *attempt) write(data []byte) int {
	a.data, a.n = data, 0
	_ = a.raw.Write(a.try)
	a.data = nil
	return a.n
}
