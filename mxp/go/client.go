package mxp

import (
	"context"
	"crypto/tls"
	"log/slog"
	"maps"
	"net"
	"slices"
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
	// CrashOnPanic is that of ServerOptions, for handlers of Services.
	CrashOnPanic bool
	// Types are those that the services reach which are called, so that the peers
	// can compare them. Those of Services are added.
	Types []Type
	// Interceptors are around all requests that are made. The first is the outermost.
	Interceptors []Interceptor
	// TLS is for mxp+tls; without ServerName, that of the address is taken.
	TLS *tls.Config
	// Dial makes the connections, instead of a net.Dialer: for instance through a proxy, or
	// in memory. The network is "unix" or "tcp", the address a path, or a host and a port. TLS is
	// spoken on top of what it returns. The context ends when the attempt takes too long.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// PayloadBytes is the longest payload that is taken, at most 16 MiB, which it is if
	// it is 0.
	PayloadBytes int
	// StreamWindow is how many bytes may be on their way to the reader of a stream;
	// 2 MiB if it is 0. The peer can send no chunk of more than half of it.
	StreamWindow int
	// MemoryBytes is that of ServerOptions, for the connections that there are at a time:
	// one, and those that drain.
	MemoryBytes int
	Limits      session.Limits
	// ConnectTimeout is how long a request waits for a connection at most; 5 s if it
	// is 0. What no later attempt can mend ends the wait at once [MXP-14.4].
	ConnectTimeout time.Duration
	// Logger is told of a connection that is made, or lost, once; and of the first of
	// the attempts that fail in a row.
	Logger *slog.Logger
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
	running sync.WaitGroup // of connections
	leaving atomic.Bool    // a connection that ends is the last one

	mu      sync.Mutex
	conn    *conn              // on which requests are made, or nil
	conns   map[*conn]struct{} // all that there are
	changed chan struct{}      // closed when conn or failure changes
	failure *Failure           // why there is no connection
	tried   bool               // it is that of an attempt
	gone    session.Stats      // of connections that are gone
}

// defaultWindow is that of streams, in bytes.
const defaultWindow = 2 << 20

// Dial makes a client, which begins to connect. What needs the connection waits
// for it, for ConnectTimeout at most. It refuses an address or options that can't
// be, the first with session.ErrAddressInvalid.
func Dial(to string, options ClientOptions) (*Client, error) {
	a, err := parseAddress(to)
	if err != nil {
		return nil, err
	}
	if options.ConnectTimeout <= 0 {
		options.ConnectTimeout = session.ConnectUs * time.Microsecond
	}
	c := &Client{at: to, address: a, options: options, conns: map[*conn]struct{}{}, changed: newSignal(), done: newSignal()}
	c.failure = c.unavailable("nothing has answered yet")
	c.common = connOptions{
		services: orNone(options.Services), window: orWindow(options.StreamWindow), logger: orSilent(options.Logger), tracing: newTracing(options.Tracer), workers: &workers{}, peer: to,
		crash: options.CrashOnPanic, budget: newBudget(int64(options.MemoryBytes)),
		config: session.Config{
			Role: session.Opener, Types: reached(options.Services, options.Types), PayloadBytes: options.PayloadBytes,
			OfferChecksumOff: a.tls || a.network == "unix", Limits: options.Limits,
		},
	}
	if err := c.common.check(options.StreamWindow, options.MemoryBytes); err != nil {
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

// Stats are the counters of all connections there were.
func (c *Client) Stats() session.Stats {
	c.mu.Lock()
	stats, conns := c.gone, slices.Collect(maps.Keys(c.conns))
	c.mu.Unlock()
	for _, conn := range conns {
		conn.addStats(&stats)
	}
	return stats
}

func (c *conn) addStats(to *session.Stats) {
	c.mu.Lock()
	defer c.mu.Unlock()
	stats := *c.session.Stats()
	stats.HeldBytes = c.holds()
	to.Add(&stats)
}
