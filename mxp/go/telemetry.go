package mxp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// telemetry tells OpenTelemetry of requests, under the names of spec/telemetry.toml: by
// spans, and by how long they took. It needs nothing but OpenTelemetry's API. It is nil
// where nobody is told.
type telemetry struct {
	tracer         trace.Tracer            // nil without a provider
	client, server metric.Float64Histogram // nil without a provider
	place          []attribute.KeyValue    // of the server that a client asks
	meters         *meters                 // know which methods there are
}

// scope is the name of this library among sources of telemetry.
const scope = "github.com/serial-data-protocol/sdp/mxp/go"

func newTelemetry(tracers trace.TracerProvider, metrics metric.MeterProvider, m *meters) (*telemetry, error) {
	if tracers == nil && metrics == nil {
		return nil, nil
	}
	t := &telemetry{meters: m}
	if tracers != nil {
		t.tracer = tracers.Tracer(scope)
	}
	if metrics == nil {
		return t, nil
	}
	from := metrics.Meter(scope)
	var here, there error
	t.client, here = clientCallDuration.of(from)
	t.server, there = serverCallDuration.of(from)
	if err := errors.Join(here, there); err != nil {
		return nil, fmt.Errorf("mxp: Meter: %w", err)
	}
	return t, nil
}

func (h *histogram) of(meter metric.Meter) (metric.Float64Histogram, error) {
	return meter.Float64Histogram(h.name, metric.WithUnit(h.unit), metric.WithDescription(h.about), metric.WithExplicitBucketBoundaries(h.buckets...))
}

// asking tells of a client's requests, which are for servers at these addresses, or for agents of
// the mesh.
func (t *telemetry) asking(endpoints []*endpoint, mesh string) *telemetry {
	if t == nil {
		return nil
	}
	there := *t
	if there.place = placeOf(endpoints); len(endpoints) == 0 {
		there.place = []attribute.KeyValue{attribute.String(keyServerAddress, mesh)}
	}
	return &there
}

// placeOf is where servers are: of one its host, and its port if it has one.
func placeOf(endpoints []*endpoint) []attribute.KeyValue {
	var places []string
	for _, e := range endpoints {
		if place := e.place.Place; !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	if len(places) == 1 && !endpoints[0].place.Transport.Protects.PeerCredentials {
		if host, port, err := net.SplitHostPort(places[0]); err == nil {
			if number, err := strconv.Atoi(port); err == nil {
				return []attribute.KeyValue{attribute.String(keyServerAddress, host), attribute.Int(keyServerPort, number)}
			}
		}
	}
	return []attribute.KeyValue{attribute.String(keyServerAddress, strings.Join(places, ","))}
}

// span is a request that somebody is told of; nil where nobody is.
type span struct {
	*telemetry
	served     bool
	ctx        context.Context
	span       trace.Span // nil without a tracer
	began      time.Duration
	attributes []attribute.KeyValue
}

// begin begins to tell of a request that is made, or served. The context has its span.
func (t *telemetry) begin(ctx context.Context, r *Request, isServer bool) (context.Context, *span) {
	if t == nil {
		return ctx, nil
	}
	known := t.meters.of(methodMeter{isServer, r.Service, r.Method}, r.Name).service != ""
	return t.start(ctx, r.target(), known, isServer)
}

// refused tells of a request that was refused, since there is no such method.
func (t *telemetry) refused(ctx context.Context, target engine.Target, err error) {
	if t != nil {
		_, one := t.start(ctx, target, false, true)
		one.end(err)
	}
}

func (t *telemetry) start(ctx context.Context, target engine.Target, hasMeter, isServer bool) (context.Context, *span) {
	name, method := target.String(), target.String()
	if !hasMeter {
		name, method = toldSystem, toldOther
	}
	one := &span{telemetry: t, served: isServer, began: time.Since(epoch)}
	one.attributes = append(one.attributes, attribute.String(keySystemName, toldSystem), attribute.String(keyMethod, method))
	kind := trace.SpanKindServer
	if !isServer {
		kind = trace.SpanKindClient
		one.attributes = append(one.attributes, t.place...)
	}
	if t.tracer != nil {
		ctx, one.span = t.tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(one.attributes...))
		if !hasMeter {
			one.span.SetAttributes(attribute.String(keyMethodOriginal, target.String()))
		}
	}
	one.ctx = ctx
	return ctx, one
}

// end tells how the request has ended.
func (o *span) end(err error) {
	if o == nil {
		return
	}
	took := time.Since(epoch) - o.began
	status := statusCode{toldOther, true, true}
	if n := int(statusOf(err)); n < len(statusCodes) {
		status = statusCodes[n]
	}
	isError := status.client && !o.served || status.server && o.served
	add := []attribute.KeyValue{attribute.String(keyResponseStatusCode, status.code)}
	if isError {
		add = append(add, attribute.String(keyErrorType, errorType(err, status.code)))
	}
	histogram := o.client
	if o.served {
		histogram = o.server
	}
	if histogram != nil {
		histogram.Record(o.ctx, took.Seconds(), metric.WithAttributes(append(o.attributes, add...)...))
	}
	if o.span == nil {
		return
	}
	o.span.SetAttributes(add...)
	if isError {
		o.span.SetStatus(codes.Error, err.Error())
	}
	o.span.End()
}

// errorType is the name of a refusal. A failure that a user named is not among the names: the
// status is told instead.
func errorType(err error, status string) string {
	var f *Failure
	var kind session.Kind
	name := ""
	switch {
	case errors.As(err, &f):
		name = f.Name
	case errors.As(err, &kind):
		name = kind.String()
	default:
		name = failureOf(err).Name
	}
	if at, found := slices.BinarySearch(refusalNames[:], name); found {
		return refusalNames[at]
	}
	return status
}

// tell lets the end of the stream be told.
func (s *Stream) tell(t *span) {
	c := s.lock()
	defer c.Unlock()
	if s.told = t; !c.Engine.Has(&s.state) { // it has ended already
		s.count()
	}
}
