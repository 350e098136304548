//go:build !windows

package mxp

import (
	"errors"
	"io/fs"
)

// forbids reports whether the system refuses this user.
func forbids(err error) bool { return errors.Is(err, fs.ErrPermission) }
