package mxp

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/shm"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// shmScheme is that of connections by shared memory [MXP-18].
const shmScheme = "shm"

// shmTransport connects programs of one machine by memory that both have. Its places are paths
// of unix sockets, on which memory is handed over, and waking told.
var shmTransport = Transport{
	Scheme: shmScheme, Form: unixTransport.Form, Protects: unixTransport.Protects, Socket: unixNetwork,
	Check: func(path string) error { return checkSocket(shmScheme, path) },
	Dial:  dialShm, Listen: listenShm, Identify: identifyShm,
	finish: finishShm, owns: ownsShm,
}

// shmPool is the state that all connections by shared memory of a client, or a server, share.
type shmPool struct {
	ring   int // bytes
	spin   time.Duration
	logger *slog.Logger
	rings  *shm.Rings
	// fallbacks are connections that have gone over their socket instead.
	fallbacks atomic.Uint64
}

// newSharing fills in the defaults of options, and refuses impossible ones.
func newSharing(ring, most int, spin time.Duration, logger *slog.Logger) (*shmPool, error) {
	switch {
	case ring == 0:
		ring = session.ShmRingBytes
	default:
		if err := shm.CheckRing(ring); err != nil {
			return nil, fmt.Errorf("mxp: ShmRingBytes: %w", err)
		}
	}
	switch {
	case most < 0:
		return nil, fmt.Errorf("mxp: ShmBytes is %d, and can be no less than 0", most)
	case most == 0:
		most = session.ShmBytes
	}
	switch {
	case spin < 0:
		spin = 0
	case spin == 0 && runtime.NumCPU() > 1 && runtime.GOMAXPROCS(0) > 1:
		// Where there is one processor, who looks keeps the peer from writing.
		spin = session.ShmSpinUs * time.Microsecond
	}
	return &shmPool{ring: ring, spin: spin, logger: orSilent(logger), rings: shm.NewRings(most)}, nil
}

// sharingOf is the pool of a client or a server, or a new pool of these options without one: the
// functions of a transport may also be called by themselves.
func sharingOf(there *shmPool, ring, most int, spin time.Duration, logger *slog.Logger) (*shmPool, error) {
	if there != nil {
		return there, nil
	}
	return newSharing(ring, most, spin, logger)
}

// told is given the reason for which a connection goes over its socket.
func (s *shmPool) told(path, reason string) {
	s.fallbacks.Add(1)
	s.logger.Warn("mxp: no shared memory; the connection goes over its socket", "peer", addressOf(shmScheme, path), "why", reason)
}

// dialShm offers memory to the listener, and goes on over the socket if the listener takes none.
func dialShm(ctx context.Context, path string, options ClientOptions) (net.Conn, error) {
	sharing, err := sharingOf(options.sharing, options.ShmRingBytes, 0, options.ShmSpin, options.Logger)
	if err != nil {
		return nil, err
	}
	network, err := dialUnix(ctx, path, options)
	if err != nil {
		return nil, err
	}
	return sharing.open(ctx, network, path, options)
}

// listenShm makes a socket as that of a unix address, whose connections say that memory may be
// handed over on them.
func listenShm(path string, options ServerOptions) (net.Listener, error) {
	sharing, err := sharingOf(options.sharing, options.ShmRingBytes, options.ShmBytes, options.ShmSpin, options.Logger)
	if err != nil {
		return nil, err
	}
	listener, err := listenUnix(path)
	if err != nil {
		return nil, err
	}
	return &shmListener{Listener: listener, path: path, sharing: sharing}, nil
}

type shmListener struct {
	net.Listener
	path    string
	sharing *shmPool
}

// Accept gives the next connection, on which nothing has been read yet.
func (l *shmListener) Accept() (net.Conn, error) {
	socket, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &unsharedConn{Conn: socket, path: l.path, sharing: l.sharing}, nil
}

// Addr is the path, of the network "shm".
func (l *shmListener) Addr() net.Addr { return shmAt(l.path) }

func shmAt(path string) net.Addr { return &net.UnixAddr{Name: path, Net: shmScheme} }

// unsharedConn is a connection to a socket for shared memory before the peer has said whether
// it has any.
type unsharedConn struct {
	net.Conn
	path    string
	sharing *shmPool
}

// LocalAddr is the listener's.
func (c *unsharedConn) LocalAddr() net.Addr { return shmAt(c.path) }

// RemoteAddr is the listener's, since who has connected has none.
func (c *unsharedConn) RemoteAddr() net.Addr { return shmAt(c.path) }

// finishShm finds out whether the peer has memory, and gives the connection that goes on.
func finishShm(ctx context.Context, network net.Conn) (net.Conn, error) {
	c, is := network.(*unsharedConn)
	if !is {
		return nil, fmt.Errorf("the connection is a %T: one that a listener has wrapped can't be handed over; %s can", network, addressOf(unixNetwork, network.LocalAddr().String()))
	}
	return c.sharing.accept(ctx, c)
}
