package mxp_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
)

func TestGoroutinesOfCallsGoWhenNothingComes(t *testing.T) {
	r := start(t, places.Plain, mxp.ServerOptions{})
	ctx := within(t, patience*10*time.Second)
	unharmed(t, r)
	before := runtime.NumGoroutine()
	for range 2 { // that they are gone is no harm
		var callers sync.WaitGroup
		for range 100 {
			callers.Add(1)
			go func() {
				defer callers.Done()
				for range 20 {
					if _, err := r.client.Call(ctx, "demo.Echo", 1, []byte("x")); err != nil {
						t.Error(err)
					}
				}
			}()
		}
		callers.Wait()
		eventually(t, func() bool { return runtime.NumGoroutine() <= before })
	}
}

func TestDeadlineIsTheHandlersToo(t *testing.T) {
	everywhere(t, func(t *testing.T, r *running) {
		// A deadline counts from the call, and connecting may take longer than this one.
		if err := r.client.Ready(within(t, 10*time.Second)); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			if _, err := r.client.Call(ctx, "demo.Echo", 3, nil); err == nil {
				t.Error("it was answered")
			}
			cancel()
		}
		eventually(t, func() bool { return r.events.Load() == 3 })
	})
}
