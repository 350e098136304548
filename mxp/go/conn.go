package mxp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// conn drives a session: one goroutine reads, and one writes while there is
// something to write. The lock is held while the session is used, never while
// the network is.
type conn struct {
	network net.Conn
	options connOptions
	born    time.Time
	lingers atomic.Bool // the session has ended
	drops   atomic.Bool // events whose handlers have not begun
	remains atomic.Bool // the connection is gone, and events of it wait for their handlers

	mu      sync.Mutex
	link    engine.Link
	writing bool
	given   int          // what was given out and is not written
	most    int          // that may be held
	came    uint64       // when what comes now has
	left    int          // what has come, and the session doesn't take yet
	counted atomic.Int64 // all that is held, as the budget knows it
	going   share        // the same, once the session has ended
	kept    share        // the same, once the connection is gone, while events of it wait
	letGo   movement     // the bytes that it let go of lately, where much of the budget is held
	paused  *paused      // its place among those that are not read for want of memory of all
	look    *time.Timer  // finds out that the peer has hung up while it is not read; nil while it is
	atEnd   bool         // nothing more comes than what lies in the socket
	turn    int          // the bytes that it may come to hold in any case, though memory is scarce
	rested  bool         // nothing was in flight when the connection ended
	hungUp  time.Time    // until when the peer may hang up, too, once this side has
	reader  sync.Cond    // told of what a reader waits for
	timer   *time.Timer
	timerAt uint64
	stall   time.Duration // how long a write may take nothing
	moves   time.Duration // how long it waits before it looks whether it goes on
	quiet   *time.Timer   // finds out that nothing has come for a while
	armed   bool          // it runs
	lively  bool          // something has come since it last looked
	asker   *endpoint     // of the client that asks the peer on this connection; nil until there is one
	drains  bool          // one side takes no more requests
	drained chan struct{} // closed then; nil until somebody waits for it
	greeted time.Time     // when the session was ready; zero: not yet
	broken  bool          // nothing can be written any more
	ended   bool
	// departed says that it is gone, and forgotten that the budget counts nothing of it any more.
	departed  bool
	forgotten bool
	cause     error        // what the network said when the connection was lost
	attempt   attempt      // nil if the network can't be asked, or rests
	outUntil  atomic.Int64 // since epoch, until when it is left out; 0 if it never was

	ready chan struct{} // closed when requests can be made, or never can
	done  chan struct{} // closed when the connection is gone, and all of it
}

// connOptions are what a client's and a server's connections have in common.
type connOptions struct {
	services *Services
	config   session.Config
	window   int
	logger   *slog.Logger
	workers  *workers
	drains   func(why *Failure) // no new requests are taken
	agents   *agents
	// directory answers agent requests, where there is no agents.
	directory Directory
	budget    *budget
	meters    *meters
	owner     uint64
	keep      bool   // requests go to it though it is an outlier
	crash     bool   // a handler's panic ends the program
	peer      string // the address of the other side
	who       *Peer  // the other side

	telemetry *telemetry
}

// check refuses options that no connection can have.
func (o *connOptions) check(window, memory int) error {
	err := o.config.Check()
	switch {
	case err != nil:
	case window < 0:
		err = fmt.Errorf("StreamWindow is %d, and can be no less than 0", window)
	case memory < 0:
		err = fmt.Errorf("MemoryBytes is %d, and can be no less than 0", memory)
	}
	if err != nil {
		return fmt.Errorf("mxp: %w", err)
	}
	return nil
}

// helloTime is how long a handshake may take, and how long a Hello [MXP-6.4].
func (o *connOptions) helloTime() time.Duration {
	limit := o.config.Limits.Hello
	if limit == 0 {
		limit = session.HelloUs
	}
	return micros(limit)
}

// micros is a time of a session's, at most the longest that there is.
func micros(us uint64) time.Duration {
	return time.Duration(min(us, math.MaxInt64/1000)) * time.Microsecond
}

func newConn(network net.Conn, options connOptions) *conn {
	tune(network)
	options.config.Agents = options.agents != nil || options.directory != nil
	if options.services != nil {
		options.config.Services = options.services.names
	}
	c := &conn{
		network: network, options: options, born: time.Now(), timerAt: math.MaxUint64,
		ready: make(chan struct{}), done: make(chan struct{}),
	}
	c.reader.L = &c.mu
	c.link.Start(session.New(options.config, 0), c)
	c.most = c.link.Session.Limits().ConnectionBytes
	c.stall, c.moves = micros(c.link.Session.Limits().Stall), c.movesWithin()
	return c
}

// now is the session's time.
func (c *conn) now() uint64 { return uint64(time.Since(c.born).Microseconds()) }

// start lets the connection run, and calls after when it is gone. It returns at
// once.
func (c *conn) start(after func()) {
	c.mu.Lock()
	c.flush()
	c.setTimer()
	c.mu.Unlock()
	go c.run(after)
}

// errIdle ends reading when nothing has come for a while.
var errIdle = errors.New("mxp: nothing comes")

// run reads until the connection is gone. When nothing comes for a while, another
// goroutine goes on, with a stack that has not grown.
func (c *conn) run(after func()) {
	err := c.read()
	if errors.Is(err, errIdle) {
		go c.run(after)
		return
	}
	c.mu.Lock()
	if c.cause == nil {
		c.cause = err
	}
	c.leave(err)
	c.mu.Unlock()
	c.log(err)
	close(c.done)
	after()
}

// wasReady reports whether requests could be made.
func (c *conn) wasReady() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.greeted.IsZero()
}

// idleFor is after how long without a byte a connection gives its memory back.
const idleFor = 200 * time.Millisecond

// restartIdleTimer notes that the connection is not idle: something has come. The lock is held.
func (c *conn) restartIdleTimer() {
	c.lively = true
	switch {
	case c.armed || c.ended || !c.hungUp.IsZero():
		return
	case c.quiet == nil:
		c.quiet = time.AfterFunc(idleFor, c.idle)
	default:
		c.quiet.Reset(idleFor)
	}
	c.armed = true
}

// idle wakes a reader to which nothing has come for a while.
func (c *conn) idle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ended || !c.hungUp.IsZero():
	case c.lively || c.writing || !c.link.IsResting():
		c.lively = false
		c.quiet.Reset(idleFor)
	default:
		c.armed = false
		c.network.SetReadDeadline(time.Unix(1, 0))
	}
}

// lose ends all that is left. The lock is held.
func (c *conn) lose() {
	c.rested = c.link.IsResting()
	c.link.Lose()
	c.ended = true
	if c.timer != nil {
		c.timer.Stop()
	}
	if c.quiet != nil {
		c.quiet.Stop()
	}
}

// log tells of the end of a connection. A client tells of its own itself, once for
// all attempts.
func (c *conn) log(err error) {
	if c.options.config.Role == session.Opener {
		return
	}
	level, why := slog.LevelInfo, c.link.Why.Error()
	if c.rested && (c.link.Why.Status == session.StatusOK || c.link.Why.Name == session.ErrLost.String()) {
		level = slog.LevelDebug // an ordinary end, whether the peer has said so or not
	}
	if c.link.Why.Status == session.StatusOK {
		why = "closed"
	} else if errors.Is(err, session.ErrShmIndex) {
		level = slog.LevelWarn // it is lost, as the peer's fault
	} else if c.link.Why.Name != session.ErrLost.String() {
		level = slog.LevelWarn
		if err != nil && !errors.Is(err, net.ErrClosed) {
			why += ": " + err.Error()
		}
	}
	c.options.logger.Log(context.Background(), level, "mxp: connection ended", "peer", c.options.peer, "why", why)
}

// warn logs what went wrong with a request of the peer's.
func (c *conn) warn(what string, of engine.Target, f *Failure) {
	c.options.logger.LogAttrs(context.Background(), slog.LevelWarn, what,
		slog.String("method", of.String()), slog.String("peer", c.options.peer), slog.String("status", f.Status.String()),
		slog.String("name", f.Name), slog.String("text", f.Text), slog.Bool("acted", f.Acted))
}

// takenAtOnce is how many events are taken before the connection counts what it holds:
// a read may bring a thousand requests, of which each may cost more than all their bytes.
const takenAtOnce = 16

// receive hands bytes that came to the session. The lock is held. It returns what the session
// doesn't take before something was sent, or, if stops, what waits as long as too much is
// held.
func (c *conn) receive(data []byte) (rest []byte, stops bool) {
	now := c.now()
	c.came = now
	for n := 1; ; n++ {
		in, ok := c.link.Session.Receive(&data, now)
		if !ok {
			return data, false
		}
		c.link.Handle(in)
		if n%takenAtOnce == 0 && len(data) > 0 {
			if c.account(); c.stops() {
				return data, true
			}
		}
	}
}

// update follows everything that is done with the session: what it tells is
// handled, what it has to send is sent, and it is woken when it asks for it. The
// lock is held.
func (c *conn) update() {
	c.link.Next()
	c.flush()
	c.setTimer()
}

// answered is update where a request was made, or answered. The lock is let go of
// meanwhile.
func (c *conn) answered() {
	c.link.Next()
	c.push()
	c.setTimer()
}

// setTimer has the session woken when it asks for it. The lock is held.
func (c *conn) setTimer() {
	at, ok := c.link.Session.NextTimeout()
	switch {
	case !ok || at >= c.timerAt || c.ended:
		return // a timer that comes too early sets itself anew
	case c.timer == nil:
		c.timer = time.AfterFunc(c.until(at), c.tick)
	default:
		c.timer.Reset(c.until(at))
	}
	c.timerAt = at
}

func (c *conn) until(at uint64) time.Duration {
	now := c.now()
	if at <= now {
		return 0
	}
	return micros(at - now)
}

func (c *conn) tick() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timerAt = math.MaxUint64
	if !c.ended {
		c.link.Session.Tick(c.now())
		c.update()
		c.reader.Signal()
	}
}

// sending does something with the session that takes room in the queue, as soon as
// there is some. done is what follows. The lock is not held.
func (c *conn) sending(ctx context.Context, size engine.FrameSize, request bool, done func(*conn), do func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inLine(ctx, size, request, do, done)
}
