package mxp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/shm"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

func (s *shmPool) options() shm.Options {
	return shm.Options{Network: shmScheme, RingBytes: s.ring, Spin: s.spin, Rings: s.rings}
}

// open offers memory on a socket that is connected.
func (s *shmPool) open(ctx context.Context, network net.Conn, path string, options ClientOptions) (net.Conn, error) {
	socket, is := network.(*net.UnixConn)
	if !is {
		s.told(path, fmt.Sprintf("ClientOptions.Dial gives a %T, on which no memory can be handed over", network))
		return network, nil
	}
	shared, err := shm.Open(ctx, socket, s.options())
	if err == nil {
		return shared, nil
	}
	var over *shm.Fallback
	if errors.As(err, &over) {
		s.told(path, over.Reason)
		if !over.Again {
			return socket, nil
		}
	}
	socket.Close()
	if over != nil {
		return dialUnix(ctx, path, options)
	}
	return nil, unshared(err)
}

// unshared is the error of a handover that has failed: what the system has done may heal.
func unshared(err error) error {
	var system syscall.Errno
	if errors.As(err, &system) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return err
	}
	failure := engine.NotConnected(session.StatusFailedPrecondition, err.Error(), "")
	for _, refusal := range []error{session.ErrShmHandover, session.ErrShmMemory} {
		if errors.Is(err, refusal) {
			failure.Name = refusal.Error()
			failure.Text = strings.TrimPrefix(failure.Text, failure.Name+": ")
		}
	}
	return errors.Join(failure, err)
}

// accept takes memory that the peer offers.
func (s *shmPool) accept(ctx context.Context, c *unsharedConn) (net.Conn, error) {
	socket, is := c.Conn.(*net.UnixConn)
	if !is {
		return c.Conn, nil
	}
	shared, err := shm.Accept(ctx, socket, s.options())
	var over *shm.Fallback
	switch {
	case errors.As(err, &over):
		s.told(c.path, over.Reason)
		return socket, nil
	case err != nil:
		return nil, err
	case shared == nil:
		return socket, nil
	}
	return shared, nil
}

func ownsShm(network net.Conn) bool {
	_, is := network.(*shm.Conn)
	return is
}

// identifyShm fills in the process at the other end of the socket.
func identifyShm(network net.Conn, peer *Peer) error {
	socket := network
	if shared, is := network.(*shm.Conn); is {
		socket = shared.Socket()
	}
	err := identifyUnix(socket, peer)
	peer.Address = addressOf(shmScheme, network.LocalAddr().String())
	return err
}
