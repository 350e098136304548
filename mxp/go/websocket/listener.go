package websocket

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
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

	// Of which it was told that they are refused.
	hosts, strangers map[string]struct{}
}

// NewListener makes a listener whose handshakes come by another's HTTP server; the scheme says
// whether that has TLS: "ws" or "wss". It panics where the options can't be meant.
func NewListener(scheme string, o Options) *Listener {
	if err := checked(o); err != nil {
		panic(err.Error())
	}
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
	if o.Logger == nil {
		o.Logger = options.Logger
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
	why := l.refuse(r)
	if why == nil && !l.enter(origin) {
		why = &refusal{http.StatusTooManyRequests, "this origin has too many connections"}
	}
	if why == nil {
		l.take(w, r, origin)
		return
	}
	if r.ContentLength != 0 { // which nobody waits for
		http.NewResponseController(w).SetReadDeadline(time.Now())
	}
	w.Header().Set("Connection", "close")
	http.Error(w, why.why, why.status)
}

func (l *Listener) take(w http.ResponseWriter, r *http.Request, origin string) {
	come := &arrivals{}
	messages, err := library.Accept(hijacker{w, come}, r, &library.AcceptOptions{
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
	one := newConn(messages, come, address{l.scheme, place}, address{l.scheme, r.RemoteAddr}, func() { l.leave(origin) })
	select {
	case l.opened <- one:
	case <-l.done:
		one.Close()
	}
}
