package reflection_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/health"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/shop"
	"github.com/serial-data-protocol/sdp/mxp/go/reflection"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// [MXP-13.10]
func TestServicesAreDescribed(t *testing.T) {
	services := mxp.NewServices()
	shop.RegisterShop(services, shop.UnimplementedShop{})
	reflection.Serve(services)
	health.Serve(services)
	services.Service("demo.Plain").
		Stream(9, func(context.Context, *mxp.Request, *mxp.Stream) error { return nil }).
		Event(2, func(context.Context, *mxp.Request) error { return nil })
	server := mxp.NewServer(mxp.ServerOptions{Services: services})
	at := places.Free(t)
	listener, err := server.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	defer server.Close()
	client, err := mxp.Dial(at, mxp.ClientOptions{Types: reflection.ReflectionTypes()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	stub := reflection.NewReflectionClient(client)

	list, err := stub.List(ctx, &reflection.ListRequest{})
	if want := []string{shop.ShopName, reflection.ReflectionName, health.HealthName, "demo.Plain"}; err != nil || !slices.Equal(list.Names, want) {
		t.Errorf("%v, %v", list, err)
	}
	got, err := stub.Describe(ctx, &reflection.DescribeRequest{Service: shop.ShopName})
	if err != nil {
		t.Fatal(err)
	}
	value := func(name string, flows bool) reflection.Value {
		return reflection.Value{Type: "golden." + name, Flows: flows}
	}
	to := func(name string, flows bool) *reflection.Value { v := value(name, flows); return &v }
	want := reflection.Service{Name: shop.ShopName, Methods: []reflection.Method{
		{Name: "find", Number: 1, Idempotent: true, Request: value("goods.Item", false), Response: to("shop.Stock", false)},
		{Name: "sell", Number: 2, Request: value("shop.Stock", false), Response: to("goods.Nothing", false)},
		{Name: "list", Number: 3, Kind: reflection.KindStream, Request: value("shop.Query", false), Response: to("shop.Stock", true)},
		{Name: "deliver", Number: 4, Kind: reflection.KindStream, Request: value("shop.Stock", true), Response: to("shop.Stock", false)},
		{Name: "ask_url", Number: 5, Kind: reflection.KindStream, Request: value("shop.Query", true), Response: to("goods.Item", true)},
		{Name: "findOld", Number: 7, Request: value("goods.Item", false), Response: to("shop.Stock", false)},
		{Name: "CLEAN_up", Number: 8, Kind: reflection.KindEvent, Request: value("goods.Nothing", false)},
		{Name: "noticed", Number: 65535, Kind: reflection.KindEvent, Request: value("shop.Notice", false)},
	}}
	for _, known := range shop.ShopTypes() {
		want.Types = append(want.Types, reflection.Type{Name: known.Name, Fingerprints: known.Fingerprints, Layout: known.Layout})
	}
	if !got.Equal(&want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}

	// Methods that were registered by numbers are known by those.
	got, err = stub.Describe(ctx, &reflection.DescribeRequest{Service: "demo.Plain"})
	want = reflection.Service{Name: "demo.Plain", Methods: []reflection.Method{
		{Number: 2, Kind: reflection.KindEvent}, {Number: 9, Kind: reflection.KindStream, Response: &reflection.Value{}},
	}}
	if err != nil || !got.Equal(&want) {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err = stub.Describe(ctx, &reflection.DescribeRequest{Service: "demo.Other"})
	var f *mxp.Failure
	if !errors.As(err, &f) || !errors.Is(f, session.ErrServiceUnknown) || f.Status != session.StatusUnimplemented || f.Acted {
		t.Errorf("got %v", err)
	}
}

// An answer is as long as it is: who takes less is refused it, and goes on. [MXP-13.10]
func TestDescriptionThatThePeerDoesNotTakeIsRefused(t *testing.T) {
	services := mxp.NewServices()
	shop.RegisterShop(services, shop.UnimplementedShop{})
	reflection.Serve(services)
	server := mxp.NewServer(mxp.ServerOptions{Services: services})
	at := places.Free(t)
	listener, err := server.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	defer server.Close()
	client, err := mxp.Dial(at, mxp.ClientOptions{Types: reflection.ReflectionTypes(), PayloadBytes: 500})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	stub := reflection.NewReflectionClient(client)
	_, err = stub.Describe(ctx, &reflection.DescribeRequest{Service: shop.ShopName})
	var f *mxp.Failure
	if !errors.As(err, &f) || !errors.Is(f, session.ErrPayloadTooLarge) || f.Status != session.StatusOutOfRange || !f.Acted {
		t.Errorf("got %v", err)
	}
	if list, err := stub.List(ctx, &reflection.ListRequest{}); err != nil || len(list.Names) != 2 {
		t.Errorf("%v, %v", list, err)
	}
}
