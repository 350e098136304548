package mxp

import (
	"context"
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
