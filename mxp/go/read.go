package mxp

import (
	"errors"
	"os"
	"time"
)

// pieceBytes is how much is read at once, at most.
const pieceBytes = 64 << 10

// passOverEvery is the least time between two reads of a session that has ended, of which
// nothing is taken [MXP-11.5], where more than half of the budget is held: those that make a
// server hold too much go on to send as fast as they are read.
const passOverEvery = 10 * time.Millisecond

func (c *conn) readBuffered() error {
	buffer := make([]byte, 4<<10)
	for {
		n, err := c.network.Read(buffer)
		if n > 0 {
			rest, stops, err := c.feed(buffer[:n])
			if err == nil {
				err = c.settle(rest, stops)
			}
			if err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return c.shrink()
		case err != nil:
			return err
		}
	}
}

// settle follows each read: garbage is collected if it is time, and if nothing more is to
// be read for now, it waits, and then takes the rest of what was.
func (c *conn) settle(rest []byte, stops bool) (err error) {
	c.options.budget.collect(c.counted.Load())
	if c.lingers.Load() && c.options.budget.tight() {
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
// [MXP-9.4], it waits. It reports whether nothing more is to be read for now, and gives
// what it has not taken then.
func (c *conn) feed(data []byte) (rest []byte, stops bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn -= min(c.turn, len(data))
	for {
		c.restartIdleTimer()
		data, stops = c.receive(data)
		if c.left = len(data); c.left > 0 && !stops {
			c.left = pieceBytes // as long as it waits here
		}
		c.update()
		c.account()
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
