package mxp_test

import (
	"context"
	"errors"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// slowContext is a context of which functions that wait for its end are told late.
type slowContext struct{ done chan struct{} }

func (slowContext) Deadline() (time.Time, bool)      { return time.Time{}, false }
func (c slowContext) Done() <-chan struct{}          { return c.done }
func (slowContext) Value(any) any                    { return nil }
func (slowContext) AfterFunc(func()) (s func() bool) { return func() bool { return true } }

func (c slowContext) Err() error {
	select {
	case <-c.done:
		return context.Canceled
	default:
		return nil
	}
}

// A stream is cancelled before its user is told, and so before the user's next request [MXP-8.6].
func TestStreamIsCancelledBeforeItsUserIsTold(t *testing.T) {
	r := start(t, places.Plain, mxp.ServerOptions{})
	ctx := slowContext{make(chan struct{})}
	stream, err := r.client.Open(ctx, "demo.Echo", 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return r.server.Stats().InFlightPeer == 1 })
	time.AfterFunc(10*time.Millisecond, func() { close(ctx.done) })
	if _, err := stream.Recv(ctx); !errors.Is(err, session.ErrCancelled) {
		t.Errorf("it ends by %v", err)
	}
	eventually(t, func() bool { return r.server.Stats().InFlightPeer == 0 })
}
