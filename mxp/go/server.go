package mxp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/budget"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/link"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// ServerOptions are what a server is made with.
type ServerOptions struct {
	Services *Services
	// Types are the types that the services reach, so that the peers can compare them. Types that
	// stubs add to Services need not be here.
	Types []Type
	// TLS is for mxp+tls, and has the server's certificate.
	TLS *tls.Config
	// Agents keeps a directory of agents. On TCP anybody could take a name.
	Agents bool
	// Directory answers agent requests; nil: Agents decides.
	Directory Directory
	// CrashOnPanic lets a handler's panic end the program. Else the request ends with
	// StatusInternal, and the panic is logged, with its stack.
	CrashOnPanic bool
	// Admit decides whether a peer may connect. It is asked once for each connection, after the
	// handshake of TLS and before anything else is read, and has as long as a Hello. A peer that is
	// refused is told the error, with StatusPermissionDenied unless it is a *Failure, and its
	// client takes that as final. Without Admit, unix sockets, and shared memory, are for programs
	// of the server's own user, unless AnyUser lets others in, and TCP and TLS for all.
	Admit func(ctx context.Context, peer *Peer) error
	// AnyUser lets users other than the server's own connect to its unix sockets, where there is no
	// Admit.
	AnyUser bool
	// Connections is how many there may be at once; 16,384 if it is 0.
	Connections int
	// MemoryBytes is how much of the program's memory the connections may take together; a
	// quarter of the machine's, or of the control group's, if it is 0. Where more than three
	// quarters of it are held, connections that hold more than their share are paused; where more
	// than all of it is held, the connections that hold most are ended [MXP-15.4].
	MemoryBytes int
	// ShmRingBytes and ShmSpin are a client's.
	ShmRingBytes int
	ShmSpin      time.Duration
	// ShmBytes is how much the rings of all connections by shared memory may have, of both sides
	// of each; 64 MiB if it is 0. Connections beyond that go over their sockets.
	ShmBytes     int
	PayloadBytes int // as a client's
	StreamWindow int
	NoBatches    bool
	Limits       session.Limits
	Logger       *slog.Logger
	Tracer       trace.TracerProvider // makes spans of requests that are served, and of what is asked of clients
	Meter        metric.MeterProvider // measures how long they take

	sharing *shmPool
}

// Server takes connections on any number of addresses.
type Server struct {
	options ServerOptions
	common  connOptions
	wrong   error          // with the options
	user    func() account // that the program runs as

	context context.Context // until the server takes no more connections
	refuse  context.CancelFunc

	mu        sync.Mutex
	conns     map[*conn]struct{}
	places    int // of connections that are there, or about to be
	listeners map[net.Listener]struct{}
	closed    bool
	owners    uint64
	gone      session.Stats
	running   sync.WaitGroup // of places
}

// NewServer makes a server that listens nowhere. Options that can't be are refused by
// Listen and Serve.
func NewServer(options ServerOptions) *Server {
	s := &Server{options: options, user: ownAccount, conns: map[*conn]struct{}{}, listeners: map[net.Listener]struct{}{}}
	s.context, s.refuse = context.WithCancel(context.Background())
	if options.Connections == 0 {
		s.options.Connections = 16 << 10
	}
	s.common = connOptions{
		services: orNone(options.Services), workers: &workers{}, crash: options.CrashOnPanic, meters: &meters{},
		Options: link.Options{
			Window: orWindow(options.StreamWindow), Logger: orSilent(options.Logger), Budget: budget.New(int64(options.MemoryBytes)),
			Config: session.Config{
				Role: session.Acceptor, Types: reached(options.Services, options.Types), PayloadBytes: options.PayloadBytes, Limits: options.Limits,
				OfferBatches: !options.NoBatches,
			},
		},
	}
	s.common.directory = options.Directory
	if options.Agents && options.Directory == nil {
		s.common.agents = newAgents()
	}
	if s.wrong = s.common.check(options.StreamWindow, options.MemoryBytes); s.wrong == nil && options.Connections < 0 {
		s.wrong = fmt.Errorf("mxp: Connections is %d, and can be no less than 0", options.Connections)
	}
	if s.wrong == nil {
		s.options.sharing, s.wrong = newSharing(options.ShmRingBytes, options.ShmBytes, options.ShmSpin, options.Logger)
	}
	if s.wrong == nil {
		s.common.telemetry, s.wrong = newTelemetry(options.Tracer, options.Meter, s.common.meters)
	}
	return s
}

// ErrServerClosed is what Serve and ListenAndServe return after Close and Shutdown.
var ErrServerClosed = errors.New("mxp: server closed")

// Listen makes a listener for an address of any transport. A unix socket is for its user alone
// (mode 0600); the file of one that nobody listens on any more is replaced.
func (s *Server) Listen(address string) (net.Listener, error) {
	if s.wrong != nil {
		return nil, s.wrong
	}
	a, err := ParseAddress(address)
	if err != nil {
		return nil, err
	}
	return a.Transport.Listen(a.Place, s.options)
}

// drainTime is how long ListenAndServe lets what is in flight end.
const drainTime = 5 * time.Second

// ListenAndServe serves an address until the context ends; then the server drains for
// up to five seconds. It returns when that has ended, so that a program may end then.
func (s *Server) ListenAndServe(ctx context.Context, address string) error {
	listener, err := s.Listen(address)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() {
		most, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
		defer cancel()
		s.Shutdown(most)
	})
	defer stop()
	return s.Serve(listener)
}

// Serve takes connections until Shutdown or Close is called, and then returns when all
// connections are gone. A listener that fails ends it before, but no connection.
func (s *Server) Serve(listener net.Listener) error {
	if s.wrong != nil {
		listener.Close()
		return s.wrong
	}
	listener = &onceListener{Listener: listener}
	if !s.listen(listener) {
		listener.Close()
		return ErrServerClosed
	}
	defer listener.Close()
	for {
		network, err := listener.Accept()
		switch {
		case err == nil && s.enter(network):
			go s.serve(network)
		case err == nil:
			network.Close()
		case s.context.Err() != nil:
			s.running.Wait()
			return ErrServerClosed
		case isTemporary(err): // for instance too many open files
			s.common.Logger.Warn("mxp: accept", "error", err)
			time.Sleep(10 * time.Millisecond)
		default:
			return err
		}
	}
}

func isTemporary(err error) bool {
	var e net.Error
	return errors.As(err, &e) && !errors.Is(err, net.ErrClosed)
}

func (s *Server) listen(listener net.Listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.listeners[listener] = struct{}{}
	}
	return !s.closed
}

// enter gives a connection its place, if there is one.
func (s *Server) enter(network net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.places >= s.options.Connections {
		s.common.Logger.Warn("mxp: connection refused", "peer", addressAt(network), "connections", s.places, "closed", s.closed)
		return false
	}
	s.places++
	s.running.Add(1)
	return true
}

// leave gives the place of a connection away.
func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.places--
	s.running.Done()
}

// serve takes one connection.
func (s *Server) serve(network net.Conn) {
	ctx, cancel := context.WithTimeout(s.context, s.common.helloTime())
	defer cancel()
	network, goesOn := s.finish(ctx, network)
	if !goesOn || !s.begin(ctx, network) {
		network.Close()
		s.leave()
	}
}

// left forgets a connection that is gone, but for its counters.
func (s *Server) left(c *conn) {
	c.Lock()
	stats := *c.Engine.Session.Stats()
	c.Unlock()
	stats.HeldBytes = 0
	c.Leave()
	s.mu.Lock()
	s.gone.Add(&stats)
	delete(s.conns, c)
	s.mu.Unlock()
	s.leave()
}

// add makes a connection of an admitted peer, unless the server has been closed meanwhile.
func (s *Server) add(network net.Conn, options connOptions) *conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.owners++
	options.owner = s.owners
	c := newConn(network, options)
	s.conns[c] = struct{}{}
	c.Enter()
	return c
}

// Shutdown takes no new connections and requests, and waits for the requests in flight until the
// context ends. Then it cuts off the rest.
func (s *Server) Shutdown(ctx context.Context) error {
	for _, c := range s.stop() {
		c.Drain("shutdown")
	}
	done := newSignal()
	go func() {
		s.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		s.common.workers.dismiss(true)
		return nil
	case <-ctx.Done():
		s.Close()
		return ctx.Err()
	}
}

// Close cuts off all connections.
func (s *Server) Close() {
	for _, c := range s.stop() {
		c.Cut()
	}
	s.running.Wait()
	s.common.workers.dismiss(true)
}

// stop closes the listeners, and gives the connections there are.
func (s *Server) stop() (conns []*conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.refuse()
	for listener := range s.listeners {
		listener.Close()
	}
	for c := range s.conns {
		conns = append(conns, c)
	}
	return conns
}

// Stats are the counters of all connections there were.
func (s *Server) Stats() session.Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := s.gone
	for c := range s.conns {
		c.AddStats(&stats)
	}
	s.common.meters.addStats(&stats)
	if s.options.sharing != nil { // else its options are refused
		stats.ShmFallbacks += s.options.sharing.fallbacks.Load()
	}
	return stats
}

// onceListener is closed only once, by the first caller: not all listeners can be closed again.
type onceListener struct {
	net.Listener
	once sync.Once
	err  error
}

// Close closes the listener.
func (l *onceListener) Close() error {
	l.once.Do(func() { l.err = l.Listener.Close() })
	return l.err
}
