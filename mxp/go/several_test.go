package mxp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/goods"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/shop"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// wholesale serves shop.Shop, many values at once.
type wholesale struct{ shop.UnimplementedShop }

func (wholesale) AskURL(_ context.Context, asked *mxp.Receiver[shop.Query], found *mxp.Sender[goods.Item]) error {
	queries, items := make([]shop.Query, 300), make([]goods.Item, 300)
	for {
		n, err := asked.RecvBatch(queries)
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		for i, q := range queries[:n] {
			items[i].ID = q.First
		}
		if sent, err := found.SendBatch(items[:n]); err != nil || sent != n {
			return fmt.Errorf("%d of %d were sent: %w", sent, n, err)
		}
	}
}

// List sends stock until one that can't be encoded, and says how many it could.
func (wholesale) List(_ context.Context, q *shop.Query, all *mxp.Sender[shop.Stock]) error {
	stock := make([]shop.Stock, q.Last)
	for i := range stock {
		stock[i].Item.ID = uint64(i)
	}
	stock[q.First].Item.Name = longName
	sent, err := all.SendBatch(stock)
	if err == nil || sent != int(q.First) {
		panic(fmt.Sprint(sent, err))
	}
	return err
}

// Deliver takes no more than 10 pieces, and answers then.
func (wholesale) Deliver(ctx context.Context, all *mxp.Receiver[shop.Stock]) (*shop.Stock, error) {
	sum := &shop.Stock{}
	for one, err := range all.All() {
		if err != nil {
			return nil, err
		}
		if one.Item.ID == 99 {
			<-ctx.Done()
		}
		if sum.Count += one.Count; one.Item.ID == 98 {
			return nil, mxp.Refuse(mxp.Failure{Status: session.StatusResourceExhausted, Name: "full"})
		}
	}
	return sum, nil
}

func wholesaler(t *testing.T, options mxp.ClientOptions) *shop.ShopClient {
	t.Helper()
	services := mxp.NewServices()
	shop.RegisterShop(services, wholesale{})
	return shop.NewShopClient(served(t, services, options))
}

// queries gives some, each in the same value.
func queries(from, to uint64) iter.Seq[*shop.Query] {
	return func(yield func(*shop.Query) bool) {
		var one shop.Query
		for one.First = from; one.First < to && yield(&one); one.First++ {
		}
	}
}

// Values that are sent in slices and by an iterator, and are received in slices, come in their
// order, also where the peer takes no batches.
func TestManyValuesAtOnceComeInOrder(t *testing.T) {
	for _, without := range []bool{false, true} {
		t.Run(fmt.Sprint(without), func(t *testing.T) {
			const many = 50_000
			client := wholesaler(t, mxp.ClientOptions{NoBatches: without})
			stream, err := client.AskURL(within(t, patience*20*time.Second))
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() {
				slice := make([]shop.Query, many)
				for i := range slice {
					slice[i].First = uint64(i)
				}
				sent, err := stream.SendBatch(slice)
				if err != nil || sent != many {
					ended <- fmt.Errorf("%d were sent: %w", sent, err)
					return
				}
				if sent, err = stream.SendAll(queries(many, 2*many)); err != nil || sent != many {
					ended <- fmt.Errorf("%d were sent: %w", sent, err)
					return
				}
				ended <- stream.CloseSend()
			}()
			got, most := uint64(0), 0
			for items := make([]goods.Item, 1000); ; {
				n, err := stream.RecvBatch(items)
				if errors.Is(err, io.EOF) && n == 0 {
					break
				}
				if err != nil || n == 0 {
					t.Fatal(n, err)
				}
				most = max(most, n)
				for _, item := range items[:n] {
					if item.ID != got {
						t.Fatalf("%d comes where %d is due", item.ID, got)
					}
					got++
				}
			}
			if err := <-ended; err != nil || got != 2*many {
				t.Error(got, err)
			}
			if most < 2 {
				t.Error("values were received one by one alone")
			}
		})
	}
}

func stocked(ids ...uint64) (all []shop.Stock) {
	for _, id := range ids {
		all = append(all, shop.Stock{Item: goods.Item{ID: id}, Count: 1})
	}
	return all
}

func TestValueThatCannotBeEncodedEndsABatch(t *testing.T) {
	client, ctx := wholesaler(t, mxp.ClientOptions{}), within(t, patience*20*time.Second)
	stream, err := client.Deliver(ctx)
	if err != nil {
		t.Fatal(err)
	}
	all := stocked(make([]uint64, 1000)...)
	all[700].Item.Name = longName
	var failure *mxp.Failure
	sent, err := stream.SendBatch(all)
	if sent != 700 || !errors.As(err, &failure) || failure.Status != session.StatusInvalidArgument {
		t.Fatal(sent, err)
	}
	if sent, err = stream.SendBatch(all[701:]); sent != 299 || err != nil { // the stream goes on
		t.Fatal(sent, err)
	}
	if sum, err := stream.CloseAndRecv(); err != nil || sum.Count != 999 {
		t.Fatal(sum, err)
	}
	list, err := client.List(ctx, &shop.Query{First: 700, Last: 1000})
	if err != nil {
		t.Fatal(err)
	}
	into, came := make([]shop.Stock, 64), 0
	for err == nil {
		var n int
		if n, err = list.RecvBatch(into); n > 0 && into[n-1].Item.ID != uint64(came+n-1) {
			t.Fatalf("%d after %d values", into[n-1].Item.ID, came+n-1)
		}
		came += n
	}
	if came != 700 || !errors.As(err, &failure) || failure.Status != session.StatusInternal {
		t.Fatal(came, err)
	}
}

// A batch on a stream that its peer ends, or reads no further, says how many were sent.
func TestBatchSaysHowManyWereSent(t *testing.T) {
	client := wholesaler(t, mxp.ClientOptions{})
	t.Run("ended", func(t *testing.T) {
		stream, err := client.Deliver(within(t, patience*20*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		all := stocked(slices.Repeat([]uint64{1, 98, 1, 1}, 25_000)...)
		sent, err := stream.SendBatch(all)
		if sent == len(all) || err == nil {
			t.Fatal(sent, err)
		}
		var failure *mxp.Failure
		if _, err := stream.CloseAndRecv(); !errors.As(err, &failure) || failure.Name != "full" {
			t.Fatal(err)
		}
	})
	const window = 16 << 10
	for name, send := range map[string]func(*mxp.ClientStream[shop.Stock, shop.Stock]) (int, error){
		"slice": func(s *mxp.ClientStream[shop.Stock, shop.Stock]) (int, error) {
			return s.SendBatch(stocked(slices.Repeat([]uint64{1}, 2*window)...))
		},
		"iterator": func(s *mxp.ClientStream[shop.Stock, shop.Stock]) (int, error) {
			one := stocked(1)
			return s.SendAll(func(yield func(*shop.Stock) bool) {
				for yield(&one[0]) {
				}
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(within(t, patience*20*time.Second))
			stream, err := client.Deliver(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if err := stream.Send(&stocked(99)[0]); err != nil { // which its reader stops at
				t.Fatal(err)
			}
			time.AfterFunc(200*time.Millisecond, cancel)
			if sent, err := send(stream); sent != window-1 || !errors.Is(err, context.Canceled) {
				t.Fatal(sent, err)
			}
		})
	}
}

// A chunk that the window never lets through is refused in the middle of a batch, and the
// stream goes on behind it; large ones are sent as they are.
func TestBatchOfChunksOfAllSizes(t *testing.T) {
	r := start(t, places.Plain, mxp.ServerOptions{StreamWindow: 200_000})
	ctx := within(t, patience*20*time.Second)
	stream, err := r.client.Open(ctx, "demo.Echo", 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	var values [][]byte
	for _, size := range []int{0, 1, 4096, 4097, 50_000, 3, 4096, 8192, 100_001, 7, 70_000} {
		values = append(values, slices.Repeat([]byte{'A' + byte(size%26)}, size))
	}
	if sent, err := stream.SendBatch(ctx, values); sent != 8 || !errors.Is(err, session.ErrStreamWindow) {
		t.Fatal(sent, err)
	}
	if sent, err := stream.SendBatch(ctx, values[9:]); sent != 2 || err != nil {
		t.Fatal(sent, err)
	}
	if sent, err := stream.SendAll(ctx, slices.Values(values[:4])); sent != 4 || err != nil {
		t.Fatal(sent, err)
	}
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	want := slices.Concat(values[:8], values[9:], values[:4])
	into := make([][]byte, 3)
	n, err := stream.RecvBatch(ctx, into)
	if err != nil || n == 0 {
		t.Fatal(n, err)
	}
	got := slices.Clone(into[:n])
	for value, err := range stream.All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, value)
	}
	if !slices.EqualFunc(got, want, func(a, b []byte) bool { return string(a) == string(b) }) {
		t.Errorf("%d values came, which are not those that were sent", len(got))
	}
}

// Values before one that can't be decoded are received; then its failure is, again and again.
func TestBatchEndsBeforeAValueThatCannotBeDecoded(t *testing.T) {
	services := mxp.NewServices()
	services.Service(shop.ShopName).Stream(3, func(ctx context.Context, _ *mxp.Request, s *mxp.Stream) error {
		good, err := (&shop.Stock{Count: 7}).AppendBinary(nil)
		if err != nil {
			return err
		}
		_, err = s.SendBatch(ctx, [][]byte{good, good, good, {1}, good})
		return err
	})
	list, err := shop.NewShopClient(served(t, services, mxp.ClientOptions{})).List(within(t, patience*20*time.Second), &shop.Query{})
	if err != nil {
		t.Fatal(err)
	}
	came := 0
	for into := make([]shop.Stock, 10); err == nil; {
		var n int
		n, err = list.RecvBatch(into)
		came += n
	}
	var failure *mxp.Failure
	if came != 3 || !errors.As(err, &failure) || failure.Status != session.StatusDataLoss {
		t.Fatal(came, err)
	}
	if n, again := list.RecvBatch(make([]shop.Stock, 1)); n != 0 || again == nil || again.Error() != err.Error() {
		t.Error(n, again)
	}
}

// Neither side allocates for each value of a stream that flows.
func TestValuesOfAStreamAreNotAllocated(t *testing.T) {
	client := wholesaler(t, mxp.ClientOptions{})
	stream, err := client.AskURL(within(t, patience*30*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	all, into := make([]shop.Query, 4000), make([]goods.Item, 1000)
	for name, send := range map[string]func() (int, error){
		"slice": func() (int, error) { return stream.SendBatch(all) },
		"each": func() (int, error) {
			for i := range all {
				if err := stream.Send(&all[i]); err != nil {
					return i, err
				}
			}
			return len(all), nil
		},
	} {
		turn := func() {
			if sent, err := send(); sent != len(all) || err != nil {
				t.Fatal(sent, err)
			}
			for came := 0; came < len(all); {
				n, err := stream.RecvBatch(into)
				if err != nil {
					t.Fatal(err)
				}
				came += n
			}
		}
		turn()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		const turns = 20
		for range turns {
			turn()
		}
		runtime.ReadMemStats(&after)
		each := float64(after.Mallocs-before.Mallocs) / float64(2*turns*len(all))
		t.Logf("%s: %.4f allocations for each value", name, each)
		if each > 0.05 {
			t.Errorf("%s: %.3f allocations for each value", name, each)
		}
	}
}

// Events of a batch come in their order, with events that are too long to share a frame among them;
// each is counted as a request.
func TestEventsOfABatchComeInOrder(t *testing.T) {
	for _, without := range []bool{false, true} {
		t.Run(fmt.Sprint(without), func(t *testing.T) {
			var mu sync.Mutex
			var came [][]byte
			services := mxp.NewServices()
			services.Service("demo.Echo").Event(4, func(_ context.Context, r *mxp.Request) error {
				mu.Lock()
				defer mu.Unlock()
				came = append(came, r.Value)
				return nil
			})
			client, ctx := served(t, services, mxp.ClientOptions{NoBatches: without}), within(t, patience*20*time.Second)
			var values [][]byte
			for i := range 3000 {
				value := fmt.Append(nil, i)
				if i%500 == 7 {
					value = slices.Repeat(value, 10_000)
				}
				values = append(values, value)
			}
			if sent, err := client.EventBatch(ctx, "demo.Echo", 4, values); sent != len(values) || err != nil {
				t.Fatal(sent, err)
			}
			eventually(t, func() bool { mu.Lock(); defer mu.Unlock(); return len(came) == len(values) })
			if !slices.EqualFunc(came, values, bytes.Equal) {
				t.Error("they are not those that were sent")
			}
			if m := method(client.Stats(), "4"); m.InFlight != 0 || m.Requests[session.StatusOK] != uint64(len(values)) {
				t.Errorf("the client has counted %+v", m)
			}
			stats := client.Stats()
			if frames := stats.Out.Of(frame.Events).Frames; (frames > 0) == without {
				t.Errorf("%d frames have several", frames)
			}
		})
	}
}

// Interceptors see each event of a batch, and one that asks for its Ack has it.
func TestEventsOfABatchAreRequestsWhereSomebodyLooks(t *testing.T) {
	k, services := &keeper{}, mxp.NewServices()
	shop.RegisterShop(services, k)
	seen := 0
	client := shop.NewShopClient(served(t, services, mxp.ClientOptions{Interceptors: []mxp.Interceptor{
		func(ctx context.Context, r *mxp.Request, next mxp.Handler) (mxp.Reply, error) {
			if seen++; seen == 8 {
				return mxp.Reply{}, mxp.Refuse(mxp.Failure{Status: session.StatusPermissionDenied, Name: "enough"})
			}
			return next(ctx, r)
		},
	}}))
	all := make([]shop.Notice, 10)
	for i := range all {
		all[i].Value = &shop.NoticeSold{}
	}
	var failure *mxp.Failure
	sent, err := client.NoticedBatch(within(t, patience*20*time.Second), all, mxp.WithAck())
	if sent != 7 || len(k.noticed()) != 7 || !errors.As(err, &failure) || failure.Name != "enough" {
		t.Errorf("%d were sent, %d came: %v", sent, len(k.noticed()), err)
	}
}

func TestBatchOfEventsSaysHowManyWereSent(t *testing.T) {
	k, services := &keeper{}, mxp.NewServices()
	shop.RegisterShop(services, k)
	raw := served(t, services, mxp.ClientOptions{ConnectTimeout: 50 * time.Millisecond})
	client, ctx := shop.NewShopClient(raw), within(t, patience*20*time.Second)
	all := make([]shop.Notice, 1000)
	for i := range all {
		all[i].Value = &shop.NoticeSold{}
	}
	all[600].Value = &shop.NoticeSold{Value: goods.Item{Name: longName}}
	var failure *mxp.Failure
	sent, err := client.NoticedBatch(ctx, all)
	if sent != 600 || !errors.As(err, &failure) || failure.Status != session.StatusInvalidArgument || failure.Acted {
		t.Fatal(sent, err)
	}
	eventually(t, func() bool { return len(k.noticed()) == 600 })
	sent, err = raw.EventBatch(ctx, shop.ShopName, 65535, [][]byte{{1}, make([]byte, 17<<20), {1}})
	if sent != 1 || !errors.Is(err, session.ErrPayloadTooLarge) {
		t.Fatal(sent, err)
	}
	if sent, err = raw.EventBatch(ctx, "demo.Nobody", 1, make([][]byte, 3)); sent != 0 || !errors.Is(err, session.ErrServiceUnknown) {
		t.Fatal(sent, err)
	}
	raw.Close()
	if sent, err = client.NoticedBatch(ctx, all[:600]); sent != 0 || !errors.As(err, &failure) || failure.Acted {
		t.Fatal(sent, err)
	}
}

// Events that find no room wait for it, or are dropped as it was said.
func TestBatchOfEventsWaitsForRoom(t *testing.T) {
	for name, options := range map[string][]mxp.Option{"waits": nil, "drops": {mxp.DropNewest()}} {
		t.Run(name, func(t *testing.T) {
			var came atomic.Int64
			services := mxp.NewServices()
			services.Service("demo.Echo").Event(4, func(context.Context, *mxp.Request) error { came.Add(1); return nil })
			client := served(t, services, mxp.ClientOptions{Limits: session.Limits{QueueBytes: 5000}})
			const many = 20_000
			sent, err := client.EventBatch(within(t, patience*20*time.Second), "demo.Echo", 4, make([][]byte, many), options...)
			if sent != many || err != nil {
				t.Fatal(sent, err)
			}
			eventually(t, func() bool { return int(came.Load())+int(client.Stats().Dropped) == many })
			if drops := client.Stats().Dropped > 0; drops != (options != nil) {
				t.Errorf("%d were dropped", client.Stats().Dropped)
			}
		})
	}
}
