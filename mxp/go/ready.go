package mxp

import "context"

// Ready waits until requests can be made. An attempt to connect that fails ends
// the wait with its error, which is a *Failure if the peer, or the session, has
// refused; the client goes on connecting nevertheless. So a program that would
// rather tell its user than wait asks for this first.
func (c *Client) Ready(ctx context.Context) error {
	waits := waitingOf(ctx)
	for {
		c.mu.Lock()
		conn, changed, failure := c.conn, c.changed, c.failure
		c.mu.Unlock()
		switch {
		case conn != nil:
			return nil
		case failure != nil:
			return located(failure, target{}, c.at)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return located(waits.explained(failed(ctx.Err(), false)), target{}, c.at)
		}
	}
}
