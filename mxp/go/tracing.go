package mxp

import (
	"context"
	"encoding/binary"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// tracing makes spans of calls, and carries W3C's trace context through them. It
// needs nothing but OpenTelemetry's API: without a provider, the context passes
// and nothing else happens.
type tracing struct{ tracer trace.Tracer }

func newTracing(provider trace.TracerProvider) *tracing {
	if provider == nil {
		return &tracing{}
	}
	return &tracing{provider.Tracer("github.com/serial-data-protocol/sdp/mxp/go")}
}

// local is the trace context that a request is made in; nil without one.
func (t *tracing) local(ctx context.Context) *session.Trace {
	span := trace.SpanContextFromContext(ctx)
	if !span.IsValid() {
		return nil
	}
	id := span.SpanID()
	return &session.Trace{ID: span.TraceID(), Parent: binary.BigEndian.Uint64(id[:]), Flags: uint8(span.TraceFlags())}
}

// remote is a context that continues the trace of a request that came.
func (t *tracing) remote(from *session.Trace) context.Context {
	ctx := context.Background()
	if from == nil {
		return ctx
	}
	var span trace.SpanID
	binary.BigEndian.PutUint64(span[:], from.Parent)
	return trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: from.ID, SpanID: span, TraceFlags: trace.TraceFlags(from.Flags), Remote: true,
	}))
}

// serve begins the span of a handler, and gives what ends it.
func (t *tracing) serve(ctx context.Context, r *Request) (context.Context, func(error)) {
	return t.span(ctx, r.Service, r.Method, trace.SpanKindServer)
}

// span begins a span, and gives what ends it.
func (t *tracing) span(ctx context.Context, service string, method uint16, kind trace.SpanKind) (context.Context, func(error)) {
	if t.tracer == nil {
		return ctx, func(error) {}
	}
	ctx, span := t.tracer.Start(ctx, service+"/"+strconv.Itoa(int(method)), trace.WithSpanKind(kind),
		trace.WithAttributes(attribute.String("rpc.system", "mxp"), attribute.String("rpc.service", service)))
	return ctx, func(err error) {
		if err != nil {
			span.SetStatus(codes.Error, err.Error())
		}
		span.End()
	}
}
