//go:build !linux

package mxp

import (
	"errors"
	"syscall"
)

// processAt is the process at the other end of a socket.
func processAt(syscall.Conn) (*Process, error) {
	return nil, errors.New("this system doesn't tell here who the peer is; ServerOptions.AnyUser lets everybody in whom the socket's mode does")
}
