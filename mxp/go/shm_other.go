//go:build !linux

package mxp

import (
	"context"
	"net"
)

const noMemory = "this system has no memory that can be sealed"

// dialShm goes on over the socket.
func dialShm(ctx context.Context, path string, options ClientOptions) (net.Conn, error) {
	options.sharing.told(path, noMemory)
	return dialUnix(ctx, path, options)
}

// accept goes on over the socket, on which nobody can offer memory.
func (s *sharing) accept(_ context.Context, c *unsharedConn) (net.Conn, error) {
	return c.Conn, nil
}

func ownsShm(net.Conn) bool { return false }

func identifyShm(network net.Conn, peer *Peer) error { return identifyUnix(network, peer) }
