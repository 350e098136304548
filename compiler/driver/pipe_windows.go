package driver

import (
	"errors"
	"syscall"

	"golang.org/x/sys/windows"
)

// IsClosedPipe reports whether a write has failed because nobody reads the other end any more. Windows
// answers the first such write otherwise than a later one.
func IsClosedPipe(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA) || errors.Is(err, syscall.EPIPE)
}
