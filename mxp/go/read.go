package mxp

import (
	"errors"
	"os"
)

// pieceBytes is how much is read at once, at most.
const pieceBytes = 64 << 10

func (c *conn) readBuffered() error {
	buffer := make([]byte, 4<<10)
	for {
		n, err := c.network.Read(buffer)
		if n > 0 {
			stops, err := c.feed(buffer[:n])
			if err != nil {
				return err
			}
			c.options.budget.collect(n, c.counted.Load())
			if stops {
				c.pause()
			}
		}
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return c.rest()
		case err != nil:
			return err
		}
	}
}

// feed hands bytes to the session. If it takes them only after something was sent
// [MXP-9.4], it waits. It reports whether nothing more is to be read for now.
func (c *conn) feed(data []byte) (stops bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		c.stir()
		data = c.took(data)
		if c.left = 0; len(data) > 0 {
			c.left = pieceBytes // as long as it waits
		}
		c.update()
		c.account()
		switch {
		case c.broken:
			return false, errFinished
		case len(data) == 0:
			return c.stops(), nil
		}
		c.reader.Wait()
	}
}
