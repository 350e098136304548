package mxp

import (
	"context"
	"encoding/binary"
	"slices"
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
func (t *tracing) remote(from *session.Trace, r *Request) context.Context {
	ctx := context.Background()
	if from == nil {
		return ctx
	}
	var span trace.SpanID
	binary.BigEndian.PutUint64(span[:], from.Parent)
	return trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: from.ID, SpanID: span, TraceFlags: trace.TraceFlags(from.Flags), TraceState: stateOf(r), Remote: true,
	}))
}

const (
	// traceState is the key of the metadata that have W3C's tracestate.
	traceState = "tracestate"
	// traceStateBytes is how long one may be to be passed on.
	traceStateBytes = 512
)

// stateOf is the tracestate that came with a request. One that is too long, or can't be
// read, is none, as W3C has it.
func stateOf(r *Request) trace.TraceState {
	text, ok := r.Get(traceState)
	if !ok || len(text) > traceStateBytes {
		return trace.TraceState{}
	}
	state, err := trace.ParseTraceState(string(text))
	if err != nil {
		return trace.TraceState{}
	}
	return state
}

// withState is the metadata of a request, with the tracestate of the context if they have
// none.
func withState(ctx context.Context, r *Request) []Metadatum {
	state := trace.SpanContextFromContext(ctx).TraceState()
	if state.Len() == 0 {
		return r.Metadata
	}
	text := state.String()
	if _, has := r.Get(traceState); has || len(text) > traceStateBytes {
		return r.Metadata
	}
	return append(slices.Clip(r.Metadata), Metadatum{Key: traceState, Value: []byte(text)})
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
