//go:build !linux

package mxp

import (
	"errors"
	"net"
)

// peerUser is the user that the process at the other end runs as.
func peerUser(*net.UnixConn) (int, error) {
	return 0, errors.New("mxp: this system doesn't tell here who the peer is; ServerOptions.AnyUser lets everybody in whom the socket's mode does")
}
