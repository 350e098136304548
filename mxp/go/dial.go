package mxp

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"strings"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// dial makes the connection that a session is to run on.
func (e *endpoint) dial() (net.Conn, *Failure) {
	ctx, cancel := context.WithTimeout(e.context, e.common.helloTime())
	defer cancel()
	network, err := e.place.Transport.Dial(ctx, e.place.Place, e.client.options)
	if err != nil {
		return nil, e.unreachable(err)
	}
	return network, nil
}

// unreachable is the failure of an attempt whose transport has given an error.
func (e *endpoint) unreachable(err error) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		failure := engine.NotConnected(f.Status, f.Text, e.Address)
		if f.Name != "" {
			failure.Name = f.Name
		}
		return failure
	}
	return engine.Unavailable(cause(err), e.Address)
}

// dial is what makes the connections of sockets.
func (o *ClientOptions) dial(ctx context.Context, network, place string) (net.Conn, error) {
	if o.Dial != nil {
		return o.Dial(ctx, network, place)
	}
	return new(net.Dialer).DialContext(ctx, network, place)
}

// unreached is the error of a transport that can't be connected by, with its status and
// without the place, which is told already.
func unreached(status session.Status, why string, err error) error {
	return errors.Join(engine.NotConnected(status, why, ""), err)
}

// refused is the failure of an attempt whose session has ended before it was ready.
func (e *endpoint) refused(conn *conn) *Failure {
	conn.Lock()
	why, err := conn.Engine.Why, conn.Cause()
	conn.Unlock()
	var op *net.OpError
	switch {
	case why.Name == frame.ErrMagic.String():
		return &Failure{Status: session.StatusFailedPrecondition, Name: why.Name, Text: otherProtocol, Peer: e.Address}
	case !engine.MayHeal(&why):
		why.Peer, why.Acted = e.Address, false
		return &why
	case errors.As(err, &op) && op.Op == remoteAlert: // of TLS 1.3, in which a client is ready before the server is
		return engine.NotConnected(session.StatusFailedPrecondition, "TLS: "+cause(err), e.Address)
	case errors.Is(&why, session.ErrLost):
		return engine.Unavailable(why.Text+" before its Hello", e.Address)
	}
	return engine.Unavailable(strings.TrimSuffix(why.Name+": "+why.Text, ": ")+" before its Hello", e.Address)
}

// otherProtocol is why a peer is none whose first bytes are no frame [MXP-14.2].
const otherProtocol = "the peer speaks another protocol than MXP, or has TLS where the address has none"

// remoteAlert is the Op of errors that the other end of TLS has told.
const remoteAlert = "remote error"

// cause is the text of an error without its place, which is told already.
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
