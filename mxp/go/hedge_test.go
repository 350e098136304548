package mxp_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/goods"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/shop"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// fails lets a replica end calls so, or wait with them until they are cancelled.
func (r *replica) fails(err error) { r.failure.Store(&err) }

// errWaits is the failure of a replica that answers nothing.
var errWaits = errors.New("waits")

// late lets a replica end calls so after a time; well, if there is no error.
type late struct {
	time time.Duration
	err  error
}

func (l late) Error() string { return "late" }

// A failure that may heal is not the end of a call that is still in flight on another connection.
// [MXP-14.11]
func TestHedgesOutliveFailures(t *testing.T) {
	policy := &mxp.RetryPolicy{Attempts: 2, Hedge: 20 * time.Millisecond, Budget: 1}
	all, client := replicated(t, 2, mxp.ClientOptions{Retry: policy, KeepOutliers: true})
	stub, ctx := shop.NewShopClient(client), within(t, patience*20*time.Second)
	all[0].fails(late{60 * time.Millisecond, mxp.Refuse(mxp.Failure{Status: session.StatusUnavailable, Name: "busy"})})
	all[1].fails(late{time: 200 * time.Millisecond})
	if _, err := stub.Find(ctx, &goods.Item{}); err != nil {
		t.Error(err)
	}
	if a, b := all[0].calls.Load(), all[1].calls.Load(); a != 1 || b != 1 {
		t.Errorf("made %d and %d times", a, b)
	}
	// A failure that does not heal is the end.
	all[0].fails(late{60 * time.Millisecond, mxp.Refuse(mxp.Failure{Status: session.StatusNotFound, Name: "none"})})
	var f *mxp.Failure
	if _, err := stub.Find(ctx, &goods.Item{}); !errors.As(err, &f) || f.Name != "none" {
		t.Error(err)
	}
}

// Requests are made on other connections than one on which they fail, and on it again later; but
// where most fail, on any. [MXP-14.10]
func TestOutliersAreLeftOut(t *testing.T) {
	for _, keeps := range []bool{false, true} {
		all, client := replicated(t, 3, mxp.ClientOptions{KeepOutliers: keeps})
		stub, ctx := shop.NewShopClient(client), within(t, patience*20*time.Second)
		failed := 0
		ask := func(n int) {
			for range n {
				if _, err := stub.Find(ctx, &goods.Item{}); err != nil {
					failed++
				}
			}
		}
		all[0].fails(mxp.Refuse(mxp.Failure{Status: session.StatusUnavailable, Name: "sick"}))
		ask(200)
		if !keeps && (failed < 5 || failed > 10 || client.Stats().Outliers == 0) || keeps && failed < 30 {
			t.Errorf("%d of 200 failed, %d outliers", failed, client.Stats().Outliers)
		}
		if keeps {
			continue
		}
		all[0].fails(nil)
		before := all[0].calls.Load()
		eventually(t, func() bool { ask(1); return all[0].calls.Load() > before })
		for _, r := range all[1:] {
			r.fails(mxp.Refuse(mxp.Failure{Status: session.StatusInternal, Name: "sick"}))
		}
		failed = 0
		ask(200)
		if failed < 30 {
			t.Errorf("%d of 200 failed, where two of three fail", failed)
		}
	}
}

// One of two is left out, too: it is not more than half. [MXP-14.10]
func TestOutlierOfTwoIsLeftOut(t *testing.T) {
	all, client := replicated(t, 2, mxp.ClientOptions{})
	stub, ctx := shop.NewShopClient(client), within(t, patience*20*time.Second)
	all[0].fails(mxp.Refuse(mxp.Failure{Status: session.StatusUnavailable, Name: "sick"}))
	failed := 0
	for range 100 {
		if _, err := stub.Find(ctx, &goods.Item{}); err != nil {
			failed++
		}
	}
	if failed < 5 || failed > 10 {
		t.Errorf("%d of 100 failed", failed)
	}
}

// A call that has no answer for a while is made on another connection, and the first answer is that
// of the call; the others are cancelled. [MXP-14.11]
func TestSlowCallsAreHedged(t *testing.T) {
	policy := &mxp.RetryPolicy{Hedge: 20 * time.Millisecond, Budget: 1}
	all, client := replicated(t, 2, mxp.ClientOptions{Retry: policy, KeepOutliers: true})
	stub, ctx := shop.NewShopClient(client), within(t, patience*20*time.Second)
	all[0].fails(errWaits)
	for range 20 {
		if _, err := stub.Find(ctx, &goods.Item{}); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, func() bool { return all[0].cancelled.Load() == all[0].calls.Load() })
	asked, retries := all[0].calls.Load(), client.Stats().Retries
	if asked == 0 || retries != uint64(asked) || all[1].calls.Load() != 20 {
		t.Errorf("%d waited, of which %d were made again; %d answered", asked, retries, all[1].calls.Load())
	}
	// There are no more connections than two, and no more attempts than the policy says.
	all[1].fails(errWaits)
	short, cancel := context.WithTimeout(ctx, 150*time.Millisecond)
	defer cancel()
	if _, err := stub.Find(short, &goods.Item{}); !errors.Is(err, session.ErrDeadlineExceeded) {
		t.Error(err)
	}
	if n := all[0].calls.Load() + all[1].calls.Load() - asked - 20; n != 2 {
		t.Errorf("made %d times", n)
	}
	// A call that is not idempotent is made once.
	before := client.Stats().Retries
	short, cancel = context.WithTimeout(ctx, 60*time.Millisecond)
	defer cancel()
	if _, err := stub.Sell(short, &shop.Stock{}); !errors.Is(err, session.ErrDeadlineExceeded) {
		t.Error(err)
	}
	if client.Stats().Retries != before {
		t.Error("a call that is not idempotent was made again")
	}
}

// An Event without an Ack can have no deadline, and is none of a policy's requests. [MXP-14.8]
// [MXP-14.11]
func TestEventsWithoutAnAckHaveNoPolicy(t *testing.T) {
	const most = 200 * time.Millisecond
	client, err := mxp.Dial(places.Free(t), mxp.ClientOptions{ConnectTimeout: most, Retry: &mxp.RetryPolicy{Timeout: 20 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	began := time.Now()
	err = client.Event(t.Context(), "demo.Echo", 4, nil)
	if took := time.Since(began); !errors.Is(err, session.ErrNotConnected) || took < most {
		t.Errorf("it ended after %v: %v", took, err)
	}
}

// Requests without a deadline have that of the policy. [MXP-14.11]
func TestPoliciesHaveADeadline(t *testing.T) {
	var left atomic.Int64
	services := mxp.NewServices()
	services.Service("demo.Late").Call(1, func(ctx context.Context, _ *mxp.Request) ([]byte, error) {
		if until, has := ctx.Deadline(); has {
			left.Store(int64(time.Until(until)))
		}
		return nil, nil
	}).Call(2, func(ctx context.Context, _ *mxp.Request) ([]byte, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	client := served(t, services, mxp.ClientOptions{Retry: &mxp.RetryPolicy{Timeout: 50 * time.Millisecond}})
	if _, err := client.Call(t.Context(), "demo.Late", 1, nil); err != nil || left.Load() == 0 || left.Load() > int64(50*time.Millisecond) {
		t.Error(left.Load(), err)
	}
	if _, err := client.Call(t.Context(), "demo.Late", 2, nil); !errors.Is(err, session.ErrDeadlineExceeded) {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	if _, err := client.Call(ctx, "demo.Late", 1, nil); err != nil || left.Load() < int64(time.Minute) {
		t.Error(left.Load(), err)
	}
}
