package mxp_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/goods"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/shop"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// replica is one of several servers of the same.
type replica struct {
	shop.UnimplementedShop
	at          string
	server      *mxp.Server
	calls       atomic.Int64
	connections atomic.Int64
	release     chan struct{} // lets Sell answer
	failure     atomic.Pointer[error]
	cancelled   atomic.Int64
}

func (r *replica) Find(ctx context.Context, item *goods.Item) (*shop.Stock, error) {
	r.calls.Add(1)
	if err := r.failure.Load(); err != nil && *err != nil {
		var later late
		if errors.As(*err, &later) {
			time.Sleep(later.time)
			if later.err == nil {
				return &shop.Stock{Item: *item}, nil
			}
			return nil, later.err
		}
		if errors.Is(*err, errWaits) {
			<-ctx.Done()
			r.cancelled.Add(1)
		}
		return nil, *err
	}
	return &shop.Stock{Item: *item}, nil
}

func (r *replica) Sell(ctx context.Context, _ *shop.Stock) (*goods.Nothing, error) {
	select {
	case <-r.release:
	case <-ctx.Done():
	}
	return &goods.Nothing{}, ctx.Err()
}

func (r *replica) List(_ context.Context, _ *shop.Query, all *mxp.Sender[shop.Stock]) error {
	return all.Send(&shop.Stock{})
}

func (r *replica) serve(t *testing.T) {
	t.Helper()
	services := mxp.NewServices()
	shop.RegisterShop(services, r)
	r.server = mxp.NewServer(mxp.ServerOptions{Services: services, Admit: func(context.Context, *mxp.Peer) error {
		r.connections.Add(1)
		return nil
	}})
	listener, err := r.server.Listen(r.at)
	if err != nil {
		t.Fatal(err)
	}
	go r.server.Serve(listener)
	t.Cleanup(r.server.Close)
}

// replicated serves at so many addresses, and gives a client of all, once it is connected to
// each.
func replicated(t *testing.T, n int, options mxp.ClientOptions) (all []*replica, client *mxp.Client) {
	t.Helper()
	var addresses []string
	for range n {
		r := &replica{at: places.Free(t), release: make(chan struct{})}
		r.serve(t)
		all, addresses = append(all, r), append(addresses, r.at)
	}
	log := &lines{}
	options.Logger = slog.New(slog.NewTextHandler(log, nil))
	client, err := mxp.DialAny(addresses, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	eventually(t, func() bool { return log.count("mxp: connected") == n*max(options.Connections, 1) })
	return all, client
}

// find makes so many calls, one after the other.
func find(t *testing.T, client *mxp.Client, n int) {
	t.Helper()
	stub, ctx := shop.NewShopClient(client), within(t, patience*10*time.Second)
	for range n {
		if _, err := stub.Find(ctx, &goods.Item{ID: 7}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRequestsGoToAllAddresses(t *testing.T) {
	all, client := replicated(t, 3, mxp.ClientOptions{})
	find(t, client, 300)
	sum := int64(0)
	for _, r := range all {
		if r.calls.Load() < 20 {
			t.Errorf("a server was asked %d times", r.calls.Load())
		}
		sum += r.calls.Load()
	}
	if sum != 300 {
		t.Errorf("%d calls came", sum)
	}
	for range 10 {
		list, err := shop.NewShopClient(client).List(within(t, patience*10*time.Second), &shop.Query{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := list.Recv(); err != nil {
			t.Error(err)
		}
		list.Close()
	}
}

// The connection with fewer requests in flight is asked. [MXP-14.9]
func TestLessBusyOneIsAsked(t *testing.T) {
	all, client := replicated(t, 2, mxp.ClientOptions{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go shop.NewShopClient(client).Sell(ctx, &shop.Stock{})
	busy, idle := all[0], all[1]
	eventually(t, func() bool {
		if idle.server.Stats().InFlightPeer == 1 {
			busy, idle = idle, busy
		}
		return busy.server.Stats().InFlightPeer == 1
	})
	find(t, client, 50)
	if busy.calls.Load() != 0 || idle.calls.Load() != 50 {
		t.Errorf("the busy one was asked %d times, the other %d", busy.calls.Load(), idle.calls.Load())
	}
}

// A server that drains, or is gone, is left out until it is back. [MXP-14.9]
func TestLostAddressIsLeftOut(t *testing.T) {
	all, client := replicated(t, 2, mxp.ClientOptions{})
	gone, other := all[0], all[1]
	done := make(chan error, 1)
	go func() {
		stub, ctx := shop.NewShopClient(client), within(t, patience*10*time.Second)
		for range 200 {
			if _, err := stub.Find(ctx, &goods.Item{}); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	if err := gone.server.Shutdown(within(t, patience*10*time.Second)); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("beside a drain: %v", err)
	}
	before := other.calls.Load()
	find(t, client, 20)
	if n := other.calls.Load() - before; n != 20 {
		t.Errorf("the other one was asked %d times", n)
	}
	before = gone.calls.Load()
	gone.serve(t)
	eventually(t, func() bool { find(t, client, 5); return gone.calls.Load() > before })
}

func TestConnectionsOfAPool(t *testing.T) {
	all, client := replicated(t, 1, mxp.ClientOptions{Connections: 3})
	if n := all[0].connections.Load(); n != 3 {
		t.Errorf("%d connections", n)
	}
	find(t, client, 30)
}

func TestAddressesThatCantBeAreRefused(t *testing.T) {
	for _, all := range [][]string{{}, {"mxp+tcp://a:1", "nowhere"}} {
		if _, err := mxp.DialAny(all, mxp.ClientOptions{}); !errors.Is(err, session.ErrAddressInvalid) {
			t.Errorf("%q: %v", all, err)
		}
	}
	if _, err := mxp.DialAny([]string{"mxp+tcp://a:1"}, mxp.ClientOptions{Connections: -1}); err == nil {
		t.Error("fewer than no connections")
	}
}
