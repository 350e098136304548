package mxp

import "context"

// Shutdown lets what is in flight end, and what waits be sent, until the context
// ends; then the client is closed as by Close. Nothing new can be asked meanwhile,
// and a lost connection is not made again. Close itself cuts off: an event that
// nobody has waited for may then never be sent.
func (c *Client) Shutdown(ctx context.Context) error {
	defer c.Close()
	c.leaving.Store(true)
	c.mu.Lock()
	conn := c.conn
	c.mu.Unlock()
	if conn == nil {
		return nil
	}
	conn.mu.Lock()
	if conn.session.Drain("shutdown", conn.now()) != nil {
		conn.network.Close() // it has ended
	}
	conn.update()
	conn.mu.Unlock()
	select {
	case <-conn.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
