//go:build !unix

package link

import (
	"bytes"
	"errors"
	"os"
	"syscall"
)

// readSocket reads until the connection is gone. A read that waits needs a buffer here: it is small, and
// a larger one is borrowed for as long as more comes than it takes.
func (c *Conn) readSocket(syscall.Conn) error {
	var small [4 << 10]byte
	for {
		n, err := c.Network.Read(small[:])
		if err = c.take(small[:n], err); err != nil {
			return err
		}
		if n < len(small) {
			continue
		}
		if err := c.readPieces(); err != nil {
			return err
		}
	}
}

// readPieces reads as long as there is more than a small buffer takes.
func (c *Conn) readPieces() error {
	buffer := pieces.Get().(*[pieceBytes]byte)
	defer pieces.Put(buffer)
	for {
		piece := buffer[:c.Options.Budget.Piece(len(buffer))]
		n, err := c.Network.Read(piece)
		if err = c.take(piece[:n], err); err != nil || n < len(piece) {
			return err
		}
	}
}

// take hands the bytes of a read to the session, and then gives the read's error.
func (c *Conn) take(data []byte, failed error) error {
	if len(data) > 0 {
		rest, stops, err := c.feed(data)
		if err == nil {
			err = c.settle(bytes.Clone(rest), stops)
		}
		if err != nil {
			return err
		}
	}
	if errors.Is(failed, os.ErrDeadlineExceeded) {
		return c.shrink()
	}
	return failed
}
