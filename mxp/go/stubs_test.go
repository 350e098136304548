package mxp_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/goods"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/shop"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// longName is one that can't be encoded.
const longName = "longer than an item's name may be"

// keeper serves shop.Shop.
type keeper struct {
	shop.UnimplementedShop

	mu      sync.Mutex
	notices []uint8       // their tags
	left    chan struct{} // told when a stream's context has ended
}

func (*keeper) Find(_ context.Context, item *goods.Item) (*shop.Stock, error) {
	switch item.ID {
	case 0:
		return nil, nil
	case 1:
		item.Name = longName
	}
	return &shop.Stock{Item: *item, Count: 3}, nil
}

func (k *keeper) List(ctx context.Context, q *shop.Query, all *mxp.Sender[shop.Stock]) error {
	for id := q.First; id <= q.Last; id++ {
		one := &shop.Stock{Item: goods.Item{ID: id, Name: strconv.FormatUint(id, 10)}}
		if id == 13 {
			one.Item.Name = longName
			all.Send(one) // and the handler goes on, as if it could
			continue
		}
		if err := all.Send(one); err != nil {
			<-ctx.Done()
			k.left <- struct{}{}
			return err
		}
	}
	return nil
}

func (*keeper) Deliver(_ context.Context, all *mxp.Receiver[shop.Stock]) (*shop.Stock, error) {
	sum := &shop.Stock{}
	for one, err := range all.All() {
		if err != nil {
			return nil, err
		}
		if sum.Count += one.Count; one.Item.ID == 99 {
			break // the rest is not looked at
		}
	}
	return sum, nil
}

func (*keeper) AskURL(_ context.Context, asked *mxp.Receiver[shop.Query], found *mxp.Sender[goods.Item]) error {
	for q, err := range asked.All() {
		if err != nil {
			return err
		}
		if err := found.Send(&goods.Item{ID: q.First + q.Last}); err != nil {
			return err
		}
	}
	return nil
}

func (k *keeper) Noticed(_ context.Context, n *shop.Notice) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.notices = append(k.notices, n.Value.Tag())
	return nil
}

// noticed are the tags of the notices that came.
func (k *keeper) noticed() []uint8 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.notices)
}

// isTold waits until the context of a stream's handler has ended.
func (k *keeper) isTold(t *testing.T) {
	t.Helper()
	select {
	case <-k.left:
	case <-time.After(patience * 10 * time.Second):
		t.Fatal("the handler is not told")
	}
}

// served serves services over a unix socket, and gives a client of them.
func served(t *testing.T, services *mxp.Services, options mxp.ClientOptions) *mxp.Client {
	t.Helper()
	server := mxp.NewServer(mxp.ServerOptions{Services: services})
	at := places.Free(t)
	listener, err := server.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	t.Cleanup(server.Close)
	client, err := mxp.Dial(at, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func opened(t *testing.T) (*keeper, *mxp.Client, *shop.ShopClient) {
	t.Helper()
	k, services := &keeper{left: make(chan struct{}, 16)}, mxp.NewServices()
	shop.RegisterShop(services, k)
	client := served(t, services, mxp.ClientOptions{Types: shop.ShopTypes()})
	return k, client, shop.NewShopClient(client)
}

// fails holds why something has failed against what it should be.
func fails(t *testing.T, err error, status session.Status, name string, acted bool) *mxp.Failure {
	t.Helper()
	var f *mxp.Failure
	if !errors.As(err, &f) {
		t.Fatalf("got %v, want %s", err, name)
	}
	if f.Status != status || f.Name != name || f.Acted != acted {
		t.Errorf("got status %d, %s, acted %t, want %d, %s, %t", f.Status, f, f.Acted, status, name, acted)
	}
	return f
}

func TestEveryKindOfMethodByItsStub(t *testing.T) {
	k, _, client := opened(t)
	ctx := within(t, patience*10*time.Second)
	stock, err := client.Find(ctx, &shop.Article{ID: 7, Name: "lamp"})
	if err != nil || stock.Item.ID != 7 || stock.Item.Name != "lamp" || stock.Count != 3 {
		t.Errorf("find: %v, %v", stock, err)
	}
	var ids []uint64
	list, err := client.List(ctx, &shop.Query{First: 1, Last: 3})
	if err != nil {
		t.Fatal(err)
	}
	for one, err := range list.All() {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, one.Item.ID)
	}
	if !slices.Equal(ids, []uint64{1, 2, 3}) {
		t.Errorf("list: %d", ids)
	}
	delivery, err := client.Deliver(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint32(4) {
		if err := delivery.Send(&shop.Stock{Count: n}); err != nil {
			t.Fatal(err)
		}
	}
	if sum, err := delivery.CloseAndRecv(); err != nil || sum.Count != 6 {
		t.Errorf("deliver: %v, %v", sum, err)
	}
	talk, err := client.AskURL(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint64(100) {
		if err := talk.Send(&shop.Query{First: n, Last: n}); err != nil {
			t.Fatal(err)
		}
		if one, err := talk.Recv(); err != nil || one.ID != 2*n {
			t.Fatalf("ask_url: %v, %v", one, err)
		}
	}
	if err := talk.CloseSend(); err != nil {
		t.Error(err)
	}
	if _, err := talk.Recv(); !errors.Is(err, io.EOF) {
		t.Errorf("the stream ends with %v", err)
	}
	for _, n := range []*shop.Notice{{Value: &shop.NoticeSold{}}, {Value: &shop.NoticeClosing{InMinutes: 5}}} {
		if err := client.Noticed(ctx, n, mxp.WithAck()); err != nil {
			t.Error(err)
		}
	}
	if tags := k.noticed(); !slices.Equal(tags, []uint8{1, 2}) {
		t.Errorf("noticed: %d", tags)
	}
	_, err = client.Sell(ctx, stock)
	fails(t, err, session.StatusUnimplemented, "method_unknown", false)
}

func TestHandlerThatAnswersNothingFails(t *testing.T) {
	_, _, client := opened(t)
	_, err := client.Find(within(t, patience*10*time.Second), &goods.Item{})
	fails(t, err, session.StatusInternal, "unknown", true)
}

func TestResponseComesThoughTheHandlerReadsNoMore(t *testing.T) {
	_, _, client := opened(t)
	delivery, err := client.Deliver(within(t, patience*10*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	for n := uint64(90); ; n++ {
		if delivery.Send(&shop.Stock{Item: goods.Item{ID: n}, Count: 1}) != nil {
			break // the handler has returned
		}
		time.Sleep(100 * time.Microsecond)
	}
	if sum, err := delivery.CloseAndRecv(); err != nil || sum.Count != 10 {
		t.Errorf("got %v, %v", sum, err)
	}
}

func TestLeavingALoopEndsTheStream(t *testing.T) {
	k, client, stub := opened(t)
	ctx := within(t, patience*10*time.Second)
	list, err := stub.List(ctx, &shop.Query{First: 100, Last: 1 << 60})
	if err != nil {
		t.Fatal(err)
	}
	for one, err := range list.All() {
		if err != nil || one.Item.ID != 100 {
			t.Fatalf("got %v, %v", one, err)
		}
		break
	}
	k.isTold(t)
	_, err = list.Recv()
	fails(t, err, session.StatusCancelled, "cancelled", true)
	eventually(t, func() bool { return client.Stats().InFlightHere == 0 })
}

func TestStreamEndsWithItsContext(t *testing.T) {
	k, _, stub := opened(t)
	ctx, cancel := context.WithCancel(within(t, patience*10*time.Second))
	defer cancel()
	list, err := stub.List(ctx, &shop.Query{First: 100, Last: 1 << 60})
	if err != nil {
		t.Fatal(err)
	}
	var last error
	for _, last = range list.All() {
		cancel()
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("the stream ends with %v", last)
	}
	k.isTold(t)
}
