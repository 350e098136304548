package mxp

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/draw"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
)

// current gives a connection for a request.
func (c *Client) current(ctx context.Context) (*conn, error) {
	if conn := c.chosen(); conn != nil {
		return conn, nil
	}
	return c.await(ctx, engine.MayHeal)
}

// chosen is the less busy of two connections drawn at random [MXP-14.9], without connections that
// the request is in flight on already; nil if there is none.
func (c *Client) chosen(but ...*conn) *conn {
	a, b := c.candidates(but)
	if b != nil && b.inFlight() < a.inFlight() {
		return b
	}
	return a
}

// candidates are two connections that are ready, one or none.
func (c *Client) candidates(but []*conn) (a, b *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.endpoints) == 1 && len(but) == 0 {
		return c.endpoints[0].conn, nil
	}
	first, second := engine.Choose(len(c.endpoints), func(i int) engine.Standing {
		switch conn := c.endpoints[i].conn; {
		case conn == nil || slices.Contains(but, conn):
			return engine.Absent
		case conn.leftOut():
			return engine.LeftOut
		}
		return engine.Ready
	}, draw.Part)
	if first >= 0 {
		a = c.endpoints[first].conn
	}
	if second >= 0 {
		b = c.endpoints[second].conn
	}
	return a, b
}

// leftOut reports whether requests are to be made on other connections, if there are enough.
func (c *conn) leftOut() bool { return !c.options.keep && c.IsLeftOut() }

// inFlight is how many requests of this side's have a place.
func (c *conn) inFlight() int {
	c.Lock()
	defer c.Unlock()
	mine, _ := c.Engine.Session.Places()
	return mine
}

// await waits for a connection that is ready, until the attempts of all endpoints have failed in a
// way that passes does not pass over [MXP-14.4].
func (c *Client) await(ctx context.Context, passes func(*Failure) bool) (*conn, error) {
	late := time.NewTimer(c.options.ConnectTimeout)
	defer late.Stop()
	for {
		c.mu.Lock()
		changed := c.changed
		hopeless := c.hopeless(passes)
		c.mu.Unlock()
		if conn := c.chosen(); conn != nil {
			return conn, nil
		}
		if hopeless {
			return nil, c.because()
		}
		select {
		case <-changed:
		case <-late.C:
			return nil, c.because()
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return nil, c.because()
			}
			return nil, failed(ctx.Err(), false)
		}
	}
}

// hopeless reports whether no endpoint is worth waiting for; of agents of the mesh, whether the
// node is not, if none is known. The lock is held.
func (c *Client) hopeless(passes func(*Failure) bool) bool {
	if c.following != nil && len(c.endpoints) == 0 {
		return c.following.roster.Hopeless(passes)
	}
	return engine.Hopeless(c.attempts(), passes)
}

// because is why there is no connection.
func (c *Client) because() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.following != nil && len(c.endpoints) == 0 {
		return c.following.roster.Because(c.at)
	}
	return engine.Because(c.attempts(), c.at == "")
}

// attempts are the states of the endpoints.
func (c *Client) attempts() []*engine.Endpoint {
	all := make([]*engine.Endpoint, len(c.endpoints))
	for i, e := range c.endpoints {
		all[i] = &e.Endpoint
	}
	return all
}

// unset lets nothing new be asked on a connection.
func (c *Client) unset(conn *conn, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.endpoints {
		e.detach(conn, engine.Unavailable(why, e.Address))
	}
}
