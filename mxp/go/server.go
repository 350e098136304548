package mxp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// ServerOptions are what a server is made with.
type ServerOptions struct {
	Services *Services
	// Types are those that the services reach, so that the peers can compare them.
	// Those that stubs add to Services need not be here.
	Types []Type
	// TLS is for mxp+tls, and has the server's certificate.
	TLS *tls.Config
	// Agents keeps a directory of agents. On TCP anybody could take a name.
	Agents bool
	// AnyUser lets other users than the one that the server runs as connect to its
	// unix sockets.
	AnyUser bool
	// Connections is how many there may be at once; 16,384 if it is 0.
	Connections  int
	PayloadBytes int // as a client's
	StreamWindow int
	Limits       session.Limits
	Logger       *slog.Logger
	Tracer       trace.TracerProvider
}

// Server takes connections on any number of addresses.
type Server struct {
	options ServerOptions
	common  connOptions
	wrong   error // with the options

	mu        sync.Mutex
	conns     map[*conn]struct{}
	listeners map[net.Listener]struct{}
	closed    bool
	owners    uint64
	gone      session.Stats
	running   sync.WaitGroup
}

// NewServer makes a server that listens nowhere. Options that can't be are refused by
// Listen and Serve.
func NewServer(options ServerOptions) *Server {
	s := &Server{options: options, conns: map[*conn]struct{}{}, listeners: map[net.Listener]struct{}{}}
	if options.Connections == 0 {
		s.options.Connections = 16 << 10
	}
	s.common = connOptions{
		services: orNone(options.Services), window: orWindow(options.StreamWindow), logger: orSilent(options.Logger), tracing: newTracing(options.Tracer), workers: &workers{},
		config: session.Config{Role: session.Acceptor, Types: reached(options.Services, options.Types), PayloadBytes: options.PayloadBytes, Limits: options.Limits},
	}
	if options.Agents {
		s.common.agents = newAgents()
	}
	if s.wrong = s.common.check(options.StreamWindow); s.wrong == nil && options.Connections < 0 {
		s.wrong = fmt.Errorf("mxp: Connections is %d, and can be no less than 0", options.Connections)
	}
	return s
}

// ErrServerClosed is what Serve returns after Close and Shutdown.
var ErrServerClosed = errors.New("mxp: server closed")

// Listen makes a listener for an address. A unix socket is for its user alone
// (mode 0600); the file of one that nobody listens on any more is replaced.
func (s *Server) Listen(at string) (net.Listener, error) {
	if s.wrong != nil {
		return nil, s.wrong
	}
	a, err := parseAddress(at)
	if err != nil {
		return nil, err
	}
	var listener net.Listener
	if a.network == "unix" {
		listener, err = listenUnix(a.place)
	} else {
		listener, err = net.Listen(a.network, a.place)
	}
	if err != nil {
		return nil, err
	}
	if a.tls {
		if s.options.TLS == nil {
			listener.Close()
			return nil, fmt.Errorf("mxp: %q needs ServerOptions.TLS", at)
		}
		listener = tls.NewListener(listener, s.options.TLS)
	}
	return listener, nil
}

// listenUnix makes the socket under another name, so that nobody can connect
// before its mode is right.
func listenUnix(path string) (net.Listener, error) {
	if old, err := os.Lstat(path); err == nil {
		if old.Mode()&fs.ModeSocket == 0 {
			return nil, fmt.Errorf("mxp: %s is there, and no socket", path)
		}
		if peer, err := net.Dial("unix", path); err == nil {
			peer.Close()
			return nil, fmt.Errorf("mxp: somebody listens on %s already", path)
		}
	}
	made := fmt.Sprintf("%s.%d", path, os.Getpid())
	os.Remove(made)
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: made, Net: "unix"})
	if err != nil {
		return nil, err
	}
	listener.SetUnlinkOnClose(false)
	err = os.Chmod(made, 0o600)
	if err == nil {
		err = os.Rename(made, path)
	}
	if err != nil {
		listener.Close()
		os.Remove(made)
		return nil, err
	}
	return &unixListener{listener, path}, nil
}

// unixListener takes its socket's file away when it is closed.
type unixListener struct {
	*net.UnixListener
	path string
}

// Addr is the socket's address.
func (l *unixListener) Addr() net.Addr { return &net.UnixAddr{Name: l.path, Net: "unix"} }

// Close closes the listener.
func (l *unixListener) Close() error {
	err := l.UnixListener.Close()
	if err == nil {
		os.Remove(l.path)
	}
	return err
}

// ListenAndServe serves an address until the context ends; then the server drains
// for up to five seconds, and ListenAndServe returns when it has.
func (s *Server) ListenAndServe(ctx context.Context, at string) error {
	listener, err := s.Listen(at)
	if err != nil {
		return err
	}
	drained := newSignal()
	stop := context.AfterFunc(ctx, func() {
		defer close(drained)
		most, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		s.Shutdown(most)
	})
	err = s.Serve(listener)
	if !stop() { // it drains
		<-drained
	}
	return err
}

// Serve takes connections until the server is closed.
func (s *Server) Serve(listener net.Listener) error {
	if s.wrong != nil {
		listener.Close()
		return s.wrong
	}
	if !s.listen(listener) {
		listener.Close()
		return ErrServerClosed
	}
	defer listener.Close()
	options := s.common
	if at := listener.Addr(); at.Network() == "unix" {
		options.peer = localAddress(at)
	}
	for {
		network, err := listener.Accept()
		switch {
		case err == nil:
			s.running.Add(1)
			go s.serve(network, options)
		case s.isClosed():
			return ErrServerClosed
		case isTemporary(err): // for instance too many open files
			s.common.logger.Warn("mxp: accept", "error", err)
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

func (s *Server) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// serve takes one connection.
func (s *Server) serve(network net.Conn, options connOptions) {
	if !s.begin(network, options) {
		network.Close()
		s.running.Done()
	}
}

// begin lets a connection run, if it is one that may be.
func (s *Server) begin(network net.Conn, options connOptions) bool {
	if socket, ok := network.(*net.UnixConn); ok {
		if err := s.admit(socket); err != nil {
			s.common.logger.Warn("mxp: connection refused", "peer", options.peerOf(network), "error", err)
			return false
		}
		options.config.OfferChecksumOff = true
	}
	if secure, ok := network.(*tls.Conn); ok {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		err := secure.HandshakeContext(ctx)
		cancel()
		if err != nil {
			s.common.logger.Warn("mxp: TLS handshake", "peer", remoteAddress(network), "error", err)
			return false
		}
		options.config.OfferChecksumOff = true
	}
	c := s.add(network, options)
	if c != nil {
		c.start(func() { s.left(c) })
	}
	return c != nil
}

// left forgets a connection that is gone, but for its counters.
func (s *Server) left(c *conn) {
	c.mu.Lock()
	stats := *c.session.Stats()
	c.mu.Unlock()
	s.mu.Lock()
	s.gone.Add(&stats)
	delete(s.conns, c)
	s.mu.Unlock()
	s.running.Done()
}

func (s *Server) admit(socket *net.UnixConn) error {
	if s.options.AnyUser {
		return nil
	}
	user, err := peerUser(socket)
	if err != nil {
		return err
	}
	if user != os.Geteuid() {
		return fmt.Errorf("the peer runs as user %d", user)
	}
	return nil
}

// add gives a connection its place, if there is one.
func (s *Server) add(network net.Conn, options connOptions) *conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.conns) >= s.options.Connections {
		s.common.logger.Warn("mxp: connection refused", "peer", options.peerOf(network), "connections", len(s.conns), "closed", s.closed)
		return nil
	}
	s.owners++
	options.owner = s.owners
	c := newConn(network, options)
	s.conns[c] = struct{}{}
	return c
}

// Shutdown takes no new connections and requests, and waits for those in flight
// until the context ends. What is left then is cut off.
func (s *Server) Shutdown(ctx context.Context) error {
	for _, c := range s.stop() {
		c.mu.Lock()
		if c.session.Drain("shutdown", c.now()) != nil {
			c.network.Close()
		}
		c.update()
		c.mu.Unlock()
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
		c.network.Close()
	}
	s.running.Wait()
	s.common.workers.dismiss(true)
}

// stop closes the listeners, and gives the connections there are.
func (s *Server) stop() (conns []*conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
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
		c.addStats(&stats)
	}
	return stats
}
