//go:build !windows

package link

import (
	"errors"
	"syscall"
)

// isReset reports whether the peer has reset the connection.
func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
