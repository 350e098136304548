// Package link drives connections: it reads and writes, keeps their timers, and pauses connections
// that hold too much. The engine knows which requests there are, and the program what they mean.
package link

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/budget"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Options are what connections are made with.
type Options struct {
	Config session.Config
	Window int // of streams, in bytes
	Logger *slog.Logger
	Budget *budget.Budget
	Peer   string // the address of the other side
	Rest   func() // called when a connection gives memory back since it is idle
}

// Conn drives a session: one goroutine reads, and one writes while there is
// something to write. Its lock is held while the session is used, never while
// the network is.
type Conn struct {
	Network net.Conn
	Options Options
	born    time.Time
	lingers atomic.Bool  // the session has ended
	drops   atomic.Bool  // events whose handlers have not begun
	out     atomic.Int64 // until when requests are made on other connections, in nanoseconds since it was made; 0: never
	share   budget.Share

	sync.Mutex
	Engine  engine.Link
	Came    uint64 // when what comes now has
	writing bool
	given   int         // what was given out and is not written
	most    int         // that may be held
	left    int         // what has come, and the session doesn't take yet
	look    *time.Timer // finds out that the peer has hung up while it is not read; nil while it is
	atEnd   bool        // nothing more comes than what lies in the socket
	rested  bool        // nothing was in flight when the connection ended
	hungUp  time.Time   // until when the peer may hang up, too, once this side has
	reader  sync.Cond   // told of what a reader waits for
	timer   *time.Timer
	timerAt uint64
	stall   time.Duration // how long a write may take nothing
	moves   time.Duration // how long it waits before it looks whether it goes on
	quiet   *time.Timer   // finds out that nothing has come for a while
	armed   bool          // it runs
	lively  bool          // something has come since it last looked
	drains  bool          // one side takes no more requests
	drained chan struct{} // closed then; nil until somebody waits for it
	greeted time.Time     // when the session was ready; zero: not yet
	broken  bool          // nothing can be written any more
	ended   bool
	gone    bool    // and counts in the budget no more than its events do
	cause   error   // what the network said when the connection was lost
	attempt attempt // nil if the network can't be asked, or rests

	opened chan struct{} // closed when requests can be made, or never can
	done   chan struct{} // closed when the connection is gone, and all of it
}

// Micros is a time of a session's, at most the longest that there is.
func Micros(us uint64) time.Duration {
	return time.Duration(min(us, math.MaxInt64/1000)) * time.Microsecond
}

// Init makes a connection that Start lets run. The driver is the connection, with the program around it.
func (c *Conn) Init(network net.Conn, options Options, driver engine.Driver) {
	c.Network, c.Options, c.born, c.timerAt = network, options, time.Now(), math.MaxUint64
	c.opened, c.done = make(chan struct{}), make(chan struct{})
	c.reader.L = &c.Mutex
	c.Engine.Start(session.New(options.Config, 0), driver)
	c.most = c.Engine.Session.Limits().ConnectionBytes
	c.stall, c.moves = Micros(c.Engine.Session.Limits().Stall), c.movesWithin()
}

// Enter lets the connection take part in the budget.
func (c *Conn) Enter() { c.share.Enter(c.Options.Budget, c) }

// Now is the session's time.
func (c *Conn) Now() uint64 { return uint64(time.Since(c.born).Microseconds()) }

// Opened is closed when requests can be made, or never can.
func (c *Conn) Opened() <-chan struct{} { return c.opened }

// Done is closed when the connection is gone, and all of it.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Start lets the connection run, and calls after when it is gone. It returns at
// once.
func (c *Conn) Start(end func()) {
	c.Lock()
	c.flush()
	c.setTimer()
	c.Unlock()
	go c.run(end)
}

// errIdle ends reading when nothing has come for a while.
var errIdle = errors.New("mxp: nothing comes")

// run reads until the connection is gone. When nothing comes for a while, another
// goroutine goes on, with a stack that has not grown.
func (c *Conn) run(end func()) {
	err := c.read()
	if errors.Is(err, errIdle) {
		go c.run(end)
		return
	}
	c.Lock()
	if c.cause == nil {
		c.cause = err
	}
	c.leave(err)
	c.Unlock()
	c.log(err)
	close(c.done)
	end()
}

// WasReady reports whether requests could be made, and since when. The lock is held.
func (c *Conn) WasReady() (since time.Time, was bool) { return c.greeted, !c.greeted.IsZero() }

// Cause is the network's error with which the connection was lost. The lock is held.
func (c *Conn) Cause() error { return c.cause }

// Drops reports whether events whose handlers have not begun are dropped. No lock is needed.
func (c *Conn) Drops() bool { return c.drops.Load() }

// IsOver reports whether the session has ended. The lock is held.
func (c *Conn) IsOver() bool { return c.ended || c.lingers.Load() }

// IsLeftOut reports whether requests are to be made on other connections [MXP-14.10].
func (c *Conn) IsLeftOut() bool {
	until := c.out.Load()
	return until != 0 && int64(time.Since(c.born)) < until
}

// idleFor is after how long without a byte a connection gives its memory back.
const idleFor = 200 * time.Millisecond

// restartIdleTimer notes that the connection is not idle: something has come. The lock is held.
func (c *Conn) restartIdleTimer() {
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
func (c *Conn) idle() {
	c.Lock()
	defer c.Unlock()
	switch {
	case c.ended || !c.hungUp.IsZero():
	case c.lively || c.writing || !c.Engine.IsResting():
		c.lively = false
		c.quiet.Reset(idleFor)
	default:
		c.armed = false
		c.Network.SetReadDeadline(time.Unix(1, 0))
	}
}

// lose ends all that is left. The lock is held.
func (c *Conn) lose() {
	c.rested = c.Engine.IsResting()
	c.Engine.Lose()
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
func (c *Conn) log(err error) {
	if c.Options.Config.Role == session.Opener {
		return
	}
	end := &c.Engine.Why
	level, why := slog.LevelInfo, end.Error()
	if c.rested && (end.Status == session.StatusOK || end.Name == session.ErrLost.String()) {
		level = slog.LevelDebug // an ordinary end, whether the peer has said so or not
	}
	if end.Status == session.StatusOK {
		why = "closed"
	} else if errors.Is(err, session.ErrShmIndex) {
		level = slog.LevelWarn // it is lost, as the peer's fault
	} else if end.Name != session.ErrLost.String() {
		level = slog.LevelWarn
		if err != nil && !errors.Is(err, net.ErrClosed) {
			why += ": " + err.Error()
		}
	}
	c.Options.Logger.Log(context.Background(), level, "mxp: connection ended", "peer", c.Options.Peer, "why", why)
}

// takenAtOnce is how many events are taken before the connection counts its memory: a read may
// bring a thousand requests, of which each may cost more than all their bytes.
const takenAtOnce = 16

// receive hands bytes that came to the session. The lock is held. It returns what the session
// doesn't take before something was sent, or, if stops, what waits as long as too much is
// held.
func (c *Conn) receive(data []byte) (rest []byte, stops bool) {
	now := c.Now()
	c.Came = now
	for n := 1; ; n++ {
		in, ok := c.Engine.Session.Receive(&data, now)
		if !ok {
			return data, false
		}
		c.Engine.Handle(in)
		if n%takenAtOnce == 0 && len(data) > 0 {
			if c.Account(); c.stops() {
				return data, true
			}
		}
	}
}

// Update follows everything that is done with the session: what it tells is
// handled, what it has to send is sent, and it is woken when it asks for it. The
// lock is held.
func (c *Conn) Update() {
	c.Engine.Next()
	c.flush()
	c.setTimer()
}

// Answered is Update where a request was made, or answered. The lock is let go of
// meanwhile.
func (c *Conn) Answered() {
	c.Engine.Next()
	c.push()
	c.setTimer()
}

// setTimer has the session woken when it asks for it. The lock is held.
func (c *Conn) setTimer() {
	at, ok := c.Engine.Session.NextTimeout()
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

func (c *Conn) until(due uint64) time.Duration {
	now := c.Now()
	if due <= now {
		return 0
	}
	return Micros(due - now)
}

func (c *Conn) tick() {
	c.Lock()
	defer c.Unlock()
	c.timerAt = math.MaxUint64
	if !c.ended {
		c.Engine.Session.Tick(c.Now())
		c.Update()
		c.reader.Signal()
	}
}
