//go:build !linux

package mxp

import (
	"context"
	"net"
)

const noMemory = "this system has no memory that can be sealed"

// open goes on over the socket.
func (s *shmPool) open(_ context.Context, network net.Conn, path string, _ ClientOptions) (net.Conn, error) {
	s.told(path, noMemory)
	return network, nil
}

// accept goes on over the socket, on which nobody can offer memory.
func (s *shmPool) accept(_ context.Context, c *unsharedConn) (net.Conn, error) {
	return c.Conn, nil
}

func ownsShm(net.Conn) bool { return false }

func identifyShm(network net.Conn, peer *Peer) error { return identifyUnix(network, peer) }
