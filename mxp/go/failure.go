package mxp

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

func (r *Request) target() engine.Target {
	return engine.Target{Service: r.Service, Name: r.Name, Number: r.Method}
}

func waitOf(ctx context.Context) (w engine.Wait) {
	if deadline, ok := ctx.Deadline(); ok {
		w.Begun = time.Now()
		w.Most = deadline.Sub(w.Begun)
	}
	return w
}

// refusedHere says more about what the session has refused to queue. The lock is held.
func (c *conn) refusedHere(err error) error {
	if err != error(session.ErrPayloadTooLarge) { // the session returns it as it is
		return err
	}
	return engine.TooLarge(c.session.TooLarge())
}

// lostText says why a connection is gone.
func lostText(err error) string {
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return "the peer has closed the connection"
	case errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE):
		return "the peer has reset the connection"
	case errors.Is(err, net.ErrClosed):
		return "the connection was closed here"
	}
	return err.Error()
}
