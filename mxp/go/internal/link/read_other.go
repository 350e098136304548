//go:build !unix

package link

import "syscall"

// readSocket reads until the connection is gone. There is no way to wait without a buffer.
func (c *Conn) readSocket(syscall.Conn) error { return c.readBuffered() }
