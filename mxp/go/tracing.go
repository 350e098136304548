package mxp

import (
	"context"
	"encoding/binary"
	"slices"

	"go.opentelemetry.io/otel/trace"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// W3C's trace context passes with requests whether or not anybody is told of them.

// localTrace is the trace context that a request is made in; nil without one.
func localTrace(ctx context.Context) *session.Trace {
	span := trace.SpanContextFromContext(ctx)
	if !span.IsValid() {
		return nil
	}
	id := span.SpanID()
	return &session.Trace{ID: span.TraceID(), Parent: binary.BigEndian.Uint64(id[:]), Flags: uint8(span.TraceFlags())}
}

// remoteTrace is a context that continues the trace of a request that came.
func remoteTrace(t *session.Trace, r *Request) context.Context {
	ctx := context.Background()
	if t == nil {
		return ctx
	}
	var span trace.SpanID
	binary.BigEndian.PutUint64(span[:], t.Parent)
	return trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: t.ID, SpanID: span, TraceFlags: trace.TraceFlags(t.Flags), TraceState: stateOf(r), Remote: true,
	}))
}

const (
	// traceState is the key of the metadata that have W3C's tracestate.
	traceState = "tracestate"
	// traceStateBytes is how long one may be to be passed on.
	traceStateBytes = 512
)

// stateOf is the tracestate that came with a request. A state that is too long, or can't be read,
// is none, as W3C has it.
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
