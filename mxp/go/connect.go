package mxp

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Pauses between attempts to connect: the first is made at once, then after a
// random part of a time that doubles [MXP-14.3].
const (
	pauseMin = 5 * time.Millisecond
	pauseMax = time.Second
)

// run keeps the client connected.
func (c *Client) run() {
	defer close(c.done)
	var told outage
	pause := time.Duration(0)
	for c.context.Err() == nil && !c.leaving.Load() {
		conn, failure := c.connect()
		if failure != nil {
			c.fail(failure)
			c.tell(&told, failure)
			pause = c.wait(pause)
			continue
		}
		if !c.use(conn) {
			pause = c.wait(pause)
			continue
		}
		c.common.logger.Info("mxp: connected", "peer", c.at)
		told = lostOnce
		c.unusable(conn)
		if conn.turnedAway() { // in the moment after its Hello
			c.tell(&told, c.refused(conn))
		}
		if conn.refusedSoon() || conn.turnedAway() {
			pause = c.wait(pause)
		} else {
			pause = 0
		}
	}
	c.running.Wait()
	closed := refusal(session.ErrClosed, false)
	c.fail(&closed)
}

// turnedAway reports whether the peer has said nothing but that this side may not connect, for
// a reason that stays.
func (c *conn) turnedAway() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unwanted
}

// refusedSoon reports whether one side has ended the session in about the moment in which
// it was made, as a server that has too little memory does: the next attempt is then
// another of the same row.
func (c *conn) refusedSoon() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.why.Status != session.StatusOK && !errors.Is(&c.why, session.ErrLost) && time.Since(c.born) < pauseMax
}

// wait waits before the next attempt, and returns the longest pause before the
// one after it.
func (c *Client) wait(pause time.Duration) time.Duration {
	if pause > 0 {
		select {
		case <-time.After(rand.N(pause)):
		case <-c.context.Done():
		}
	}
	return min(max(2*pause, pauseMin), pauseMax)
}

// connect makes an attempt, and gives a connection that is ready.
func (c *Client) connect() (*conn, *Failure) {
	network, failure := c.dial()
	if failure != nil {
		return nil, failure
	}
	options := c.common
	conn := newConn(network, options)
	conn.options.who, _ = peerAt(network, c.at)
	conn.options.drains = func(why *Failure) { c.unset(conn, why) }
	c.expect()
	c.begin(conn)
	<-conn.ready
	if conn.wasReady() && !conn.turnedAway() {
		return conn, nil
	}
	return nil, c.refused(conn)
}

// begin lets a connection run, until the client is closed.
func (c *Client) begin(conn *conn) {
	c.mu.Lock()
	c.conns[conn] = struct{}{}
	c.common.budget.enter(conn)
	c.mu.Unlock()
	c.running.Add(1)
	stop := context.AfterFunc(c.context, conn.cut)
	conn.start(func() {
		stop()
		c.left(conn)
		c.running.Done()
	})
}

// use makes requests go to a connection. It does not take one that has been lost since
// it was ready: nothing would ever say so.
func (c *Client) use(conn *conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, there := c.conns[conn]; !there {
		return false
	}
	c.conn, c.failure, c.tried = conn, nil, false
	c.change()
	return true
}

// fail notes why there is no connection.
func (c *Client) fail(failure *Failure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conn, c.failure, c.tried = nil, failure, true
	c.change()
}

// change wakes those that wait. The lock is held.
func (c *Client) change() {
	close(c.changed)
	c.changed = newSignal()
}

// expect notes that the peer's Hello is awaited, unless an attempt has failed before.
func (c *Client) expect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.tried {
		c.failure = c.unavailable("the peer has not sent its Hello")
	}
}

// unset lets nothing new be asked on a connection. What a later one may mend is waited for.
func (c *Client) unset(conn *conn, why *Failure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == conn {
		c.conn, c.failure, c.tried = nil, why, !mayHeal(why)
		c.change()
	}
}

// unusable waits until no requests are made on a connection any more.
func (c *Client) unusable(conn *conn) {
	for {
		c.mu.Lock()
		is, changed := c.conn == conn, c.changed
		c.mu.Unlock()
		if !is {
			return
		}
		<-changed
	}
}

// left forgets a connection that is gone, but for its counters.
func (c *Client) left(conn *conn) {
	conn.mu.Lock()
	stats, wasReady, ended, unwanted := *conn.session.Stats(), conn.greeted, conn.why, conn.unwanted
	conn.mu.Unlock()
	why, level := "closed", slog.LevelInfo
	if ended.Status != session.StatusOK && c.context.Err() == nil {
		why, level = ended.Error(), slog.LevelWarn
	}
	if wasReady && !unwanted { // else the attempt has failed
		c.common.logger.Log(context.Background(), level, "mxp: connection ended", "peer", c.at, "why", why)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	stats.HeldBytes = 0
	c.common.budget.leave(conn)
	c.gone.Add(&stats)
	delete(c.conns, conn)
	if c.conn == conn {
		c.conn, c.failure = nil, c.unavailable("the connection has ended: "+why)
		c.change()
	}
}

// current gives the connection that requests are made on.
func (c *Client) current(ctx context.Context) (*conn, error) {
	c.mu.Lock()
	conn := c.conn
	c.mu.Unlock()
	if conn != nil {
		return conn, nil
	}
	return c.await(ctx, mayHeal)
}

// await waits for a connection that is ready, and for as long as attempts fail
// with what is passed over [MXP-14.4].
func (c *Client) await(ctx context.Context, passed func(*Failure) bool) (*conn, error) {
	late := time.NewTimer(c.options.ConnectTimeout)
	defer late.Stop()
	for {
		c.mu.Lock()
		conn, changed, failure, tried := c.conn, c.changed, c.failure, c.tried
		c.mu.Unlock()
		switch {
		case conn != nil:
			return conn, nil
		case tried && !passed(failure):
			return nil, told(failure)
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

// because is why there is no connection.
func (c *Client) because() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure == nil { // it has come in this moment
		return c.unavailable("the connection came too late")
	}
	return told(c.failure)
}

// told is a failure for one user alone.
func told(f *Failure) error {
	own := *f
	return &own
}

// outage is what the log knows of a client that is not connected [MXP-14.5].
type outage int

const (
	untold outage = iota
	lostOnce
	finally
)

// tell logs a failed attempt, unless the log knows.
func (c *Client) tell(told *outage, failure *Failure) {
	level, now := slog.LevelWarn, lostOnce
	if !mayHeal(failure) {
		level, now = slog.LevelError, finally
	}
	if c.context.Err() != nil {
		return
	}
	if now <= *told {
		level = slog.LevelDebug
	}
	*told = max(*told, now)
	c.common.logger.Log(context.Background(), level, "mxp: not connected", "peer", c.at, "status", failure.Status.String(), "name", failure.Name, "text", failure.Text)
}
