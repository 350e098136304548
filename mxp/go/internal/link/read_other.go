//go:build !unix

package link

import "syscall"

// readSocket reads until the connection is gone.
func (c *Conn) readSocket(syscall.Conn) error { return c.readBuffered() }
