package mxp_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/goods"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/shop"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// flaky fails so many requests, and counts all.
type flaky struct {
	shop.UnimplementedShop
	asked atomic.Int64

	mu      sync.Mutex
	failure error
	left    int64
}

func (f *flaky) set(failure error, left int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failure, f.left = failure, left
	f.asked.Store(0)
}

func (f *flaky) fails() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked.Add(1)
	if f.left--; f.left >= 0 {
		return f.failure
	}
	return nil
}

func (f *flaky) Find(_ context.Context, item *goods.Item) (*shop.Stock, error) {
	return &shop.Stock{Item: *item}, f.fails()
}

func (f *flaky) Sell(context.Context, *shop.Stock) (*goods.Nothing, error) {
	return &goods.Nothing{}, f.fails()
}

func (f *flaky) Noticed(context.Context, *shop.Notice) error { return f.fails() }

// brief is a policy that pauses for next to nothing.
var brief = &mxp.RetryPolicy{LeastPause: time.Nanosecond}

// A request that nobody has acted on, or that is idempotent, is made again if its end is
// Unavailable. All else is not. [MXP-14.8]
func TestRequestsAreMadeAgainByPolicy(t *testing.T) {
	acted := &mxp.Failure{Status: session.StatusUnavailable, Name: "busy"}
	refused := mxp.Refuse(*acted)
	other := mxp.Refuse(mxp.Failure{Status: session.StatusResourceExhausted, Name: "full"})
	f, services := &flaky{}, mxp.NewServices()
	shop.RegisterShop(services, f)
	var seen atomic.Int64
	client := served(t, services, mxp.ClientOptions{Retry: brief, Interceptors: []mxp.Interceptor{
		func(ctx context.Context, r *mxp.Request, next mxp.Handler) (mxp.Reply, error) {
			seen.Add(1)
			return next(ctx, r)
		},
	}})
	stub := shop.NewShopClient(client)
	ctx := within(t, patience*10*time.Second)
	find := func(o ...mxp.Option) error { _, err := stub.Find(ctx, &goods.Item{}, o...); return err } // idempotent
	sell := func(o ...mxp.Option) error { _, err := stub.Sell(ctx, &shop.Stock{}, o...); return err }
	notice := func(o ...mxp.Option) error {
		return stub.Noticed(ctx, &shop.Notice{Value: &shop.NoticeSold{}}, append(o, mxp.WithAck())...)
	}
	retries := uint64(0)
	for _, one := range []struct {
		name    string
		do      func(...mxp.Option) error
		failure error
		fails   int64
		asked   int64
		is      bool // answered in the end
		options []mxp.Option
	}{
		{"nobody has acted", sell, refused, 2, 3, true, nil},
		{"nobody has acted, too often", sell, refused, 3, 3, false, nil},
		{"an idempotent one", find, acted, 2, 3, true, nil},
		{"another that may have been acted on", sell, acted, 1, 1, false, nil},
		{"another status", find, other, 1, 1, false, nil},
		{"an event", notice, refused, 1, 2, true, nil},
		{"none, of one request", find, refused, 1, 1, false, []mxp.Option{mxp.WithRetry(nil)}},
		{"more, of one request", find, refused, 3, 4, true, []mxp.Option{mxp.WithRetry(&mxp.RetryPolicy{Attempts: 4, LeastPause: 1})}},
	} {
		f.set(one.failure, one.fails)
		seen.Store(0)
		err := one.do(one.options...)
		if (err == nil) != one.is || f.asked.Load() != one.asked || seen.Load() != 1 {
			t.Errorf("%s: asked %d times, seen by the interceptor %d times: %v", one.name, f.asked.Load(), seen.Load(), err)
		}
		retries += uint64(one.asked - 1)
		if s := client.Stats(); s.Retries != retries || s.RetriesOverBudget != 0 {
			t.Errorf("%s: %d repetitions are counted, want %d; %d over budget", one.name, s.Retries, retries, s.RetriesOverBudget)
		}
	}
	if !strings.Contains(func() string { s := client.Stats(); return s.Prometheus() }(), "mxp_retries_total 10\n") {
		t.Error("Prometheus is not told")
	}
}

// Without a policy nothing is made again that a server has refused.
func TestNothingIsMadeAgainWithoutAPolicy(t *testing.T) {
	f, services := &flaky{}, mxp.NewServices()
	shop.RegisterShop(services, f)
	f.set(mxp.Refuse(mxp.Failure{Status: session.StatusUnavailable, Name: "busy"}), 1)
	stub := shop.NewShopClient(served(t, services, mxp.ClientOptions{}))
	if _, err := stub.Find(within(t, patience*10*time.Second), &goods.Item{}); err == nil || f.asked.Load() != 1 {
		t.Errorf("asked %d times: %v", f.asked.Load(), err)
	}
}

// A request that the budget does not pay for is not made again, nor is one that would be too
// late. [MXP-14.8]
func TestRepetitionsHaveABudgetAndADeadline(t *testing.T) {
	f, services := &flaky{}, mxp.NewServices()
	shop.RegisterShop(services, f)
	f.set(mxp.Refuse(mxp.Failure{Status: session.StatusUnavailable, Name: "busy"}), 1<<40)
	client := served(t, services, mxp.ClientOptions{Retry: &mxp.RetryPolicy{Attempts: 100, LeastPause: 1, GreatestPause: 1}})
	stub := shop.NewShopClient(client)
	_, err := stub.Find(within(t, patience*10*time.Second), &goods.Item{})
	if f.asked.Load() != 11 {
		t.Errorf("asked %d times: %v", f.asked.Load(), err)
	}
	if s := client.Stats(); s.Retries != 10 || s.RetriesOverBudget != 1 {
		t.Errorf("%d repetitions, %d over budget", s.Retries, s.RetriesOverBudget)
	}

	f.asked.Store(0)
	late := &mxp.RetryPolicy{Attempts: 100, LeastPause: time.Hour, GreatestPause: time.Hour}
	client = served(t, services, mxp.ClientOptions{})
	_, err = shop.NewShopClient(client).Find(within(t, patience*10*time.Second), &goods.Item{}, mxp.WithRetry(late))
	var failure *mxp.Failure
	if !errors.As(err, &failure) || failure.Name != "busy" || f.asked.Load() != 1 {
		t.Errorf("asked %d times: %v", f.asked.Load(), err)
	}
	if s := client.Stats(); s.Retries != 0 || s.RetriesOverBudget != 0 {
		t.Errorf("%d repetitions, %d over budget", s.Retries, s.RetriesOverBudget)
	}

	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := shop.NewShopClient(client).Find(ctx, &goods.Item{}, mxp.WithRetry(late)); err == nil {
		t.Error("it is answered")
	}
}
