//go:build !windows

package driver

import (
	"errors"
	"syscall"
)

// IsClosedPipe reports whether a write has failed because nobody reads the other end any more.
func IsClosedPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
