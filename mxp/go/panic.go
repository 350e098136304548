package mxp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
)

// panicError is the error of a handler that has panicked. The log has the panic, and peers do not.
type panicError struct{ failure Failure }

// Error is that of the failure.
func (p *panicError) Error() string { return p.failure.Error() }

// Unwrap gives the failure.
func (p *panicError) Unwrap() error { return &p.failure }

func hasPanicked(err error) bool {
	var p *panicError
	return errors.As(err, &p)
}

// errExited is the error of a handler that has ended its goroutine, by runtime.Goexit.
var errExited error = func() error {
	f := engine.Internal("the handler has ended its goroutine")
	return &f
}()

// crashes reports whether a handler that has not returned is about to end the program.
func (c *conn) crashes(err error) bool { return err == errExited && c.options.crash }

// invoke asks a handler, and the interceptors around it. A handler that panics fails.
func (c *conn) invoke(ctx context.Context, method *handlerEntry, r *Request) (reply Reply, err error) {
	if c.options.crash {
		return method.run(ctx, r)
	}
	defer func() {
		if what := recover(); what != nil {
			c.options.Logger.LogAttrs(context.Background(), slog.LevelError, "mxp: handler panicked",
				slog.String("method", r.target().String()), slog.String("peer", c.options.Peer),
				slog.String("panic", fmt.Sprint(what)), slog.String("stack", string(debug.Stack())))
			reply, err = Reply{}, &panicError{engine.Internal("the handler panicked")}
		}
	}()
	return method.run(ctx, r)
}
