package mxp

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
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
