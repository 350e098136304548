package mxp

import (
	"crypto/tls"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// address is where a peer is.
type address struct {
	network string // of package net
	place   string
	tls     bool
	host    string // that the certificate has to name
}

func invalid(format string, values ...any) error {
	f := refusal(session.ErrAddressInvalid, false)
	f.Text = fmt.Sprintf(format, values...)
	return &f
}

// parseAddress reads mxp+unix:///path, mxp+tcp://host:port or mxp+tls://host:port.
func parseAddress(text string) (address, error) {
	scheme, rest, _ := strings.Cut(text, ":")
	place, ok := strings.CutPrefix(rest, "//")
	switch scheme {
	case "mxp+unix":
		if !ok || len(place) < 2 || place[0] != '/' {
			return address{}, invalid("%q has no absolute path, as in mxp+unix:///run/x.sock", text)
		}
		if len(place) > pathBytes {
			return address{}, invalid("%q has a path of %d bytes, and a socket's can have %d: the path is too long", text, len(place), pathBytes)
		}
		return address{network: "unix", place: place}, nil
	case "mxp+tcp", "mxp+tls":
		host, port, err := net.SplitHostPort(place)
		if _, wrong := strconv.ParseUint(port, 10, 16); !ok || err != nil || wrong != nil || host == "" || strings.Contains(host, "/") {
			return address{}, invalid("%q has no host and port, as in %s://host:9000", text, scheme)
		}
		return address{network: "tcp", place: place, tls: scheme == "mxp+tls", host: host}, nil
	}
	return address{}, invalid("%q is none of mxp+unix, mxp+tcp and mxp+tls", text)
}

// remoteAddress is that of a connection's other side, as a client would name it.
func remoteAddress(network net.Conn) string {
	if _, isTLS := network.(*tls.Conn); isTLS {
		return "mxp+tls://" + network.RemoteAddr().String()
	}
	return localAddress(network.RemoteAddr())
}

func localAddress(at net.Addr) string { return "mxp+" + at.Network() + "://" + at.String() }
