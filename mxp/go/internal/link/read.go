package link

import (
	"bytes"
	"errors"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// pieceBytes is how much is read at once, at most.
const pieceBytes = 64 << 10

// passOverEvery is the least time between two reads of a session that has ended, of which nothing
// is taken [MXP-11.5], where more than half of the budget is held: peers that make a server hold
// too much go on sending as fast as they are read.
const passOverEvery = 10 * time.Millisecond

// pieces are what is read into, so that idle connections hold none.
var pieces = sync.Pool{New: func() any { return new([pieceBytes]byte) }}

// read reads until the connection is gone.
func (c *Conn) read() error {
	switch network := c.Network.(type) {
	case SharedConn:
		return c.readShared(network)
	case syscall.Conn:
		return c.readSocket(network)
	}
	return c.readBuffered()
}

// SharedConn is the part of a connection by shared memory beyond a net.Conn: a reader waits without
// a buffer, and a writer need not wait.
type SharedConn interface {
	net.Conn
	attempt
	// Await returns when Read has something to say.
	Await() error
	// HasHungUp reports whether nothing more will come.
	HasHungUp() bool
}

// readShared reads from shared memory, which is waited for without a buffer.
func (c *Conn) readShared(network SharedConn) error {
	for {
		err := network.Await()
		if err == nil {
			err = c.readPiece(network)
		}
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return c.shrink()
		case err != nil:
			return err
		}
	}
}

// readPiece reads what there is.
func (c *Conn) readPiece(network SharedConn) error {
	buffer := pieces.Get().(*[pieceBytes]byte)
	n, err := network.Read(buffer[:c.Options.Budget.Piece(len(buffer))])
	var rest []byte
	var stops bool
	if err == nil {
		rest, stops, err = c.feed(buffer[:n])
		rest = bytes.Clone(rest) // the buffer is for others
	}
	pieces.Put(buffer)
	if err == nil {
		err = c.settle(rest, stops)
	}
	return err
}

// readBuffered reads from a connection whose waiting needs a buffer: one that is encrypted, or of a system
// without another way. The buffer is small, and a larger one is borrowed for as long as more comes than it
// takes.
func (c *Conn) readBuffered() error {
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

// settle follows each read: it collects garbage if it is time. If the connection is paused, it
// waits, and then takes the rest of the read bytes.
func (c *Conn) settle(rest []byte, stops bool) (err error) {
	c.share.Collect()
	if c.lingers.Load() && c.Options.Budget.Tight() {
		time.Sleep(passOverEvery)
	}
	for stops && err == nil {
		c.pause()
		if len(rest) == 0 {
			break
		}
		rest, stops, err = c.feed(rest)
	}
	return err
}

// feed hands bytes to the session. If it takes them only after something was sent
// [MXP-9.4], it waits. It reports whether the connection is paused, and then gives the bytes that
// it has not taken.
func (c *Conn) feed(data []byte) (rest []byte, stops bool, err error) {
	c.Lock()
	defer c.Unlock()
	c.share.Read(len(data))
	for {
		c.restartIdleTimer()
		data, stops = c.receive(data)
		if c.left = len(data); c.left > 0 && !stops {
			c.left = pieceBytes // as long as it waits here
		}
		c.Update()
		c.Account()
		switch {
		case c.broken:
			return nil, false, errFinished
		case stops:
			return data, true, nil
		case len(data) == 0:
			return nil, c.stops(), nil
		}
		c.reader.Wait()
	}
}
