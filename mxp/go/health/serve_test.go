package health_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/health"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
)

// serving is a server that tells its health, and a client.
func serving(t *testing.T, around ...mxp.Interceptor) (*health.Reporter, *mxp.Server, *health.HealthClient, context.Context) {
	t.Helper()
	services := mxp.NewServices()
	services.Service("demo.Echo").Call(1, func(_ context.Context, r *mxp.Request) ([]byte, error) { return r.Value, nil })
	reporter := health.Serve(services)
	services.Intercept(around...)
	server := mxp.NewServer(mxp.ServerOptions{Services: services})
	at := places.Free(t)
	listener, err := server.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	t.Cleanup(server.Close)
	client, err := mxp.Dial(at, mxp.ClientOptions{Types: health.HealthTypes()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return reporter, server, health.NewHealthClient(client), ctx
}

// [MXP-13.8]
func TestCheckTellsTheState(t *testing.T) {
	reporter, _, client, ctx := serving(t)
	is := func(service string, want health.State) {
		t.Helper()
		if report, err := client.Check(ctx, &health.Request{Service: service}); err != nil || report.State != want {
			t.Errorf("%q is %v, %v; want %v", service, report, err, want)
		}
	}
	is("", health.StateServing)
	is("demo.Echo", health.StateServing)
	is(health.HealthName, health.StateServing)
	is("demo.Other", health.StateUnknown)
	reporter.Set("demo.Echo", health.StateNotServing)
	reporter.Set("demo.Other", health.StateServing) // which is not there
	is("demo.Echo", health.StateNotServing)
	is("demo.Other", health.StateUnknown)
	is("", health.StateServing)
	reporter.Set("", health.StateNotServing)
	is("", health.StateNotServing)
}

// A server that drains tells watchers of it, and ends their streams, which hold no drain.
// [MXP-13.8, MXP-13.9]
func TestWatchTellsEachStateAndEndsWithADrain(t *testing.T) {
	reporter, server, client, ctx := serving(t)
	var streams []*mxp.Receiver[health.Report]
	tells := func(i int, want health.State) {
		t.Helper()
		if report, err := streams[i].Recv(); err != nil || report.State != want {
			t.Fatalf("stream %d tells %v, %v; want %v", i, report, err, want)
		}
	}
	for i, one := range []struct {
		service string
		first   health.State
	}{{"demo.Echo", health.StateServing}, {"", health.StateServing}, {"demo.Other", health.StateUnknown}} {
		stream, err := client.Watch(ctx, &health.Request{Service: one.service})
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close()
		streams = append(streams, stream)
		tells(i, one.first)
	}
	reporter.Set("demo.Echo", health.StateServing) // which it is
	reporter.Set("demo.Echo", health.StateNotServing)
	tells(0, health.StateNotServing)
	reporter.Set("demo.Echo", health.StateServing)
	tells(0, health.StateServing)

	if err := server.Shutdown(ctx); err != nil {
		t.Fatalf("the drain: %v", err)
	}
	for i := range streams {
		tells(i, health.StateNotServing)
		if _, err := streams[i].Recv(); !errors.Is(err, io.EOF) {
			t.Errorf("stream %d goes on: %v", i, err)
		}
	}
}

// A check that is asked before a drain and answered during it says that nothing serves. [MXP-13.9]
func TestCheckDuringADrainIsNotServing(t *testing.T) {
	came := make(chan struct{})
	_, server, client, ctx := serving(t, func(ctx context.Context, r *mxp.Request, next mxp.Handler) (mxp.Reply, error) {
		close(came)
		<-r.Draining()
		return next(ctx, r)
	})
	drained := make(chan error, 1)
	go func() {
		<-came
		drained <- server.Shutdown(ctx)
	}()
	if report, err := client.Check(ctx, &health.Request{}); err != nil || report.State != health.StateNotServing {
		t.Errorf("it is %v, %v", report, err)
	}
	if err := <-drained; err != nil {
		t.Errorf("the drain: %v", err)
	}
}
