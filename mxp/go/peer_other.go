//go:build unix && !linux && !darwin

package mxp

import (
	"errors"
	"syscall"
)

// processAt is the process at the other end of a socket.
func processAt(syscall.Conn) (*Process, error) {
	return nil, errors.New("this system does not identify the peer; ServerOptions.AnyUser leaves the choice of users to the socket's mode")
}
