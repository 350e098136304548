package websocket

import (
	"crypto/subtle"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	library "github.com/coder/websocket"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

const (
	handshakeTime = session.HelloUs * time.Microsecond
	headerBytes   = 16 << 10
)

// Listener gives the connections of WebSocket handshakes to a server of MXP. It is an http.Handler,
// for a program that serves pages at the same place:
//
//	listener := websocket.NewListener("wss", websocket.Options{Hosts: []string{"studio.example"}})
//	http.Handle("/mxp", listener)
//	go server.Serve(listener)
type Listener struct {
	options Options
	scheme  string
	at      string
	opened  chan net.Conn
	done    chan struct{}
	close   func() error
	once    sync.Once

	mu      sync.Mutex
	origins map[string]int // connections of each
}

// NewListener makes a listener whose handshakes come by another's HTTP server; the scheme says
// whether that has TLS: "ws" or "wss".
func NewListener(scheme string, o Options) *Listener {
	if o.OriginConnections <= 0 {
		o.OriginConnections = session.OriginConnections
	}
	return &Listener{
		options: o, scheme: scheme, opened: make(chan net.Conn), done: make(chan struct{}),
		close: func() error { return nil }, origins: map[string]int{},
	}
}

// listen makes a listener with an HTTP server of its own.
func listen(scheme, place string, o Options, options mxp.ServerOptions) (net.Listener, error) {
	at, path := split(place)
	if scheme == secure && options.TLS == nil {
		return nil, fmt.Errorf("mxp: \"mxp+%s://%s\" needs ServerOptions.TLS", scheme, place)
	}
	own, err := url.ParseRequestURI(path)
	if err != nil {
		return nil, err
	}
	network, err := net.Listen(new(net.TCPAddr).Network(), at)
	if err != nil {
		return nil, err
	}
	l := NewListener(scheme, o)
	l.at = network.Addr().String() + path
	if scheme == secure {
		config := options.TLS.Clone()
		config.NextProtos = []string{"http/1.1"}
		network = tls.NewListener(network, config)
	}
	here := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.EscapedPath() != own.EscapedPath() {
			http.NotFound(w, r)
			return
		}
		l.ServeHTTP(w, r)
	}
	log := slog.DiscardHandler
	if options.Logger != nil {
		log = options.Logger.Handler()
	}
	server := &http.Server{
		Handler: http.HandlerFunc(here), ReadHeaderTimeout: handshakeTime, ReadTimeout: handshakeTime, MaxHeaderBytes: headerBytes,
		ErrorLog: slog.NewLogLogger(log, slog.LevelDebug), // handshakes of TLS that others have not finished
	}
	l.close = server.Close
	go server.Serve(network)
	return l, nil
}

// Addr is where the listener's own HTTP server is, as the place of an address.
func (l *Listener) Addr() net.Addr { return address{l.scheme, l.at} }

// Accept gives the next connection.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case one := <-l.opened:
		return one, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close takes no more handshakes. Connections go on.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.close()
}

// ServeHTTP takes a handshake [MXP-19.5].
func (l *Listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	origin := r.Header.Get("Origin")
	switch asked := protocols(r); {
	case !l.isKnown(r.Host):
		http.Error(w, "the host is not one of this server's", http.StatusForbidden)
	case r.Header["Origin"] != nil && !l.lets(origin):
		http.Error(w, "pages of this origin are not let in", http.StatusForbidden)
	case !slices.Contains(asked, protocol):
		http.Error(w, "the subprotocol "+protocol+" is not asked for", http.StatusBadRequest)
	case !l.hasToken(asked):
		http.Error(w, "the token is missing, or another", http.StatusUnauthorized)
	case !l.enter(origin):
		http.Error(w, "this origin has too many connections", http.StatusTooManyRequests)
	default:
		l.take(w, r, origin)
	}
}

func (l *Listener) take(w http.ResponseWriter, r *http.Request, origin string) {
	messages, err := library.Accept(w, r, &library.AcceptOptions{
		Subprotocols: []string{protocol}, CompressionMode: library.CompressionDisabled,
		InsecureSkipVerify: true, // the origin was looked at
	})
	if err != nil { // it is answered
		l.leave(origin)
		return
	}
	place := l.at
	if place == "" {
		place = r.Host + r.URL.Path
	}
	one := newConn(messages, address{l.scheme, place}, address{l.scheme, r.RemoteAddr}, func() { l.leave(origin) })
	select {
	case l.opened <- one:
	case <-l.done:
		one.Close()
	}
}

// isKnown reports whether a Host is a loopback address, or one of the user's.
func (l *Listener) isKnown(host string) bool {
	return isLoopback(host) || slices.ContainsFunc(l.options.Hosts, func(one string) bool { return strings.EqualFold(one, bare(host)) })
}

// lets reports whether pages of an origin may open connections.
func (l *Listener) lets(origin string) bool {
	if slices.ContainsFunc(l.options.Origins, func(one string) bool { return strings.EqualFold(one, origin) }) {
		return true
	}
	from, err := url.Parse(origin)
	return err == nil && (from.Scheme == "http" || from.Scheme == "https") && isLoopback(from.Host)
}

// isLoopback reports whether a host, with or without a port, is a literal loopback address.
func isLoopback(host string) bool {
	ip := net.ParseIP(bare(host))
	return ip != nil && ip.IsLoopback()
}

// bare is a host without its port and brackets.
func bare(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

// protocols are the subprotocols that a handshake asks for.
func protocols(r *http.Request) (all []string) {
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for one := range strings.SplitSeq(line, ",") {
			all = append(all, strings.TrimSpace(one))
		}
	}
	return all
}

func (l *Listener) hasToken(asked []string) bool {
	if l.options.Token == "" {
		return true
	}
	want := []byte(tokenPrefix + l.options.Token)
	return slices.ContainsFunc(asked, func(one string) bool { return subtle.ConstantTimeCompare([]byte(one), want) == 1 })
}

// enter counts a connection of an origin, unless there are too many. Those of programs have none,
// and no bound.
func (l *Listener) enter(origin string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if origin != "" && l.origins[origin] >= l.options.OriginConnections {
		return false
	}
	l.origins[origin]++
	return true
}

func (l *Listener) leave(origin string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.origins[origin]--; l.origins[origin] <= 0 {
		delete(l.origins, origin)
	}
}
