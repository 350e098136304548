package mxp_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/embedded"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
)

// provider is a tracer that only notes the spans it was asked for.
type provider struct {
	embedded.TracerProvider
	mu     sync.Mutex
	spans  []string
	traces []trace.TraceID
}

func (p *provider) Tracer(string, ...trace.TracerOption) trace.Tracer { return tracer{noted: p} }

// tracer is the provider's.
type tracer struct {
	embedded.Tracer
	noted *provider
}

func (t tracer) Start(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	config := trace.NewSpanStartConfig(options...)
	p := t.noted
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spans = append(p.spans, config.SpanKind().String()+" "+name)
	p.traces = append(p.traces, trace.SpanContextFromContext(ctx).TraceID())
	return ctx, trace.SpanFromContext(ctx)
}

func TestTraceContextPasses(t *testing.T) {
	services := mxp.NewServices()
	handled := make(chan trace.SpanContext, 1)
	services.Service("demo.Echo").Call(1, func(ctx context.Context, _ *mxp.Request) ([]byte, error) {
		handled <- trace.SpanContextFromContext(ctx)
		return nil, errors.New("told")
	})
	noted := &provider{}
	server := mxp.NewServer(mxp.ServerOptions{Services: services, Tracer: noted})
	at := places.Free(t)
	listener, err := server.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	defer server.Close()
	client, err := mxp.Dial(at, mxp.ClientOptions{Tracer: noted})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	span := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1, 2, 3}, SpanID: trace.SpanID{4, 5}, TraceFlags: trace.FlagsSampled})
	_, err = client.Call(trace.ContextWithSpanContext(within(t, 5*time.Second), span), "demo.Echo", 1, nil)
	if err == nil || err.Error() != "demo.Echo/1 at "+at+": Unknown (2) unknown: told; it may have been acted on" {
		t.Errorf("got %v", err)
	}
	seen := <-handled
	noted.mu.Lock()
	defer noted.mu.Unlock()
	if seen.TraceID() != span.TraceID() || seen.SpanID() != span.SpanID() || !seen.IsSampled() || !seen.IsRemote() {
		t.Errorf("the handler saw %+v", seen)
	}
	if len(noted.spans) != 2 || noted.spans[0] != "client demo.Echo/1" || noted.spans[1] != "server demo.Echo/1" || noted.traces[1] != span.TraceID() {
		t.Errorf("spans %v of %v", noted.spans, noted.traces)
	}
}
