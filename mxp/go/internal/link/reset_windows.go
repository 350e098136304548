package link

import (
	"errors"
	"syscall"

	"golang.org/x/sys/windows"
)

// isReset reports whether the peer has reset the connection. Windows has numbers of its own for it, and
// its second for connections that it has given up itself, after the peer answered no more. The others are
// of pipes whose other end is closed.
func isReset(err error) bool {
	for _, reset := range []error{
		syscall.WSAECONNRESET, syscall.WSAECONNABORTED, windows.ERROR_NO_DATA, windows.ERROR_BROKEN_PIPE, windows.ERROR_PIPE_NOT_CONNECTED,
	} {
		if errors.Is(err, reset) {
			return true
		}
	}
	return false
}
