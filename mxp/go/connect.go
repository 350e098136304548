package mxp

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/draw"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// endpoint keeps one connection to an address.
type endpoint struct {
	client  *Client
	place   Address
	common  connOptions
	running sync.WaitGroup  // of connections
	context context.Context // until it is retired, or the client closed
	stop    context.CancelFunc

	places []Address // all of an agent of the mesh, that of the endpoint first

	// Under the client's lock.
	engine.Endpoint
	conn *conn // on which requests are made, or nil
}

// run keeps the endpoint connected.
func (e *endpoint) run() {
	c := e.client
	defer c.running.Done()
	for e.context.Err() == nil && c.asks.Err() == nil {
		conn, failure := e.connect()
		if failure != nil {
			e.fail(failure)
			e.logOutage(failure)
			e.elsewhere()
			e.wait()
			continue
		}
		if !e.use(conn) {
			if e.context.Err() != nil {
				conn.Drain("the agent is gone")
			}
			e.wait()
			continue
		}
		e.common.Logger.Info("mxp: connected", "peer", e.Address)
		e.unusable(conn)
		turnedAway := conn.turnedAway() // in the moment after its Hello
		if turnedAway {
			e.logOutage(e.refused(conn))
		}
		if turnedAway || conn.refusedSoon() {
			e.wait()
		} else {
			e.Rest()
		}
	}
	e.running.Wait()
	closed := engine.Refusal(session.ErrClosed, false)
	e.fail(&closed)
}

// isLetIn reports whether requests could be made, and the peer has not said that this side may not
// connect.
func (c *conn) isLetIn() bool {
	c.Lock()
	defer c.Unlock()
	_, was := c.WasReady()
	return was && !c.Engine.Unwanted
}

// turnedAway reports whether the peer has said nothing but that this side may not connect, for
// a reason that stays.
func (c *conn) turnedAway() bool {
	c.Lock()
	defer c.Unlock()
	return c.Engine.Unwanted
}

// refusedSoon reports whether the connection, which takes no more requests, does so since about the
// moment in which it was ready.
func (c *conn) refusedSoon() bool {
	c.Lock()
	defer c.Unlock()
	since, _ := c.WasReady()
	return engine.RefusedSoon(&c.Engine.Why, time.Since(since))
}

// wait waits before the next attempt.
func (e *endpoint) wait() { pause(e.context, e.Pause(draw.Part)) }

// connect makes an attempt, and gives a connection that is ready.
func (e *endpoint) connect() (*conn, *Failure) {
	network, failure := e.dial()
	if failure != nil {
		return nil, failure
	}
	conn := newConn(network, e.common)
	conn.options.who, _ = peerAt(network)
	conn.options.who.Address = e.Address
	conn.options.drains = func(why *Failure) { e.unset(conn, why) }
	e.expect()
	e.begin(conn)
	<-conn.Opened()
	if conn.isLetIn() {
		return conn, nil
	}
	return nil, e.refused(conn)
}

// begin lets a connection run, until the client is closed.
func (e *endpoint) begin(conn *conn) {
	c := e.client
	c.mu.Lock()
	c.conns[conn] = struct{}{}
	conn.Enter()
	c.mu.Unlock()
	e.running.Add(1)
	stop := context.AfterFunc(c.context, conn.Cut)
	conn.Start(func() {
		stop()
		e.left(conn)
		e.running.Done()
	})
}

// use makes requests go to a connection. It does not take one that has been lost since
// it was ready, or takes no requests: nothing would ever say so.
func (e *endpoint) use(conn *conn) bool {
	conn.Lock()
	drains := conn.Drains()
	conn.Unlock()
	c := e.client
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, there := c.conns[conn]; !there || e.context.Err() != nil {
		return false
	}
	if drains {
		e.Detach(engine.Unavailable("the peer takes no more requests", e.Address))
		return false
	}
	e.conn = conn
	e.Connect()
	c.change()
	return true
}

// fail notes why there is no connection.
func (e *endpoint) fail(failure *Failure) {
	e.client.mu.Lock()
	defer e.client.mu.Unlock()
	e.conn = nil
	e.Fail(failure)
	e.client.change()
}

// change wakes the waiting requests. The lock is held.
func (c *Client) change() {
	close(c.changed)
	c.changed = newSignal()
}

// expect notes that the peer's Hello is awaited, unless an attempt has failed before.
func (e *endpoint) expect() {
	e.client.mu.Lock()
	defer e.client.mu.Unlock()
	e.Expect()
}

// unset lets nothing new be asked on a connection.
func (e *endpoint) unset(conn *conn, why *Failure) {
	e.client.mu.Lock()
	defer e.client.mu.Unlock()
	e.detach(conn, why)
}

// detach lets nothing new be asked on a connection. A failure that a later connection may mend is
// waited out. The client's lock is held.
func (e *endpoint) detach(conn *conn, why *Failure) {
	if e.client.bound { // and there is no later one
		closed := engine.Refusal(session.ErrClosed, false)
		closed.Text, closed.Peer = why.Text, e.Address
		why = &closed
	}
	if e.conn == conn {
		e.conn = nil
		e.Detach(why)
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
	conn.Lock()
	stats, ended, unwanted := *conn.Engine.Session.Stats(), conn.Engine.Why, conn.Engine.Unwanted
	_, wasReady := conn.WasReady()
	conn.Unlock()
	why, level := "closed", slog.LevelInfo
	if ended.Status != session.StatusOK && c.context.Err() == nil {
		why, level = ended.Error(), slog.LevelWarn
	}
	if wasReady && !unwanted { // else the attempt has failed
		e.common.Logger.Log(context.Background(), level, "mxp: connection ended", "peer", conn.options.Peer, "why", why)
	}
	conn.Leave()
	c.mu.Lock()
	defer c.mu.Unlock()
	stats.HeldBytes = 0
	c.gone.Add(&stats)
	delete(c.conns, conn)
	if e.conn == conn {
		e.conn = nil
		e.Lose(why)
		c.change()
	}
}

// logOutage logs a failed attempt, unless the log knows [MXP-14.5].
func (e *endpoint) logOutage(failure *Failure) {
	if e.client.context.Err() != nil {
		return
	}
	level := [...]slog.Level{slog.LevelDebug, slog.LevelWarn, slog.LevelError}[e.Notice(failure)]
	e.common.Logger.Log(context.Background(), level, "mxp: not connected", "peer", e.Address, "status", failure.Status.String(), "name", failure.Name, "text", failure.Text)
}
