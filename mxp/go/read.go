package mxp

import (
	"errors"
	"os"
)

func (c *conn) readBuffered() error {
	buffer := make([]byte, 4<<10)
	for {
		n, err := c.network.Read(buffer)
		if n > 0 {
			if err := c.feed(buffer[:n]); err != nil {
				return err
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
// [MXP-9.4], or if too many events wait for their handlers, it waits.
func (c *conn) feed(data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		c.stir()
		data = c.took(data)
		c.update()
		pauses := c.waiting > eventsMax
		switch {
		case c.broken:
			return errFinished
		case len(data) == 0 && !pauses:
			return nil
		case pauses:
			c.session.Pause(c.now())
		}
		c.reader.Wait()
		if pauses {
			c.session.Resume(c.now())
		}
	}
}
