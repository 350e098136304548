//go:build !unix

package mxp

import "syscall"

// readSocket reads until the connection is gone.
func (c *conn) readSocket(syscall.Conn) error { return c.readBuffered() }
