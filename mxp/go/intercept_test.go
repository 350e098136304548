package mxp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/goods"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/shop"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// journal is what interceptors write into.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) write(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
}

// read gives the written lines, and forgets them.
func (j *journal) read() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	lines := j.lines
	j.lines = nil
	return lines
}

// noting is an interceptor that writes down what passes.
func (j *journal) noting(name string) mxp.Interceptor {
	return func(ctx context.Context, r *mxp.Request, next mxp.Handler) (mxp.Reply, error) {
		j.write("%s: %s/%s %d kind %d", name, r.Service, r.Name, r.Method, r.Kind)
		reply, err := next(ctx, r)
		j.write("%s: %v", name, err)
		return reply, err
	}
}

// watched is a shop with interceptors on both sides.
func watched(t *testing.T, server, client []mxp.Interceptor) (*keeper, *mxp.Client, *shop.ShopClient) {
	t.Helper()
	k, services := &keeper{left: make(chan struct{}, 16)}, mxp.NewServices()
	services.Intercept(server[:1]...)
	shop.RegisterShop(services, k)
	services.Intercept(server[1:]...)
	c := served(t, services, mxp.ClientOptions{Interceptors: client})
	return k, c, shop.NewShopClient(c)
}

func TestInterceptorsStandAroundEverything(t *testing.T) {
	var here, there journal
	_, client, stub := watched(t, []mxp.Interceptor{there.noting("c"), there.noting("d")}, []mxp.Interceptor{here.noting("a"), here.noting("b")})
	ctx := within(t, patience*10*time.Second)
	for _, one := range []struct {
		name, says string
		do         func() error
	}{
		{"call", "golden.shop.Shop/find 1 kind 0", func() error { _, err := stub.Find(ctx, &goods.Item{ID: 7}); return err }},
		{"event", "golden.shop.Shop/noticed 65535 kind 1", func() error {
			return stub.Noticed(ctx, &shop.Notice{Value: &shop.NoticeSold{}}, mxp.WithAck())
		}},
		{"stream", "golden.shop.Shop/ask_url 5 kind 2", func() error {
			talk, err := stub.AskURL(ctx)
			if err != nil {
				return err
			}
			if got := here.read(); len(got) != 4 {
				t.Errorf("the stream is open, and the client's interceptors are at %q", got)
			}
			if err := errors.Join(talk.Send(&shop.Query{}), talk.CloseSend()); err != nil {
				return err
			}
			for _, err := range talk.All() {
				if err != nil {
					return err
				}
			}
			here.lines = []string{"", "", "", ""}
			return nil
		}},
	} {
		if err := one.do(); err != nil {
			t.Fatalf("%s: %v", one.name, err)
		}
		around := func(outer, inner string) []string {
			return []string{outer + ": " + one.says, inner + ": " + one.says, inner + ": <nil>", outer + ": <nil>"}
		}
		if got := here.read(); got[0] != "" && !slices.Equal(got, around("a", "b")) {
			t.Errorf("%s: the client's have noted %q", one.name, got)
		}
		var got []string
		eventually(t, func() bool { got = append(got, there.read()...); return len(got) == 4 })
		if !slices.Equal(got, around("c", "d")) {
			t.Errorf("%s: the server's have noted %q", one.name, got)
		}
	}
	client.Call(ctx, shop.ShopName, shop.ShopFindMethod, nil)
	if got := here.read(); got[0] != "a: golden.shop.Shop/ 1 kind 0" {
		t.Errorf("a call by number: %q", got)
	}
}

func TestMetadataPassBothWays(t *testing.T) {
	answers := func(ctx context.Context, r *mxp.Request, next mxp.Handler) (mxp.Reply, error) {
		reply, err := next(ctx, r)
		reply.Metadata = append(reply.Metadata, r.Metadata...)
		return reply, err
	}
	var got []mxp.Metadatum
	asks := func(ctx context.Context, r *mxp.Request, next mxp.Handler) (mxp.Reply, error) {
		r.Metadata = append(r.Metadata, mxp.Metadatum{Key: "b", Value: []byte("2")})
		reply, err := next(ctx, r)
		got = reply.Metadata
		return reply, err
	}
	_, _, stub := watched(t, []mxp.Interceptor{answers}, []mxp.Interceptor{asks})
	if _, err := stub.Find(within(t, patience*10*time.Second), &goods.Item{ID: 7}, mxp.WithMetadata("a", []byte("1"))); err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Key != "a" || string(got[1].Value) != "2" {
		t.Errorf("got %v", got)
	}
}

func TestServersInterceptorRefusesBeforeAnybodyActs(t *testing.T) {
	refuses := func(context.Context, *mxp.Request, mxp.Handler) (mxp.Reply, error) {
		return mxp.Reply{}, fmt.Errorf("no: %w", mxp.Refuse(mxp.Failure{Status: session.StatusUnauthenticated, Name: "who", Text: "are you?", Details: []byte{7}, Acted: true}))
	}
	k, _, stub := watched(t, []mxp.Interceptor{refuses}, nil)
	ctx := within(t, patience*10*time.Second)
	_, err := stub.Find(ctx, &goods.Item{ID: 7})
	if f := fails(t, err, session.StatusUnauthenticated, "who", false); f.Text != "are you?" || string(f.Details) != "\x07" {
		t.Errorf("got %q, %x", f.Text, f.Details)
	}
	fails(t, stub.Noticed(ctx, &shop.Notice{Value: &shop.NoticeSold{}}, mxp.WithAck()), session.StatusUnauthenticated, "who", false)
	list, err := stub.List(ctx, &shop.Query{First: 1, Last: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, err = list.Recv()
	fails(t, err, session.StatusUnauthenticated, "who", false)
	if len(k.noticed()) > 0 {
		t.Error("the handler was asked")
	}
}

func TestInterceptorAsksAgain(t *testing.T) {
	var times atomic.Int32
	failsOnce := func(ctx context.Context, r *mxp.Request, next mxp.Handler) (mxp.Reply, error) {
		if times.Add(1) == 1 {
			return mxp.Reply{}, &mxp.Failure{Status: session.StatusUnavailable, Name: "later"}
		}
		return next(ctx, r)
	}
	again := func(ctx context.Context, r *mxp.Request, next mxp.Handler) (mxp.Reply, error) {
		reply, err := next(ctx, r)
		var f *mxp.Failure
		if errors.As(err, &f) && f.Retryable(r.Idempotent) {
			return next(ctx, r)
		}
		return reply, err
	}
	_, _, stub := watched(t, []mxp.Interceptor{failsOnce}, []mxp.Interceptor{again})
	ctx := within(t, patience*10*time.Second)
	if _, err := stub.Find(ctx, &goods.Item{ID: 7}); err != nil || times.Load() != 2 {
		t.Errorf("an idempotent call: %v, asked %d times", err, times.Load())
	}
	times.Store(0)
	_, err := stub.Sell(ctx, &shop.Stock{})
	if fails(t, err, session.StatusUnavailable, "later", true); times.Load() != 1 {
		t.Errorf("another call was made %d times", times.Load())
	}
}

func TestStreamIsTheLastThatAnInterceptorHasOpened(t *testing.T) {
	twice := func(ctx context.Context, r *mxp.Request, next mxp.Handler) (mxp.Reply, error) {
		if reply, err := next(ctx, r); err != nil {
			return reply, err
		}
		again := *r
		return next(ctx, &again)
	}
	_, client, stub := watched(t, []mxp.Interceptor{(&journal{}).noting("")}, []mxp.Interceptor{twice})
	ctx := within(t, patience*10*time.Second)
	list, err := stub.List(ctx, &shop.Query{First: 100, Last: 1 << 60})
	if err != nil {
		t.Fatal(err)
	}
	if one, err := list.Recv(); err != nil || one.Item.ID != 100 {
		t.Errorf("got %v, %v", one, err)
	}
	if n := client.Stats().InFlightHere; n != 1 {
		t.Errorf("%d streams are open", n)
	}
	list.Close()
	eventually(t, func() bool { return client.Stats().InFlightHere == 0 })
}

func TestStreamThatAnInterceptorRefusesIsNotLeftOpen(t *testing.T) {
	refuses := func(ctx context.Context, r *mxp.Request, next mxp.Handler) (mxp.Reply, error) {
		reply, err := next(ctx, r)
		return reply, errors.Join(err, io.ErrUnexpectedEOF)
	}
	none := func(context.Context, *mxp.Request, mxp.Handler) (mxp.Reply, error) { return mxp.Reply{}, nil }
	_, client, stub := watched(t, []mxp.Interceptor{(&journal{}).noting("")}, []mxp.Interceptor{refuses})
	ctx := within(t, patience*10*time.Second)
	if _, err := stub.List(ctx, &shop.Query{First: 100, Last: 1 << 60}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
	eventually(t, func() bool { return client.Stats().InFlightHere == 0 })

	_, _, stub = watched(t, []mxp.Interceptor{(&journal{}).noting("")}, []mxp.Interceptor{none})
	_, err := stub.AskURL(ctx)
	fails(t, err, session.StatusInternal, "unknown", false)
}
