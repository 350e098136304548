package mxp

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/budget"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/link"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// ClientOptions are what a client is made with. The zero value is useful.
type ClientOptions struct {
	// Services are the services that the peer may call.
	Services *Services
	// CrashOnPanic is that of ServerOptions, for handlers of Services.
	CrashOnPanic bool
	// Types are the types that the called services reach, so that the peers can compare them. The
	// types of Services are added.
	Types []Type
	// Interceptors are around all requests that are made. The first is the outermost.
	Interceptors []Interceptor
	// Retry makes requests again that have ended with StatusUnavailable; none if it is nil.
	// Requests that nobody has acted on the client makes again in any case [MXP-14.6].
	Retry *RetryPolicy
	// KeepOutliers lets requests go, too, to connections on which they fail one after the other;
	// without it these are left out for a while, as long as there are enough others [MXP-14.10].
	KeepOutliers bool
	// TLS is for mxp+tls; without ServerName, that of the address is taken.
	TLS *tls.Config
	// Dial makes the connections of unix sockets, TCP and TLS, instead of a net.Dialer: for
	// instance through a proxy, or in memory. The network is "unix" or "tcp", the address a path,
	// or a host and a port. TLS is spoken on top of the returned connection. The context ends when
	// the attempt takes too long.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Node is the address of the program's own node, which is asked where agents of the mesh are;
	// if it is empty, NodeAddress says where that is.
	Node string
	// Connections is how many there are to each address; 1 if it is 0.
	Connections int
	// PayloadBytes is the longest payload that is taken, at most 16 MiB, which it is if
	// it is 0.
	PayloadBytes int
	// StreamWindow is how many bytes may be on their way to the reader of a stream, in 16,384
	// chunks at most; 2 MiB if it is 0. The peer can send no chunk of more than half of it.
	StreamWindow int
	// NoBatches lets every chunk and Event be a frame by itself, in both directions, as
	// peers of release 0.3 do in any case.
	NoBatches bool
	// MemoryBytes is as in ServerOptions, for all connections of the client, draining connections
	// among them.
	MemoryBytes int
	// ShmRingBytes is the ring of this side of a connection by shared memory: a power of two from
	// 4 KiB to 1 GiB; 256 KiB if it is 0.
	ShmRingBytes int
	// ShmSpin is how long who waits at shared memory looks for it before it sleeps. If it is 0,
	// that is 20 µs where there are two processors or more; if it is less, not at all.
	ShmSpin time.Duration
	Limits  session.Limits
	// ConnectTimeout is how long a request waits for a connection at most; 5 s if it
	// is 0. A failure that no later attempt can mend ends the wait at once [MXP-14.4].
	ConnectTimeout time.Duration
	// Logger is told of a connection that is made, or lost, once; and of the first of
	// the attempts that fail in a row.
	Logger *slog.Logger
	// Tracer makes spans of requests. A request has one span for all its repetitions, which ends
	// with the answer, or with the stream. Without one, only the trace context passes.
	Tracer trace.TracerProvider
	// Meter measures how long requests take.
	Meter metric.MeterProvider

	sharing *shmPool
}

// Client talks to one address, or to several that serve the same, and connects again when a
// connection is lost. It is safe for use by several goroutines.
type Client struct {
	at        string // the address, as it was given; empty if there are several
	options   ClientOptions
	common    connOptions
	telemetry *telemetry     // of requests that are made
	make      Handler        // makes a request, with the interceptors around it; nil if there are none
	following *agentFollower // of agents of the mesh, or nil
	retry     *engine.Policy
	retries   engine.RetryBudget // under spending
	spending  sync.Mutex
	context   context.Context
	stop      context.CancelFunc
	running   sync.WaitGroup  // of endpoints
	asks      context.Context // until nothing more is asked: a connection that ends is the last one
	leave     context.CancelFunc
	bound     bool // to a connection that somebody else has made

	mu        sync.Mutex
	endpoints []*endpoint
	conns     map[*conn]struct{} // all that there are
	changed   chan struct{}      // closed when an endpoint's state changes
	gone      session.Stats      // of connections that are gone
}

// defaultWindow is that of streams, in bytes.
const defaultWindow = 2 << 20

// Dial makes a client, which begins to connect. A request waits for the connection, for
// ConnectTimeout at most. It refuses an address or options that can't be, the first with
// session.ErrAddressInvalid. The address may be one of the mesh, mesh:///name or
// mesh:///?capability=c&service=s: then the client asks the program's own node where these agents
// are, and is one of all of them, as they come and go.
func Dial(address string, options ClientOptions) (*Client, error) {
	return DialAny([]string{address}, options)
}

// DialAny makes a client of several addresses that serve the same, with a connection to
// each. A request goes to the less busy of two connections drawn at random; a lost or draining
// connection is left out [MXP-14.9].
func DialAny(addresses []string, options ClientOptions) (*Client, error) {
	if options.ConnectTimeout <= 0 {
		options.ConnectTimeout = session.ConnectUs * time.Microsecond
	}
	c := &Client{options: options, conns: map[*conn]struct{}{}, changed: newSignal()}
	c.common = connOptions{
		services: orNone(options.Services), workers: &workers{}, keep: options.KeepOutliers, crash: options.CrashOnPanic, meters: &meters{},
		Options: link.Options{
			Window: orWindow(options.StreamWindow), Logger: orSilent(options.Logger), Budget: budget.New(int64(options.MemoryBytes)),
			Config: session.Config{
				Role: session.Opener, Types: reached(options.Services, options.Types), PayloadBytes: options.PayloadBytes, Limits: options.Limits,
				OfferBatches: !options.NoBatches,
			},
		},
	}
	if err := c.common.check(options.StreamWindow, options.MemoryBytes); err != nil {
		return nil, err
	}
	var err error
	if c.common.telemetry, err = newTelemetry(options.Tracer, options.Meter, c.common.meters); err != nil {
		return nil, err
	}
	if c.options.sharing, err = newSharing(options.ShmRingBytes, 0, options.ShmSpin, options.Logger); err != nil {
		return nil, err
	}
	if options.Retry != nil {
		if err := (*engine.Policy)(options.Retry).Check(); err != nil {
			return nil, err
		}
	}
	c.retry = options.Retry.filled()
	if err := c.locate(addresses); err != nil {
		return nil, err
	}
	c.telemetry = c.common.telemetry.asking(c.endpoints, c.at)
	if len(options.Interceptors) > 0 {
		c.make = intercepted(options.Interceptors, c.told)
	}
	c.context, c.stop = context.WithCancel(context.Background())
	c.asks, c.leave = context.WithCancel(c.context)
	c.running.Add(len(c.endpoints))
	for _, e := range c.endpoints {
		e.context, e.stop = context.WithCancel(c.context)
		go e.run()
	}
	if c.following != nil {
		c.running.Add(1)
		go c.following.run()
	}
	return c, nil
}

// endpoint makes one of an address.
func (c *Client) endpoint(address string, a Address) *endpoint {
	e := &endpoint{client: c, Endpoint: engine.NewEndpoint(address), place: a, common: c.common}
	e.common.Peer, e.common.Config.OfferChecksumOff = address, a.Transport.Protects.bytes()
	return e
}

// locate makes the endpoints.
func (c *Client) locate(addresses []string) error {
	if c.options.Connections < 0 {
		return fmt.Errorf("mxp: Connections is %d, and can be no less than 0", c.options.Connections)
	}
	for _, at := range addresses {
		if strings.HasPrefix(at, meshPrefix) {
			if len(addresses) > 1 {
				return invalid("%q names all agents that there are, and stands alone", at)
			}
			return c.follow(at)
		}
		a, err := ParseAddress(at)
		if err != nil {
			return err
		}
		for range max(c.options.Connections, 1) {
			c.endpoints = append(c.endpoints, c.endpoint(at, a))
		}
	}
	switch len(addresses) {
	case 0:
		return invalid("there is no address")
	case 1:
		c.at = addresses[0]
	}
	return nil
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
	if c.bound {
		return
	}
	c.stop()
	c.running.Wait()
	c.common.workers.dismiss(true)
}

// Stats are the counters of all connections there were.
func (c *Client) Stats() session.Stats {
	c.mu.Lock()
	stats, conns := c.gone, slices.Collect(maps.Keys(c.conns))
	c.mu.Unlock()
	for _, conn := range conns {
		conn.AddStats(&stats)
	}
	c.spending.Lock()
	stats.Add(&c.retries.Stats)
	c.spending.Unlock()
	if !c.bound { // else whoever has made the connection counts its methods, and how it was made
		c.common.meters.addStats(&stats)
		stats.ShmFallbacks += c.options.sharing.fallbacks.Load()
	}
	return stats
}
