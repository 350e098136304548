package mxp

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// dial makes the connection that a session is to run on.
func (e *endpoint) dial() (net.Conn, *Failure) {
	ctx, cancel := context.WithTimeout(e.client.context, e.common.helloTime())
	defer cancel()
	dial := e.client.options.Dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	network, err := dial(ctx, e.address.network, e.address.place)
	if err != nil && e.address.network == "unix" {
		return nil, e.unixFailure(err)
	}
	if err != nil {
		return nil, e.notConnected(reachable(err), cause(err))
	}
	if !e.address.tls {
		return network, nil
	}
	config := e.client.options.TLS.Clone()
	if config == nil {
		config = &tls.Config{}
	}
	if config.ServerName == "" {
		config.ServerName = e.address.host
	}
	secure := tls.Client(network, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		network.Close()
		return nil, e.notConnected(trusted(err), "TLS: "+strings.TrimPrefix(err.Error(), "tls: "))
	}
	return secure, nil
}

// mayHeal reports whether a later attempt may succeed where one has failed
// [MXP-14.3].
func mayHeal(f *Failure) bool {
	return f.Status == session.StatusUnavailable && !errors.Is(f, session.ErrClosed)
}

// notConnected is the failure of an attempt, or of all that there were.
func notConnected(status session.Status, why, at string) *Failure {
	return &Failure{Status: status, Name: session.ErrNotConnected.String(), Text: why, Peer: at}
}

func (e *endpoint) notConnected(status session.Status, why string) *Failure {
	return notConnected(status, why, e.at)
}

func (e *endpoint) unavailable(why string) *Failure {
	return e.notConnected(session.StatusUnavailable, why)
}

// refused is the failure of an attempt whose session has ended before it was ready.
func (e *endpoint) refused(conn *conn) *Failure {
	conn.mu.Lock()
	why, err := conn.why, conn.cause
	conn.mu.Unlock()
	var op *net.OpError
	switch {
	case !mayHeal(&why):
		why.Peer, why.Acted = e.at, false
		return &why
	case errors.As(err, &op) && op.Op == remoteAlert: // of TLS 1.3, in which a client is ready before the server is
		return e.notConnected(session.StatusFailedPrecondition, "TLS: "+cause(err))
	case errors.Is(&why, session.ErrLost):
		return e.unavailable(why.Text + " before its Hello")
	}
	return e.unavailable(strings.TrimSuffix(why.Name+": "+why.Text, ": ") + " before its Hello")
}

// remoteAlert is the Op of errors that the other end of TLS has told.
const remoteAlert = "remote error"

// unixFailure is why a unix socket can't be connected to.
func (e *endpoint) unixFailure(err error) *Failure {
	there, unseen := os.Stat(e.address.place)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return e.notConnected(session.StatusFailedPrecondition, cause(err))
	case unseen == nil && there.Mode()&fs.ModeSocket == 0:
		return e.notConnected(session.StatusFailedPrecondition, "this is no socket")
	case unseen != nil && !errors.Is(unseen, fs.ErrNotExist):
		return e.notConnected(session.StatusFailedPrecondition, cause(unseen))
	}
	return e.unavailable(cause(err))
}

// reachable is the status of what has kept a TCP connection from being made.
func reachable(err error) session.Status {
	var dns *net.DNSError
	if errors.As(err, &dns) && dns.IsNotFound && !dns.IsTemporary && !dns.IsTimeout || errors.Is(err, fs.ErrPermission) {
		return session.StatusFailedPrecondition
	}
	return session.StatusUnavailable
}

// trusted is the status of what has kept TLS from being spoken: all but what the
// network has done is final.
func trusted(err error) session.Status {
	var system *os.SyscallError
	var slow net.Error
	if errors.As(err, &system) || errors.As(err, &slow) && slow.Timeout() ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, context.Canceled) {
		return session.StatusUnavailable
	}
	return session.StatusFailedPrecondition
}

// cause is what has gone wrong, without the place, which is told already.
func cause(err error) string {
	var op *net.OpError
	var path *fs.PathError
	switch {
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded):
		return "nobody answers"
	case errors.As(err, &op):
		return op.Err.Error()
	case errors.As(err, &path):
		return path.Err.Error()
	}
	return err.Error()
}
