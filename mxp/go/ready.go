package mxp

import (
	"context"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
)

// Ready waits until requests can be made, for ConnectTimeout at most. Requests do
// so themselves; but the first attempt to connect that fails ends this wait with
// its *Failure, also where a later one may succeed. The client goes on connecting
// nevertheless. So a program that would rather tell its user than wait asks for
// this first.
func (c *Client) Ready(ctx context.Context) error {
	_, err := c.await(ctx, func(*Failure) bool { return false })
	return engine.Located(err, engine.Target{}, c.at)
}
