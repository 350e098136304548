//go:build !unix

package mxp

// read reads until the connection is gone.
func (c *conn) read() error { return c.readBuffered() }
