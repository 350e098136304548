//go:build !unix

package mxp

import (
	"context"
	"errors"
	"net"
	"runtime"
)

// errNoSockets refuses the addresses of unix sockets by name. Windows has such sockets, but doesn't tell
// a server which user has connected, and their files have the rights of their folder.
var errNoSockets = errors.New("is not available on " + system() + ": " + tcpTransport.String() + " and " + tlsTransport.String() + " are")

// system is what people call this system.
func system() string {
	if runtime.GOOS == "windows" {
		return "Windows"
	}
	return runtime.GOOS
}

func checkSocket(string, string) error { return errNoSockets }

func dialUnix(context.Context, string, ClientOptions) (net.Conn, error) { return nil, errNoSockets }

func listenUnix(string) (net.Listener, error) { return nil, errNoSockets }

func identifyUnix(net.Conn, *Peer) error { return errNoSockets }
