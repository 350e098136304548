package mxp

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/draw"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// current gives a connection for a request.
func (c *Client) current(ctx context.Context) (*conn, error) {
	if conn := c.chosen(); conn != nil {
		return conn, nil
	}
	return c.await(ctx, mayHeal)
}

// chosen is the less busy of two connections that are chosen at random [MXP-14.9], but of those
// that a request is in flight on already; nil if there is none.
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
	n := len(c.endpoints)
	if n == 1 && len(but) == 0 {
		return c.endpoints[0].conn, nil
	}
	if n > 1 { // mostly the first two can be taken that are drawn out of all
		first, second := draw.Two(n)
		a, b = c.endpoints[first].conn, c.endpoints[second].conn
		if mayTake(a, but) && mayTake(b, but) && !a.leftOut() && !b.leftOut() {
			return a, b
		}
	}
	var some, more [16]*conn // so that few are not on the heap
	all, inliers := some[:0], more[:0]
	for _, e := range c.endpoints {
		if mayTake(e.conn, but) {
			all = append(all, e.conn)
			if !e.conn.leftOut() {
				inliers = append(inliers, e.conn)
			}
		}
	}
	if 2*len(inliers) >= len(all) {
		all = inliers
	}
	switch len(all) {
	case 0:
		return nil, nil
	case 1:
		return all[0], nil
	}
	first, second := draw.Two(len(all))
	return all[first], all[second]
}

// leftOut reports whether requests are to be made on other connections, if there are enough.
func (c *conn) leftOut() bool { return !c.options.keep && c.outlier.leftOut() }

func mayTake(c *conn, but []*conn) bool { return c != nil && !slices.Contains(but, c) }

// inFlight is how many requests of this side's have a place.
func (c *conn) inFlight() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	mine, _ := c.session.Places()
	return mine
}

// await waits for a connection that is ready, and as long as the attempts of some endpoint
// fail with what is passed over [MXP-14.4].
func (c *Client) await(ctx context.Context, passed func(*Failure) bool) (*conn, error) {
	late := time.NewTimer(c.options.ConnectTimeout)
	defer late.Stop()
	for {
		c.mu.Lock()
		changed := c.changed
		hopeless := c.hopeless(passed)
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
func (c *Client) hopeless(passed func(*Failure) bool) bool {
	if f := c.following; f != nil && len(c.endpoints) == 0 {
		why := f.failure
		if f.unknown { // an agent may come at any time, as a server may
			why = notConnected(session.StatusUnavailable, "", "")
		}
		return why != nil && !passed(why)
	}
	return !slices.ContainsFunc(c.endpoints, func(e *endpoint) bool { return e.failure == nil || !e.tried || passed(e.failure) })
}

// because is why there is no connection: if there are several addresses, for each of them.
// One that may heal decides which failure it is.
func (c *Client) because() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.following; f != nil && len(c.endpoints) == 0 {
		if f.failure == nil {
			return notConnected(session.StatusUnavailable, "the node has not answered yet", c.at)
		}
		why := *f.failure
		return &why
	}
	var why Failure
	var causes []string
	for i, e := range c.endpoints {
		f := e.failure
		if f == nil { // it has come in this moment
			f = e.unavailable("the connection came too late")
		}
		if i == 0 || mayHeal(f) && !mayHeal(&why) {
			why = *f
		}
		if cause := e.at + ": " + f.Text; !slices.Contains(causes, cause) {
			causes = append(causes, cause)
		}
	}
	if c.at == "" {
		why.Peer, why.Text = "", strings.Join(causes, "; ")
	}
	return &why
}

// unset lets nothing new be asked on a connection.
func (c *Client) unset(conn *conn, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.endpoints {
		e.detach(conn, e.unavailable(why))
	}
}
