package link

import (
	"errors"
	"syscall"
)

// isReset reports whether the peer has reset the connection. Windows has numbers of its own for it, and
// its second for connections that it has given up itself, after the peer answered no more.
func isReset(err error) bool {
	return errors.Is(err, syscall.WSAECONNRESET) || errors.Is(err, syscall.WSAECONNABORTED)
}
