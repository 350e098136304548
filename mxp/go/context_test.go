package mxp_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/goods"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/shop"
)

// branch is a shop that asks another for everything.
type branch struct {
	shop.UnimplementedShop
	main *shop.ShopClient // nil at the last one
	seen chan seen
}

// seen is the request as a handler sees it.
type seen struct {
	token    string
	deadline time.Time
	span     trace.SpanContext
}

func (b *branch) Find(ctx context.Context, item *goods.Item) (*shop.Stock, error) {
	r := mxp.RequestFrom(ctx)
	if r.Service != shop.ShopName || r.Name != "find" || r.Peer.Transport != places.Plain {
		return nil, fmt.Errorf("the request is %+v", r)
	}
	token, _ := r.Get("token")
	deadline, _ := ctx.Deadline()
	b.seen <- seen{string(token), deadline, trace.SpanContextFromContext(ctx)}
	mxp.SetReplyMetadata(ctx, "cache", []byte("miss"))
	mxp.SetReplyMetadata(ctx, "age", nil)
	if b.main == nil {
		return &shop.Stock{Item: *item}, nil
	}
	return b.main.Find(ctx, item)
}

func (b *branch) Noticed(ctx context.Context, _ *shop.Notice) error {
	token, _ := mxp.RequestFrom(ctx).Get("token")
	mxp.SetReplyMetadata(ctx, "nobody", nil)
	b.seen <- seen{token: string(token), span: trace.SpanContextFromContext(ctx)}
	return nil
}

func (b *branch) List(ctx context.Context, _ *shop.Query, _ *mxp.Sender[shop.Stock]) error {
	token, _ := mxp.RequestFrom(ctx).Get("token")
	b.seen <- seen{token: string(token)}
	return nil
}

func branched(t *testing.T, main *shop.ShopClient) (*shop.ShopClient, chan seen) {
	t.Helper()
	b, services := &branch{main: main, seen: make(chan seen, 8)}, mxp.NewServices()
	shop.RegisterShop(services, b)
	return shop.NewShopClient(served(t, services, mxp.ClientOptions{})), b.seen
}

func TestTypedHandlersAndClientsSeeMetadata(t *testing.T) {
	stub, seen := branched(t, nil)
	ctx := within(t, patience*10*time.Second)
	var got []mxp.Metadatum
	if _, err := stub.Find(ctx, &goods.Item{}, mxp.WithMetadata("token", []byte("t")), mxp.ReadMetadata(&got)); err != nil {
		t.Fatal(err)
	}
	if one := <-seen; one.token != "t" {
		t.Errorf("the handler has seen %+v", one)
	}
	if len(got) != 2 || got[0].Key != "cache" || string(got[0].Value) != "miss" || got[1].Key != "age" {
		t.Errorf("the client has seen %v", got)
	}
	if err := stub.Noticed(ctx, &shop.Notice{Value: &shop.NoticeSold{}}, mxp.WithMetadata("token", []byte("n")), mxp.WithAck()); err != nil {
		t.Fatal(err)
	}
	if one := <-seen; one.token != "n" {
		t.Errorf("the event's handler has seen %+v", one)
	}
	list, err := stub.List(ctx, &shop.Query{}, mxp.WithMetadata("token", []byte("l")))
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	if one := <-seen; one.token != "l" {
		t.Errorf("the stream's handler has seen %+v", one)
	}
}

// Elsewhere than in handlers there is no request.
func TestContextWithoutARequest(t *testing.T) {
	if r := mxp.RequestFrom(context.Background()); r != nil {
		t.Errorf("got %+v", r)
	}
	mxp.SetReplyMetadata(context.Background(), "a", nil)
}

// A handler passes its deadline and its trace on, and no metadata but the tracestate.
func TestContextPassesDeadlineAndTraceOn(t *testing.T) {
	last, atLast := branched(t, nil)
	stub, _ := branched(t, last)
	ctx, cancel := context.WithTimeout(context.Background(), patience*10*time.Second)
	defer cancel()
	for _, one := range []struct{ name, state, passes string }{
		{"none", "", ""},
		{"one", "desk=7,other=a b", "desk=7,other=a b"},
		{"longest", "desk=" + strings.Repeat("x", 256) + ",next=" + strings.Repeat("y", 245), "desk=" + strings.Repeat("x", 256) + ",next=" + strings.Repeat("y", 245)},
		{"too long", "desk=" + strings.Repeat("x", 256) + ",next=" + strings.Repeat("y", 246), ""},
		{"none that W3C knows", "desk", ""},
	} {
		options := []mxp.Option{mxp.WithMetadata("token", []byte("mine"))}
		if one.state != "" {
			options = append(options, mxp.WithMetadata("tracestate", []byte(one.state)))
		}
		span := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1, 2, 3}, SpanID: trace.SpanID{4, 5}, TraceFlags: trace.FlagsSampled})
		if _, err := stub.Find(trace.ContextWithSpanContext(ctx, span), &goods.Item{}, options...); err != nil {
			t.Fatal(err)
		}
		got := <-atLast
		until, _ := ctx.Deadline()
		if got.span.TraceID() != span.TraceID() || !got.span.IsSampled() || got.span.TraceState().String() != one.passes {
			t.Errorf("%s: the trace is %+v", one.name, got.span)
		}
		if got.deadline.IsZero() || got.deadline.After(until.Add(time.Second)) || got.token != "" {
			t.Errorf("%s: the last has %+v", one.name, got)
		}
	}
}

// The tracestate that the user gives holds, and a client that continues a trace sends it.
func TestTracestateOfAClient(t *testing.T) {
	services, seen := mxp.NewServices(), make(chan []mxp.Metadatum, 1)
	services.Service("demo.Trace").Call(1, func(_ context.Context, r *mxp.Request) ([]byte, error) {
		seen <- slices.Clone(r.Metadata)
		return nil, nil
	})
	client := served(t, services, mxp.ClientOptions{})
	state, err := trace.ParseTraceState("a=1")
	if err != nil {
		t.Fatal(err)
	}
	span := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceState: state})
	ctx := trace.ContextWithSpanContext(within(t, patience*10*time.Second), span)
	for want, options := range map[string][]mxp.Option{"a=1": nil, "b=2": {mxp.WithMetadata("tracestate", []byte("b=2"))}} {
		if _, err := client.Call(ctx, "demo.Trace", 1, nil, options...); err != nil {
			t.Fatal(err)
		}
		if got := <-seen; len(got) != 1 || got[0].Key != "tracestate" || string(got[0].Value) != want {
			t.Errorf("got %v, want %s", got, want)
		}
	}
}

// A handler sees the request that an interceptor hands on, also a copy.
func TestHandlersSeeTheRequestThatInterceptorsHandOn(t *testing.T) {
	b, services := &branch{seen: make(chan seen, 1)}, mxp.NewServices()
	shop.RegisterShop(services, b)
	services.Intercept(func(ctx context.Context, r *mxp.Request, next mxp.Handler) (mxp.Reply, error) {
		mxp.SetReplyMetadata(ctx, "by", []byte("interceptor"))
		changed := *r
		changed.Metadata = []mxp.Metadatum{{Key: "token", Value: []byte("another")}}
		return next(ctx, &changed)
	})
	stub := shop.NewShopClient(served(t, services, mxp.ClientOptions{}))
	var got []mxp.Metadatum
	if _, err := stub.Find(within(t, patience*10*time.Second), &goods.Item{}, mxp.WithMetadata("token", []byte("t")), mxp.ReadMetadata(&got)); err != nil {
		t.Fatal(err)
	}
	if one := <-b.seen; one.token != "another" {
		t.Errorf("the handler has seen %+v", one)
	}
	if len(got) != 3 || got[0].Key != "by" || got[1].Key != "cache" {
		t.Errorf("the client has seen %v", got)
	}
}
