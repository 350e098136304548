// Package telemetry holds what OpenTelemetry's SDK exports of MXP in Go against what all
// languages tell. It is a module of its own, so that nobody needs the SDK who uses MXP.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

const service = "demo.Told"

// text is a value of methods that have names, as generated types are.
type text struct{ bytes []byte }

// AppendBinary appends the text.
func (t *text) AppendBinary(b []byte) ([]byte, error) { return append(b, t.bytes...), nil }

// UnmarshalBinary takes a text.
func (t *text) UnmarshalBinary(b []byte) error {
	t.bytes = slices.Clone(b)
	return nil
}

var (
	echo   = mxp.Method{Service: service, Name: "echo", Number: 1}
	refuse = mxp.Method{Service: service, Name: "refuse", Number: 2}
	hang   = mxp.Method{Service: service, Name: "hang", Number: 3}
	count  = mxp.Method{Service: service, Name: "count", Number: 4}
	notice = mxp.Method{Service: service, Name: "notice", Number: 5}
)

// failureOf is the failure of a method that refuses a request.
func failureOf(value []byte) error {
	switch string(value) {
	case "refused":
		return &mxp.Failure{Status: session.StatusNotFound, Name: "song_unknown"}
	case "failed":
		return errors.New("something is broken")
	case "odd":
		return &mxp.Failure{Status: 4711, Name: "4711"}
	}
	return nil
}

func services(begun chan<- struct{}) *mxp.Services {
	s := mxp.NewServices()
	mxp.HandleCall(s, &echo, func(_ context.Context, q *text) (*text, error) { return q, nil })
	mxp.HandleCall(s, &refuse, func(_ context.Context, q *text) (*text, error) { return nil, failureOf(q.bytes) })
	mxp.HandleCall(s, &hang, func(ctx context.Context, q *text) (*text, error) {
		if string(q.bytes) == "late" { // the server's time is up before the client takes the request back
			deadline, _ := ctx.Deadline()
			sooner, cancel := context.WithDeadline(ctx, deadline.Add(-10*time.Second))
			defer cancel()
			ctx = sooner
		}
		begun <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	mxp.HandleServerStream(s, &count, func(_ context.Context, q *text, to *mxp.Sender[text]) error {
		for range 3 {
			if err := to.Send(q); err != nil {
				return err
			}
		}
		return failureOf(q.bytes)
	})
	mxp.HandleEvent(s, &notice, func(context.Context, *text) error { return nil })
	return s
}

// exported is what an exporter of one side is given.
type exported struct {
	spans  *tracetest.InMemoryExporter
	tracer *sdktrace.TracerProvider
	reader *sdkmetric.ManualReader
	meter  *sdkmetric.MeterProvider
}

func newExported() *exported {
	e := &exported{spans: tracetest.NewInMemoryExporter(), reader: sdkmetric.NewManualReader()}
	e.tracer = sdktrace.NewTracerProvider(sdktrace.WithSyncer(e.spans))
	e.meter = sdkmetric.NewMeterProvider(sdkmetric.WithReader(e.reader))
	return e
}

// span is the only one that there is, once there is one.
func (e *exported) span(t *testing.T) tracetest.SpanStub {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); len(e.spans.GetSpans()) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no span has come")
		}
	}
	all := e.spans.GetSpans()
	if len(all) != 1 {
		t.Fatalf("there are %d spans", len(all))
	}
	return all[0]
}

// buckets are the bounds of both metrics.
var buckets = []float64{0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10}

// measured are the attributes of the only time that was measured.
func (e *exported) measured(t *testing.T, side string, most time.Duration) map[string]string {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := e.reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	if len(all.ScopeMetrics) != 1 || len(all.ScopeMetrics[0].Metrics) != 1 {
		t.Fatalf("the %s measures %+v", side, all.ScopeMetrics)
	}
	one := all.ScopeMetrics[0].Metrics[0]
	times, is := one.Data.(metricdata.Histogram[float64])
	if name := "rpc." + side + ".call.duration"; one.Name != name || one.Unit != "s" || !is || len(times.DataPoints) != 1 {
		t.Fatalf("the %s measures %+v", side, one)
	}
	point := times.DataPoints[0]
	if point.Count != 1 || point.Sum <= 0 || point.Sum > most.Seconds() || !slices.Equal(point.Bounds, buckets) {
		t.Errorf("the %s has measured %+v, where all took %v", side, point, most)
	}
	return textsOf(point.Attributes.ToSlice())
}

func textsOf(all []attribute.KeyValue) map[string]string {
	texts := map[string]string{}
	for _, one := range all {
		texts[string(one.Key)] = fmt.Sprint(one.Value.AsInterface())
	}
	return texts
}

// line is a span as the cases have it: name, status and attributes.
func line(span tracetest.SpanStub, attributes map[string]string, port string) string {
	status := "unset"
	if span.Status.Code == codes.Error {
		status = "error"
	}
	var texts []string
	for _, key := range slices.Sorted(maps.Keys(attributes)) {
		value := attributes[key]
		if key == "server.port" && value == port {
			value = "PORT"
		}
		texts = append(texts, key+"="+value)
	}
	return span.Name + "\t" + status + "\t" + strings.Join(texts, " ")
}

// cases are what all languages tell, by case and side.
func cases(t *testing.T) map[string]string {
	t.Helper()
	content, err := os.ReadFile("../../mxp/testdata/telemetry.tsv")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, row := range strings.Split(strings.TrimSpace(string(content)), "\n")[1:] {
		fields := strings.SplitN(row, "\t", 3)
		all[fields[0]+" "+fields[1]] = fields[2]
	}
	return all
}

// mostTaken is the longest payload that clients of the cases take.
const mostTaken = 16384

// asks are the requests of the cases, by their names.
func asks(begun <-chan struct{}) map[string]func(ctx context.Context, c *mxp.Client) error {
	call := func(m *mxp.Method, value string) func(context.Context, *mxp.Client) error {
		return func(ctx context.Context, c *mxp.Client) error {
			_, err := mxp.Invoke[text](ctx, c, m, &text{[]byte(value)})
			return err
		}
	}
	stream := func(value string) func(context.Context, *mxp.Client) error {
		return func(ctx context.Context, c *mxp.Client) error {
			values, err := mxp.OpenServerStream[text](ctx, c, &count, &text{[]byte(value)})
			if err != nil {
				return err
			}
			for _, err = range values.All() {
			}
			return err
		}
	}
	return map[string]func(context.Context, *mxp.Client) error{
		"answered": call(&echo, "x"),
		// The server takes it, and its answer is more than the client takes.
		"too_large": call(&echo, strings.Repeat("x", 2*mostTaken)),
		"refused":   call(&refuse, "refused"),
		"failed":    call(&refuse, "failed"),
		"odd":       call(&refuse, "odd"),
		"unknown": func(ctx context.Context, c *mxp.Client) error {
			_, err := c.Call(ctx, service, 99, nil)
			return err
		},
		"cancelled": func(ctx context.Context, c *mxp.Client) error {
			ctx, cancel := context.WithCancel(ctx)
			go func() {
				<-begun
				cancel()
			}()
			return call(&hang, "")(ctx, c)
		},
		"late": func(ctx context.Context, c *mxp.Client) error {
			ctx, cancel := context.WithTimeout(ctx, 10*time.Second+50*time.Millisecond)
			defer cancel()
			return call(&hang, "late")(ctx, c)
		},
		"stream":         stream("x"),
		"stream_refused": stream("refused"),
		"event": func(ctx context.Context, c *mxp.Client) error {
			return mxp.Publish(ctx, c, &notice, &text{}, mxp.WithAck())
		},
	}
}

// Each request is exported as all languages tell it; the trace of the client is
// that of the server.
func TestEachRequestIsExported(t *testing.T) {
	want, seen := cases(t), 0
	for name := range asks(nil) {
		t.Run(name, func(t *testing.T) {
			begun := make(chan struct{}, 1)
			here, there := newExported(), newExported()
			server := mxp.NewServer(mxp.ServerOptions{Services: services(begun), Tracer: there.tracer, Meter: there.meter})
			listener, err := server.Listen("mxp+tcp://127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			go server.Serve(listener)
			defer server.Close()
			port := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
			client, err := mxp.Dial("mxp+tcp://127.0.0.1:"+port, mxp.ClientOptions{Tracer: here.tracer, Meter: here.meter, PayloadBytes: mostTaken})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			began := time.Now()
			asked := asks(begun)[name](ctx, client)
			asking, serving := here.span(t), there.span(t)
			took := time.Since(began)
			for side, one := range map[string]struct {
				*exported
				span tracetest.SpanStub
				kind trace.SpanKind
			}{"client": {here, asking, trace.SpanKindClient}, "server": {there, serving, trace.SpanKindServer}} {
				seen++
				attributes := textsOf(one.span.Attributes)
				if got := line(one.span, attributes, port); got != want[name+" "+side] {
					t.Errorf("the %s exports\n%s, not\n%s", side, got, want[name+" "+side])
				}
				delete(attributes, "rpc.method_original")
				if times := one.measured(t, side, took); !maps.Equal(times, attributes) {
					t.Errorf("the %s measures with %v, not with %v", side, times, attributes)
				}
				if one.span.SpanKind != one.kind {
					t.Errorf("the %s's span is of kind %v", side, one.span.SpanKind)
				}
			}
			if isError := asking.Status.Code == codes.Error; isError != (asked != nil) || isError && asking.Status.Description != asked.Error() {
				t.Errorf("the client's span has the status %+v of %v", asking.Status, asked)
			}
			if parent := serving.Parent; parent.SpanID() != asking.SpanContext.SpanID() || parent.TraceID() != asking.SpanContext.TraceID() || !parent.IsRemote() {
				t.Errorf("the server's span is of %+v, not of %+v", parent, asking.SpanContext)
			}
		})
	}
	if seen != len(want) {
		t.Errorf("%d lines were exported, of %d", seen, len(want))
	}
}

// All repetitions of a request are one span, and one time.
func TestRepetitionsAreOneSpan(t *testing.T) {
	here, attempts := newExported(), 0
	s := mxp.NewServices()
	s.Service(service).Call(1, func(context.Context, *mxp.Request) ([]byte, error) {
		if attempts++; attempts < 3 {
			return nil, mxp.Refuse(mxp.Failure{Status: session.StatusUnavailable, Name: "busy"})
		}
		return nil, nil
	})
	server := mxp.NewServer(mxp.ServerOptions{Services: s})
	at := "mxp+unix://" + t.TempDir() + "/s.sock"
	listener, err := server.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	defer server.Close()
	client, err := mxp.Dial(at, mxp.ClientOptions{Tracer: here.tracer, Meter: here.meter, Retry: &mxp.RetryPolicy{LeastPause: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	began := time.Now()
	if _, err := client.Call(context.Background(), service, 1, nil); err != nil || attempts != 3 {
		t.Fatal(err, attempts)
	}
	span := here.span(t)
	want := service + "/1\tunset\trpc.method=demo.Told/1 rpc.response.status_code=OK rpc.system.name=mxp server.address=" + strings.TrimPrefix(at, "mxp+unix://")
	if got := line(span, textsOf(span.Attributes), ""); got != want {
		t.Errorf("got\n%s, not\n%s", got, want)
	}
	here.measured(t, "client", time.Since(began))
}

// Methods beyond the separately counted ones are told as others.
func TestMethodsBeyondTheMostAreOthers(t *testing.T) {
	here := newExported()
	server := mxp.NewServer(mxp.ServerOptions{Services: services(nil)})
	at := "mxp+unix://" + t.TempDir() + "/s.sock"
	listener, err := server.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	defer server.Close()
	client, err := mxp.Dial(at, mxp.ClientOptions{Tracer: here.tracer})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	names := map[string]int{}
	for number := range 1100 {
		client.Call(context.Background(), fmt.Sprintf("demo.Guess%d", number), 1, nil)
	}
	for _, span := range here.spans.GetSpans() {
		method := textsOf(span.Attributes)["rpc.method"]
		if method == "_OTHER" && (span.Name != "mxp" || !strings.HasPrefix(textsOf(span.Attributes)["rpc.method_original"], "demo.Guess")) {
			t.Errorf("a span is %s of %v", span.Name, span.Attributes)
		}
		names[method]++
	}
	if len(names) != 1025 || names["_OTHER"] != 1100-1024 {
		t.Errorf("%d methods are told, and %d as others", len(names), names["_OTHER"])
	}
}
