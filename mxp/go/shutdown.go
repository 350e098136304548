package mxp

import (
	"context"
	"maps"
	"slices"
)

// Shutdown waits for requests in flight to end, and for waiting frames to be sent, until the
// context ends; then the client is closed as by Close. Nothing new can be asked meanwhile, and a
// lost connection is not made again. Close itself cuts off: an event that nobody has waited for may
// then never be sent.
func (c *Client) Shutdown(ctx context.Context) error {
	if c.bound {
		return nil
	}
	defer c.Close()
	c.leave()
	c.mu.Lock()
	conns := slices.Collect(maps.Keys(c.conns))
	c.mu.Unlock()
	for _, conn := range conns {
		conn.Drain("shutdown")
	}
	for _, conn := range conns {
		select {
		case <-conn.Done():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
