package mxp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/goods"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/shop"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// callsBack serves demo.Back, whose handlers ask the shop that their client serves; and tells
// of the clients that they have.
func callsBack() (services *mxp.Services, kept chan *mxp.Client) {
	services, kept = mxp.NewServices(), make(chan *mxp.Client, 8)
	services.Service("demo.Back").
		Call(1, func(ctx context.Context, r *mxp.Request) ([]byte, error) {
			kept <- r.Client()
			stock, err := shop.NewShopClient(mxp.RequestFrom(ctx).Client()).Find(ctx, &goods.Item{ID: 7})
			if err != nil {
				return nil, err
			}
			return []byte{byte(stock.Item.ID)}, nil
		}).
		Event(2, func(ctx context.Context, r *mxp.Request) error { // its client waits, and is asked meanwhile
			return shop.NewShopClient(r.Client()).Noticed(ctx, &shop.Notice{Value: &shop.NoticeSold{}}, mxp.WithAck())
		}).
		Stream(3, func(ctx context.Context, r *mxp.Request, s *mxp.Stream) error {
			list, err := shop.NewShopClient(r.Client()).List(ctx, &shop.Query{First: 20, Last: 22})
			if err != nil {
				return err
			}
			for one, err := range list.All() {
				if err != nil {
					return err
				}
				if err := s.Send(ctx, []byte{byte(one.Item.ID)}); err != nil {
					return err
				}
			}
			return nil
		})
	return services, kept
}

func TestServerAsksItsClient(t *testing.T) {
	services, kept := callsBack()
	server, at := open(t, places.Plain, mxp.ServerOptions{Services: services, Types: shop.ShopTypes()})
	k, own := &keeper{left: make(chan struct{}, 16)}, mxp.NewServices()
	shop.RegisterShop(own, k)
	client := dialled(t, at, mxp.ClientOptions{Services: own})
	ctx := within(t, patience*10*time.Second)
	for range 2 {
		if reply, err := client.Call(ctx, "demo.Back", 1, nil); err != nil || string(reply.Value) != "\x07" {
			t.Fatalf("a call: %v, %v", reply, err)
		}
	}
	back := <-kept
	if back == nil || back != <-kept {
		t.Error("two requests of a connection have different clients")
	}
	if err := client.Event(ctx, "demo.Back", 2, nil, mxp.WithAck()); err != nil || len(k.noticed()) != 1 {
		t.Errorf("an event: %v, %v", k.noticed(), err)
	}
	stream, err := client.Open(ctx, "demo.Back", 3, nil, mxp.WithoutChunks())
	if err != nil {
		t.Fatal(err)
	}
	for id := byte(20); id <= 22; id++ {
		if value, err := stream.Recv(ctx); err != nil || len(value) != 1 || value[0] != id {
			t.Errorf("a stream: %v, %v", value, err)
		}
	}

	back.Close() // which does nothing
	if err := back.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	if _, err := shop.NewShopClient(back).Find(ctx, &goods.Item{ID: 8}); err != nil {
		t.Errorf("beside a handler: %v", err)
	}
	if stats := back.Stats(); stats.Calls.Count != 3 {
		t.Errorf("%d calls are counted", stats.Calls.Count)
	}
	client.Close()
	eventually(t, func() bool { stats := server.Stats(); return stats.HeldBytes == 0 })
	began := time.Now()
	_, err = shop.NewShopClient(back).Find(ctx, &goods.Item{ID: 8})
	if f := fails(t, err, session.StatusUnavailable, "session_closed", false); !strings.HasPrefix(f.Peer, at) {
		t.Errorf("it fails at %s", f.Peer)
	}
	if !errors.Is(back.Ready(ctx), session.ErrClosed) || time.Since(began) > patience*4*time.Second {
		t.Errorf("what asks nobody any more waits for %v", time.Since(began))
	}
}

// A client that a handler has kept holds no drain.
func TestServerThatAsksItsClientDrains(t *testing.T) {
	services, kept := callsBack()
	server, at := open(t, places.Plain, mxp.ServerOptions{Services: services})
	own := mxp.NewServices()
	shop.RegisterShop(own, &keeper{left: make(chan struct{}, 16)})
	client := dialled(t, at, mxp.ClientOptions{Services: own})
	ctx := within(t, patience*10*time.Second)
	if _, err := client.Call(ctx, "demo.Back", 1, nil); err != nil {
		t.Fatal(err)
	}
	if err := server.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	_, err := shop.NewShopClient(<-kept).Find(ctx, &goods.Item{ID: 8})
	fails(t, err, session.StatusUnavailable, "session_closed", false)
}

// A client that serves nothing is asked in vain.
func TestClientThatServesNothingIsAskedInVain(t *testing.T) {
	services, _ := callsBack()
	_, at := open(t, places.Plain, mxp.ServerOptions{Services: services})
	_, err := dialled(t, at, mxp.ClientOptions{}).Call(within(t, patience*10*time.Second), "demo.Back", 1, nil)
	fails(t, err, session.StatusUnimplemented, "service_unknown", true)
}
