package mxp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// tcpNetwork is the scheme, and the name that package net has for it.
const tcpNetwork = "tcp"

// tcpTransport connects machines, and protects nothing. Its places are hosts and ports.
var tcpTransport = Transport{
	Scheme: tcpNetwork, Form: "host:port", Dial: dialTCP,
	Check:  func(place string) error { return checkHostPort(tcpNetwork, place) },
	Listen: func(place string, _ ServerOptions) (net.Listener, error) { return net.Listen(tcpNetwork, place) },
}

// checkHostPort refuses a place that is no host and port.
func checkHostPort(scheme, place string) error {
	host, port, err := net.SplitHostPort(place)
	if _, wrong := strconv.ParseUint(port, 10, 16); err != nil || wrong != nil || host == "" || strings.Contains(host, "/") {
		return fmt.Errorf("has no host and port, as in %s", addressOf(scheme, "host:9000"))
	}
	return nil
}

func dialTCP(ctx context.Context, place string, options ClientOptions) (net.Conn, error) {
	network, err := options.dial(ctx, tcpNetwork, place)
	if err != nil {
		return nil, unreached(reachable(err), cause(err), err)
	}
	return network, nil
}

// reachable is the status for an error that has kept a TCP connection from being made.
func reachable(err error) session.Status {
	var dns *net.DNSError
	if errors.As(err, &dns) && dns.IsNotFound && !dns.IsTemporary && !dns.IsTimeout || forbids(err) {
		return session.StatusFailedPrecondition
	}
	return session.StatusUnavailable
}

// keepAlive finds out that a machine is gone also where no ping can: before Hello, and
// with pings off.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 2}

// tune sets the options of a TCP socket. An option that the system doesn't take stays as it was.
func tune(network net.Conn) {
	if below, ok := network.(interface{ NetConn() net.Conn }); ok {
		network = below.NetConn()
	}
	if socket, ok := network.(*net.TCPConn); ok {
		socket.SetKeepAliveConfig(keepAlive)
		limitUnsent(socket)
	}
}
