// Package websocket carries connections of MXP over WebSocket [MXP-19], for pages in browsers and
// other programs that reach a server by HTTP alone: addresses mxp+ws://host:port/path, and mxp+wss
// with TLS. A program that imports it registers the transports:
//
//	websocket.Register(websocket.Options{Origins: []string{"https://studio.example"}})
//
// From then on Listen, Dial and Address take these addresses like addresses of other transports. A
// program that has an HTTP server already gives a Listener to it.
package websocket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	library "github.com/coder/websocket"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	tls "github.com/serial-data-protocol/sdp/mxp/go/internal/secure"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

const (
	plain  = "ws"
	secure = "wss"
	// protocol is the subprotocol of connections of MXP, tokenPrefix what stands before a token
	// in another.
	protocol    = "mxp.1"
	tokenPrefix = "mxp.token."
)

// Options say who is let in, and how openers show that they may be. The zero value lets in pages
// and programs that name the server by a loopback address, or by localhost or a name under it, where
// the page has come from there, too.
type Options struct {
	// Hosts are the names and addresses, without ports and brackets, by which openers may name the
	// server beside loopback names. A request with another Host is refused: a page can make its own
	// name lead to this machine.
	Hosts []string
	// Origins are the origins of admitted pages, as browsers write them, beside loopback origins:
	// "https://studio.example", "http://10.0.0.7:3000".
	Origins []string
	// Logger is told the first time that a host or an origin is refused. A listener of a server has
	// the server's where there is none.
	Logger *slog.Logger
	// Token is shown by openers, and wanted by listeners, unless it is empty: 1 to 256 letters,
	// digits, - and _.
	Token string
	// OriginConnections is how many connections pages of one origin have at a time; 64 if it is 0.
	OriginConnections int
}

// Register makes the transports ws and wss known to this program, with the options of all their
// connections. It panics where they are registered already, or the options can't be meant.
func Register(o Options) {
	if err := checked(o); err != nil {
		panic(err.Error())
	}
	for _, scheme := range []string{plain, secure} {
		mxp.RegisterTransport(mxp.Transport{
			Scheme: scheme, Form: "host:port/path", Protects: mxp.Protection{Encryption: scheme == secure},
			Check: func(place string) error { return check(scheme, place) },
			Dial: func(ctx context.Context, place string, options mxp.ClientOptions) (net.Conn, error) {
				return dial(ctx, scheme, place, o.Token, options)
			},
			Listen: func(place string, options mxp.ServerOptions) (net.Listener, error) {
				return listen(scheme, place, o, options)
			},
		})
	}
}

func isToken(text string) bool {
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}
	return text != "" && len(text) <= 256 && !strings.ContainsFunc(text, odd)
}

// check refuses a place that is no host, port and path.
func check(scheme, place string) error {
	at, path, _ := strings.Cut(place, "/")
	host, port, err := net.SplitHostPort(at)
	_, wrong := strconv.ParseUint(port, 10, 16)
	_, odd := url.ParseRequestURI("/" + path)
	if err != nil || wrong != nil || odd != nil || host == "" || strings.ContainsAny(path, "?# ") {
		return fmt.Errorf("has no host, port and path, as in mxp+%s://host:9000/mxp", scheme)
	}
	return nil
}

// split is a place's host and port, and its path.
func split(place string) (address, path string) {
	address, path, _ = strings.Cut(place, "/")
	return address, "/" + path
}

func dial(ctx context.Context, scheme, place, token string, options mxp.ClientOptions) (net.Conn, error) {
	way := &http.Transport{DialTLSContext: dialTLS(options), DialContext: options.Dial, DisableKeepAlives: true, MaxResponseHeaderBytes: headerBytes}
	defer way.CloseIdleConnections()
	asked := []string{protocol}
	if token != "" {
		asked = append(asked, tokenPrefix+token)
	}
	at, path := split(place)
	come := &arrivals{opener: true}
	made, answer, err := library.Dial(ctx, scheme+"://"+at+path, &library.DialOptions{
		Subprotocols: asked, CompressionMode: library.CompressionDisabled,
		HTTPClient: &http.Client{Transport: opener{way, come}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	})
	switch {
	case err != nil && answer != nil:
		return nil, refused(answer)
	case err != nil:
		return nil, unreached(err)
	case made.Subprotocol() != protocol:
		made.CloseNow()
		return nil, &mxp.Failure{Status: session.StatusFailedPrecondition, Text: "the server does not speak " + protocol + " there"}
	}
	return newConn(made, come, address{scheme, ""}, address{scheme, place}, func() {}), nil
}

// dialTLS connects, and speaks TLS.
func dialTLS(options mxp.ClientOptions) func(ctx context.Context, network, address string) (net.Conn, error) {
	connect := options.Dial
	if connect == nil {
		connect = (&net.Dialer{}).DialContext
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := connect(ctx, network, address)
		if err != nil {
			return nil, err
		}
		made, err := tls.Client(ctx, conn, address, options.TLS)
		if err != nil {
			return nil, &tlsError{err}
		}
		return made, nil
	}
}

// tlsError is the error of a handshake of TLS.
type tlsError struct{ error }

func (e *tlsError) Unwrap() error { return e.error }

// unreached is the failure of a connection that was not made. TLS 1.3 refuses a client that has
// asked already.
func unreached(err error) error {
	status := session.StatusUnavailable
	var handshake *tlsError
	var dns *net.DNSError
	var op *net.OpError
	if errors.As(err, &handshake) && tls.IsFinal(handshake.error) || errors.As(err, &dns) && dns.IsNotFound && !dns.IsTemporary ||
		errors.As(err, &op) && op.Op == "remote error" {
		status = session.StatusFailedPrecondition
	}
	return errors.Join(&mxp.Failure{Status: status, Text: err.Error()}, err)
}

// refused is the failure of a handshake that the server has answered otherwise.
func refused(answer *http.Response) error {
	status := session.StatusFailedPrecondition
	switch {
	case answer.StatusCode == http.StatusUnauthorized:
		status = session.StatusUnauthenticated
	case answer.StatusCode == http.StatusForbidden:
		status = session.StatusPermissionDenied
	case answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode >= http.StatusInternalServerError:
		status = session.StatusUnavailable
	}
	text := "the server answers " + answer.Status
	if answer.Body != nil {
		defer answer.Body.Close()
		if why, _ := io.ReadAll(io.LimitReader(answer.Body, 256)); len(why) > 0 && strings.HasPrefix(answer.Header.Get("Content-Type"), "text/plain") {
			text += ": " + strings.TrimSpace(string(why))
		}
	}
	return &mxp.Failure{Status: status, Text: text}
}

// address is one of package net, whose network is the transport's scheme.
type address struct{ scheme, place string }

func (a address) Network() string { return a.scheme }
func (a address) String() string  { return a.place }
