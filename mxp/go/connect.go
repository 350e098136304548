package mxp

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/draw"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Pauses between attempts to connect: the first is made at once, then after a
// random part of a time that doubles [MXP-14.3].
const (
	pauseMin = 5 * time.Millisecond
	pauseMax = time.Second
)

// refusedWithin is how long after a session was ready a refusal ends an attempt, too.
const refusedWithin = 10 * time.Millisecond

// endpoint keeps one connection to an address.
type endpoint struct {
	client  *Client
	at      string // the address, as it was given
	address Address
	common  connOptions
	running sync.WaitGroup  // of connections
	context context.Context // until it is retired, or the client closed
	stop    context.CancelFunc

	places []Address // all of an agent of the mesh, that of the endpoint first

	// Under the client's lock.
	conn    *conn    // on which requests are made, or nil
	failure *Failure // why there is no connection
	tried   bool     // it is that of an attempt
}

// run keeps the endpoint connected.
func (e *endpoint) run() {
	c := e.client
	defer c.running.Done()
	var logged outage
	pause := time.Duration(0)
	for e.context.Err() == nil && !c.leaving.Load() {
		conn, failure := e.connect()
		if failure != nil {
			e.fail(failure)
			e.logOutage(&logged, failure)
			e.elsewhere()
			pause = e.wait(pause)
			continue
		}
		if !e.use(conn) {
			if e.context.Err() != nil {
				conn.drain("the agent is gone")
			}
			pause = e.wait(pause)
			continue
		}
		e.common.logger.Info("mxp: connected", "peer", e.at)
		logged = lostOnce
		e.unusable(conn)
		if conn.turnedAway() { // in the moment after its Hello
			e.logOutage(&logged, e.refused(conn))
		}
		if conn.refusedSoon() || conn.turnedAway() {
			pause = e.wait(pause)
		} else {
			pause = 0
		}
	}
	e.running.Wait()
	closed := refusal(session.ErrClosed, false)
	e.fail(&closed)
}

// turnedAway reports whether the peer has said nothing but that this side may not connect, for
// a reason that stays.
func (c *conn) turnedAway() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unwanted
}

// refusedSoon reports whether one side has ended the session in about the moment in which it was
// ready, as a server does that has too little memory: the next attempt is then another of the same
// row [MXP-14.3].
func (c *conn) refusedSoon() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.why.Status != session.StatusOK && !errors.Is(&c.why, session.ErrLost) && time.Since(c.greeted) < refusedWithin
}

// wait waits before the next attempt, and returns the longest pause of that; of the first
// attempt in a row it was 0 [MXP-14.3].
func (e *endpoint) wait(longest time.Duration) time.Duration {
	longest = min(max(2*longest, pauseMin), pauseMax)
	select {
	case <-time.After(draw.Pause(longest)):
	case <-e.context.Done():
	}
	return longest
}

// connect makes an attempt, and gives a connection that is ready.
func (e *endpoint) connect() (*conn, *Failure) {
	network, failure := e.dial()
	if failure != nil {
		return nil, failure
	}
	conn := newConn(network, e.common)
	conn.options.who, _ = peerAt(network)
	conn.options.who.Address = e.at
	conn.options.drains = func(why *Failure) { e.unset(conn, why) }
	e.expect()
	e.begin(conn)
	<-conn.ready
	if conn.wasReady() && !conn.turnedAway() {
		return conn, nil
	}
	return nil, e.refused(conn)
}

// begin lets a connection run, until the client is closed.
func (e *endpoint) begin(conn *conn) {
	c := e.client
	c.mu.Lock()
	c.conns[conn] = struct{}{}
	e.common.budget.enter(conn)
	c.mu.Unlock()
	e.running.Add(1)
	stop := context.AfterFunc(c.context, conn.cut)
	conn.start(func() {
		stop()
		e.left(conn)
		e.running.Done()
	})
}

// use makes requests go to a connection. It does not take one that has been lost since
// it was ready: nothing would ever say so.
func (e *endpoint) use(conn *conn) bool {
	c := e.client
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, there := c.conns[conn]; !there || e.context.Err() != nil {
		return false
	}
	e.conn, e.failure, e.tried = conn, nil, false
	c.change()
	return true
}

// fail notes why there is no connection.
func (e *endpoint) fail(failure *Failure) {
	e.client.mu.Lock()
	defer e.client.mu.Unlock()
	e.conn, e.failure, e.tried = nil, failure, true
	e.client.change()
}

// change wakes those that wait. The lock is held.
func (c *Client) change() {
	close(c.changed)
	c.changed = newSignal()
}

// expect notes that the peer's Hello is awaited, unless an attempt has failed before.
func (e *endpoint) expect() {
	e.client.mu.Lock()
	defer e.client.mu.Unlock()
	if !e.tried {
		e.failure = e.unavailable("the peer has not sent its Hello")
	}
}

// unset lets nothing new be asked on a connection.
func (e *endpoint) unset(conn *conn, why *Failure) {
	e.client.mu.Lock()
	defer e.client.mu.Unlock()
	e.detach(conn, why)
}

// detach lets nothing new be asked on a connection. What a later one may mend is waited for. The
// client's lock is held.
func (e *endpoint) detach(conn *conn, why *Failure) {
	if e.client.bound { // and there is no later one
		closed := refusal(session.ErrClosed, false)
		closed.Text, closed.Peer = why.Text, e.at
		why = &closed
	}
	if e.conn == conn {
		e.conn, e.failure, e.tried = nil, why, !mayHeal(why)
		e.client.change()
	}
}

// unusable waits until no requests are made on a connection any more.
func (e *endpoint) unusable(conn *conn) {
	for {
		e.client.mu.Lock()
		is, changed := e.conn == conn, e.client.changed
		e.client.mu.Unlock()
		if !is {
			return
		}
		<-changed
	}
}

// left forgets a connection that is gone, but for its counters.
func (e *endpoint) left(conn *conn) {
	c := e.client
	conn.mu.Lock()
	stats, wasReady, ended, unwanted := *conn.session.Stats(), !conn.greeted.IsZero(), conn.why, conn.unwanted
	conn.mu.Unlock()
	why, level := "closed", slog.LevelInfo
	if ended.Status != session.StatusOK && c.context.Err() == nil {
		why, level = ended.Error(), slog.LevelWarn
	}
	if wasReady && !unwanted { // else the attempt has failed
		e.common.logger.Log(context.Background(), level, "mxp: connection ended", "peer", conn.options.peer, "why", why)
	}
	e.common.budget.leave(conn)
	c.mu.Lock()
	defer c.mu.Unlock()
	stats.HeldBytes = 0
	c.gone.Add(&stats)
	delete(c.conns, conn)
	if e.conn == conn {
		e.conn, e.failure = nil, e.unavailable("the connection has ended: "+why)
		c.change()
	}
}

// outage is what the log knows of a client that is not connected [MXP-14.5].
type outage int

const (
	unlogged outage = iota
	lostOnce
	finally
)

// logOutage logs a failed attempt, unless the log knows.
func (e *endpoint) logOutage(logged *outage, failure *Failure) {
	level, now := slog.LevelWarn, lostOnce
	if !mayHeal(failure) {
		level, now = slog.LevelError, finally
	}
	if e.client.context.Err() != nil {
		return
	}
	if now <= *logged {
		level = slog.LevelDebug
	}
	*logged = max(*logged, now)
	e.common.logger.Log(context.Background(), level, "mxp: not connected", "peer", e.at, "status", failure.Status.String(), "name", failure.Name, "text", failure.Text)
}
