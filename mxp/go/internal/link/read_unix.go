//go:build unix

package link

import (
	"bytes"
	"errors"
	"io"
	"os"
	"syscall"
)

// readSocket reads until the connection is gone. Sockets are waited for without a buffer.
func (c *Conn) readSocket(socket syscall.Conn) error {
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	var buffer *[pieceBytes]byte
	var n int
	var failed error
	try := func(fd uintptr) bool { // no lock may be waited for here
		buffer = pieces.Get().(*[pieceBytes]byte)
		n, failed = syscall.Read(int(fd), buffer[:c.Options.Budget.Piece(len(buffer))])
		if failed != syscall.EAGAIN {
			return true
		}
		pieces.Put(buffer)
		buffer = nil
		return false
	}
	for {
		var rest []byte
		var stops bool
		n, failed = 0, nil
		err := raw.Read(try)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			err = c.shrink()
		case err != nil:
		case failed != nil && failed != syscall.EINTR:
			err = failed
		case n == 0 && failed == nil:
			err = io.EOF
		case n > 0:
			rest, stops, err = c.feed(buffer[:n])
			rest = bytes.Clone(rest) // the buffer is for others
		}
		if buffer != nil {
			pieces.Put(buffer)
			buffer = nil
		}
		if err == nil {
			err = c.settle(rest, stops)
		}
		if err != nil {
			return err
		}
	}
}
