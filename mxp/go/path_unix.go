//go:build unix

package mxp

import (
	"errors"
	"syscall"
)

// pathBytes is the longest path that a unix socket can have.
const pathBytes = len(syscall.RawSockaddrUnix{}.Path) - 1

// nobodyListens reports whether an attempt to connect has failed since nobody listens.
func nobodyListens(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
