package mxp_test

import (
	"context"
	"strings"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/goods"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/shop"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// garbage is no value of any type of the shop.
var garbage = []byte{1, 2, 3}

func TestRequestsThatCannotBeDecodedAreRefused(t *testing.T) {
	k, client, _ := opened(t)
	ctx := within(t, patience*10*time.Second)
	refused := func(err error, name, where string, acted bool) {
		t.Helper()
		f := fails(t, err, session.StatusInvalidArgument, name, acted)
		// As the other languages say it.
		if f.Text != name+" "+where {
			t.Errorf("the text is %q, want %q", f.Text, name+" "+where)
		}
	}
	_, err := client.Call(ctx, shop.ShopName, shop.ShopFindMethod, garbage)
	refused(err, "segment_partial", "at byte 0 in id", false)
	refused(client.Event(ctx, shop.ShopName, shop.ShopNoticedMethod, garbage[:1], mxp.WithAck()), "truncated", "at byte 1", false)
	list, err := client.Open(ctx, shop.ShopName, shop.ShopListMethod, garbage, mxp.WithoutChunks())
	if err != nil {
		t.Fatal(err)
	}
	_, err = list.Recv(ctx)
	refused(err, "truncated", "at byte 0 in first", false)

	delivery, err := client.Open(ctx, shop.ShopName, shop.ShopDeliverMethod, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := delivery.Send(ctx, garbage); err != nil {
		t.Fatal(err)
	}
	_, err = delivery.Recv(ctx)
	refused(err, "segment_partial", "at byte 0 in item", true)
	if len(k.noticed()) > 0 {
		t.Error("a handler was given what can't be decoded")
	}
}

// liar serves shop.Shop with answers that are no values of their types.
func liar(t *testing.T) (stub *shop.ShopClient, ended chan struct{}) {
	ended = make(chan struct{}, 16)
	services := mxp.NewServices()
	services.Service(shop.ShopName).
		Call(shop.ShopFindMethod, func(context.Context, *mxp.Request) ([]byte, error) { return garbage, nil }).
		Stream(shop.ShopListMethod, func(ctx context.Context, _ *mxp.Request, s *mxp.Stream) error {
			s.Send(ctx, garbage)
			s.Send(ctx, garbage)
			<-ctx.Done()
			ended <- struct{}{}
			return ctx.Err()
		}).
		Stream(shop.ShopDeliverMethod, func(ctx context.Context, r *mxp.Request, s *mxp.Stream) error {
			if len(r.Metadata) == 0 {
				return nil
			}
			value, _ := (&shop.Stock{Count: 1}).MarshalBinary()
			s.Send(ctx, value)
			return s.Send(ctx, value)
		})
	return shop.NewShopClient(served(t, services, mxp.ClientOptions{})), ended
}

func TestResponsesThatCannotBeDecodedEndTheRequest(t *testing.T) {
	stub, ended := liar(t)
	ctx := within(t, patience*10*time.Second)
	_, err := stub.Find(ctx, &goods.Item{})
	if f := fails(t, err, session.StatusDataLoss, "segment_partial", true); !strings.Contains(f.Text, "at byte") {
		t.Errorf("the text %q has no offset", f.Text)
	}
	list, err := stub.List(ctx, &shop.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // it stays so
		_, err = list.Recv()
		fails(t, err, session.StatusDataLoss, "segment_partial", true)
	}
	select {
	case <-ended:
	case <-ctx.Done():
		t.Error("the stream is not cancelled")
	}
}

func TestStreamsOfOneResponseHaveExactlyOne(t *testing.T) {
	stub, _ := liar(t)
	ctx := within(t, patience*10*time.Second)
	for _, options := range [][]mxp.Option{nil, {mxp.WithMetadata("twice", nil)}} {
		delivery, err := stub.Deliver(ctx, options...)
		if err != nil {
			t.Fatal(err)
		}
		_, err = delivery.CloseAndRecv()
		fails(t, err, session.StatusInternal, "stream_responses", true)
	}
}

func TestValuesThatCannotBeEncodedAreNotSent(t *testing.T) {
	_, client, stub := opened(t)
	ctx := within(t, patience*10*time.Second)
	long := goods.Item{ID: 5, Name: longName}
	_, err := stub.Find(ctx, &long)
	f := fails(t, err, session.StatusInvalidArgument, "limit_max", false)
	if !strings.Contains(f.Text, "name") {
		t.Errorf("the text %q has no path", f.Text)
	}
	fails(t, stub.Noticed(ctx, &shop.Notice{}), session.StatusInvalidArgument, "value_invalid", false)
	if n := client.Stats().Calls.Count; n != 0 {
		t.Errorf("%d calls were made", n)
	}
	delivery, err := stub.Deliver(ctx)
	if err != nil {
		t.Fatal(err)
	}
	fails(t, delivery.Send(&shop.Stock{Item: long}), session.StatusInvalidArgument, "limit_max", true)
	if err := delivery.Send(&shop.Stock{Count: 2}); err != nil {
		t.Fatal(err)
	}
	if sum, err := delivery.CloseAndRecv(); err != nil || sum.Count != 2 {
		t.Errorf("what can be encoded is sent: %v, %v", sum, err)
	}
}

func TestResponsesThatCannotBeEncodedFail(t *testing.T) {
	_, _, stub := opened(t)
	ctx := within(t, patience*10*time.Second)
	_, err := stub.Find(ctx, &goods.Item{ID: 1})
	fails(t, err, session.StatusInternal, "limit_max", true)

	list, err := stub.List(ctx, &shop.Query{First: 12, Last: 20})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err = range list.All() {
		n++
	}
	fails(t, err, session.StatusInternal, "limit_max", true)
	if n > 2 {
		t.Errorf("%d values came, and the failure", n-1)
	}
}
