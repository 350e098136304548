//go:build !unix

package mxp

import "net"

// pathBytes is the longest path that a unix socket can have.
const pathBytes = 107

// nobodyListens reports whether an attempt to connect has failed since nobody listens.
func nobodyListens(error) bool { return true }

// bindPrivate makes a socket, whose file has the rights that its folder gives it.
func bindPrivate(path string) (*net.UnixListener, error) {
	return net.ListenUnix(unixNetwork, &net.UnixAddr{Name: path, Net: unixNetwork})
}
