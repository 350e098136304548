package mxp

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// ClientOptions are what a client is made with. The zero value is useful.
type ClientOptions struct {
	// Services are those that the peer may call.
	Services *Services
	// Types are those that the services reach which are called, so that the peers
	// can compare them. Those of Services are added.
	Types []Type
	// Interceptors are around all requests that are made. The first is the outermost.
	Interceptors []Interceptor
	// TLS is for mxp+tls; without ServerName, that of the address is taken.
	TLS *tls.Config
	// PayloadBytes is the longest payload that is taken, at most 16 MiB, which it is if
	// it is 0.
	PayloadBytes int
	// StreamWindow is how many bytes may be on their way to the reader of a stream;
	// 2 MiB if it is 0. The peer can send no chunk of more than half of it.
	StreamWindow int
	Limits       session.Limits
	Logger       *slog.Logger
	// Tracer makes spans of calls; without one, only the trace context passes.
	Tracer trace.TracerProvider
}

// Client talks to one address, and connects again when the connection is lost. It
// is safe for use by several goroutines.
type Client struct {
	at      string // the address, as it was given
	address address
	options ClientOptions
	common  connOptions
	make    Handler // makes a request, with the interceptors around it; nil if there are none
	context context.Context
	stop    context.CancelFunc
	done    chan struct{}
	leaving atomic.Bool // a connection that ends is the last one

	mu      sync.Mutex
	conn    *conn         // ready, or nil
	changed chan struct{} // closed when conn changes
	failure error         // why the last attempt failed
	gone    session.Stats // of connections that are gone
}

// Pauses between attempts to connect: the first is made at once, then after a
// random part of a time that doubles.
const (
	pauseMin = 5 * time.Millisecond
	pauseMax = time.Second
)

// defaultWindow is that of streams, in bytes.
const defaultWindow = 2 << 20

// Dial makes a client, which begins to connect. What needs the connection waits
// for it. It refuses an address or options that can't be.
func Dial(to string, options ClientOptions) (*Client, error) {
	a, err := parseAddress(to)
	if err != nil {
		return nil, err
	}
	c := &Client{at: to, address: a, options: options, changed: newSignal(), done: newSignal()}
	c.common = connOptions{
		services: orNone(options.Services), window: orWindow(options.StreamWindow), logger: orSilent(options.Logger), tracing: newTracing(options.Tracer), workers: &workers{}, peer: to,
		config: session.Config{
			Role: session.Opener, Types: reached(options.Services, options.Types), PayloadBytes: options.PayloadBytes,
			OfferChecksumOff: a.tls || a.network == "unix", Limits: options.Limits,
		},
	}
	if err := c.common.check(options.StreamWindow); err != nil {
		return nil, err
	}
	if len(options.Interceptors) > 0 {
		c.make = intercepted(options.Interceptors, c.request)
	}
	c.context, c.stop = context.WithCancel(context.Background())
	go c.run()
	return c, nil
}

func orNone(s *Services) *Services {
	if s == nil {
		return NewServices()
	}
	return s
}

func orWindow(n int) int {
	if n <= 0 {
		return defaultWindow
	}
	return n
}

func orSilent(l *slog.Logger) *slog.Logger {
	if l == nil {
		return slog.New(slog.DiscardHandler)
	}
	return l
}

// Close ends the connection, and all that is in flight.
func (c *Client) Close() {
	c.stop()
	<-c.done
	c.common.workers.dismiss(true)
}

// run keeps the client connected.
func (c *Client) run() {
	defer close(c.done)
	pause := time.Duration(0)
	for c.context.Err() == nil && !c.leaving.Load() {
		conn, err := c.connect()
		if err != nil {
			c.set(nil, err)
			if pause = c.wait(pause); c.context.Err() != nil {
				break
			}
			continue
		}
		pause = 0
		go func() {
			<-conn.ready
			c.readied(conn)
		}()
		stop := context.AfterFunc(c.context, func() { conn.network.Close() })
		conn.start(func() {})
		<-conn.done
		stop()
		if !conn.wasReady() {
			pause = c.wait(max(pause, pauseMin)) // it accepts, and then refuses
		}
		c.left(conn)
	}
	c.set(nil, session.ErrClosed)
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

func (c *Client) connect() (*conn, error) {
	var dialer net.Dialer
	network, err := dialer.DialContext(c.context, c.address.network, c.address.place)
	if err != nil {
		return nil, err
	}
	if c.address.tls {
		config := c.options.TLS.Clone()
		if config == nil {
			config = &tls.Config{}
		}
		if config.ServerName == "" {
			config.ServerName = c.address.host
		}
		secure := tls.Client(network, config)
		ctx, cancel := context.WithTimeout(c.context, 10*time.Second)
		defer cancel()
		if err := secure.HandshakeContext(ctx); err != nil {
			network.Close()
			return nil, err
		}
		network = secure
	}
	options := c.common
	conn := newConn(network, options)
	conn.options.drains = func() { c.unset(conn) }
	return conn, nil
}

// set changes the connection that requests are made on.
func (c *Client) set(to *conn, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conn, c.failure = to, err
	close(c.changed)
	c.changed = newSignal()
}

func (c *Client) readied(conn *conn) {
	if conn.wasReady() {
		c.set(conn, nil)
	}
}

// unset lets nothing new be asked on a connection.
func (c *Client) unset(conn *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == conn {
		c.conn = nil
	}
}

// left forgets a connection that is gone, but for its counters.
func (c *Client) left(conn *conn) {
	conn.mu.Lock()
	stats := *conn.session.Stats()
	why := conn.why
	conn.mu.Unlock()
	c.mu.Lock()
	c.gone.Add(&stats)
	if c.conn == conn || c.conn == nil {
		c.conn, c.failure = nil, &why
		close(c.changed) // who waits may have to tell why
		c.changed = newSignal()
	}
	c.mu.Unlock()
}

// current waits for a connection that is ready.
func (c *Client) current(ctx context.Context) (*conn, error) {
	for {
		c.mu.Lock()
		conn, changed, failure := c.conn, c.changed, c.failure
		c.mu.Unlock()
		if conn != nil {
			return conn, nil
		}
		if errors.Is(failure, session.ErrClosed) {
			return nil, failed(session.ErrClosed, false)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			err := failed(ctx.Err(), false)
			var f *Failure
			if errors.As(err, &f) && failure != nil {
				f.Text = "not connected: " + failure.Error()
			}
			return nil, err
		}
	}
}

// with does something on a connection, and on the next one if the first has ended
// or drains, and nothing was sent on it.
func (c *Client) with(ctx context.Context, do func(*conn) error) error {
	for {
		conn, err := c.current(ctx)
		if err != nil {
			return err
		}
		if err = do(conn); err == nil {
			return nil
		}
		var f *Failure
		if !errors.As(err, &f) || f.Acted || !errors.Is(f, session.ErrClosed) && !errors.Is(f, session.ErrDraining) {
			return err
		}
		c.unset(conn)
	}
}

// Stats are the counters of all connections there were.
func (c *Client) Stats() session.Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	stats := c.gone
	if c.conn != nil {
		c.conn.addStats(&stats)
	}
	return stats
}

func (c *conn) addStats(to *session.Stats) {
	c.mu.Lock()
	defer c.mu.Unlock()
	to.Add(c.session.Stats())
}

// wasReady reports whether requests could be made.
func (c *conn) wasReady() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.greeted
}
