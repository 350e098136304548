package mxp

import (
	"context"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Client asks the side that has made the request, on the same connection: what it serves by
// its options. It may be kept, and used by several goroutines, and ends with the connection:
// from then on requests fail at once, and no other connection is made. Close and Shutdown do
// nothing to it. Client is nil of a request that is about to be made.
func (r *Request) Client() *Client {
	if r.conn == nil {
		return nil
	}
	return r.conn.back()
}

// back is the client that asks the peer on this connection.
func (c *conn) back() *Client {
	c.Lock()
	defer c.Unlock()
	if c.asker == nil {
		asker := &Client{
			at: c.options.Peer, common: c.options, telemetry: c.options.telemetry, options: ClientOptions{ConnectTimeout: session.ConnectUs * time.Microsecond},
			bound: true, conns: map[*conn]struct{}{c: {}}, changed: newSignal(), context: context.Background(), asks: context.Background(),
		}
		e := &endpoint{client: asker, Endpoint: engine.NewEndpoint(asker.at), common: c.options, conn: c}
		e.Connect()
		asker.endpoints = []*endpoint{e}
		c.asker = e
		if c.IsOver() {
			why := c.Engine.Why
			e.unset(c, &why)
		}
	}
	return c.asker.client
}
