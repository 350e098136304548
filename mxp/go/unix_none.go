//go:build !unix

package mxp

import (
	"context"
	"errors"
	"net"
)

// errNoSockets refuses the addresses of unix sockets by name. Windows has such sockets, but doesn't tell
// a server which user has connected, and their files have the rights of their folder.
var errNoSockets = errors.New("is not available on " + system() + ": " + present() + " are")

// present lists the transports that programs have here instead.
func present() string {
	text := tcpTransport.String() + " and " + tlsTransport.String()
	for _, t := range systemTransports {
		text = t.String() + ", " + text
	}
	return text
}

func checkSocket(string, string) error { return errNoSockets }

func dialUnix(context.Context, string, ClientOptions) (net.Conn, error) { return nil, errNoSockets }

func listenUnix(string) (net.Listener, error) { return nil, errNoSockets }

func identifyUnix(net.Conn, *Peer) error { return errNoSockets }
