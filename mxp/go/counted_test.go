package mxp_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/goods"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/shop"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// method are the counters of one, by the last part of its name.
func method(stats session.Stats, name string) session.MethodStats {
	for _, m := range stats.Methods {
		if m.Method == name {
			return m
		}
	}
	return session.MethodStats{}
}

// Both sides count requests by method and status, their times, and the requests in flight.
func TestRequestsAreCountedByMethod(t *testing.T) {
	k, services := &keeper{left: make(chan struct{}, 16)}, mxp.NewServices()
	shop.RegisterShop(services, k)
	services.Service("demo.Plain").Call(9, func(context.Context, *mxp.Request) ([]byte, error) { panic("told") })
	server, at := open(t, places.Plain, mxp.ServerOptions{Services: services})
	client := dialled(t, at, mxp.ClientOptions{})
	stub, ctx := shop.NewShopClient(client), within(t, patience*10*time.Second)
	for range 3 {
		if _, err := stub.Find(ctx, &goods.Item{ID: 7}); err != nil {
			t.Fatal(err)
		}
	}
	stub.Find(ctx, &goods.Item{}) // whose handler answers nothing
	stub.Sell(ctx, &shop.Stock{}) // which has no code
	client.Call(ctx, "demo.Plain", 9, nil)
	if err := stub.Noticed(ctx, &shop.Notice{Value: &shop.NoticeSold{}}, mxp.WithAck()); err != nil {
		t.Fatal(err)
	}
	list, err := stub.List(ctx, &shop.Query{First: 20, Last: 22})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range list.All() {
		if err != nil {
			t.Error(err)
		}
	}
	endless, err := stub.List(ctx, &shop.Query{First: 100, Last: 1 << 60})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := endless.Recv(); err != nil {
		t.Fatal(err)
	}
	for who, stats := range map[string]session.Stats{"client": client.Stats(), "server": server.Stats()} {
		if m := method(stats, "list"); m.InFlight != 1 {
			t.Errorf("the %s has %+v", who, m)
		}
	}
	endless.Close()
	k.isTold(t)
	want := map[string]map[session.Status]uint64{
		"find":    {session.StatusOK: 3, session.StatusInternal: 1},
		"sell":    {session.StatusUnimplemented: 1},
		"9":       {session.StatusInternal: 1},
		"noticed": {session.StatusOK: 1},
		"list":    {session.StatusOK: 1, session.StatusCancelled: 1},
	}
	for who, stats := range map[string]func() session.Stats{"client": client.Stats, "server": server.Stats} {
		for name, statuses := range want {
			eventually(t, func() bool { m := method(stats(), name); return m.InFlight == 0 })
			m, all := method(stats(), name), uint64(0)
			for _, n := range statuses {
				all += n
			}
			if !maps.Equal(m.Requests, statuses) || m.Took.Count != all || m.Served != (who == "server") {
				t.Errorf("%s: %s has %+v, want %v", who, name, m, statuses)
			}
		}
		if n := len(stats().Methods); n != len(want) {
			t.Errorf("the %s counts %d methods", who, n)
		}
		text := func() string { s := stats(); return s.Prometheus() }()
		for _, line := range []string{
			`mxp_requests_total{side="` + who + `",service="golden.shop.Shop",method="find",status="Internal"} 1`,
			`mxp_requests_total{side="` + who + `",service="demo.Plain",method="9",status="Internal"} 1`,
			`mxp_requests_in_flight{side="` + who + `",service="golden.shop.Shop",method="find"} 0`,
			`mxp_request_seconds_bucket{side="` + who + `",service="golden.shop.Shop",method="find",le="+Inf"} 4`,
			`mxp_request_seconds_count{side="` + who + `",service="golden.shop.Shop",method="find"} 4`,
		} {
			if !slices.Contains(strings.Split(text, "\n"), line) {
				t.Errorf("the %s doesn't tell Prometheus %s", who, line)
			}
		}
		if !strings.Contains(text, `method="find",le="0.000001"}`) || !strings.Contains(text, `method="find",le="33.554432"}`) {
			t.Errorf("the %s has other buckets: %s", who, text)
		}
	}
}

// Counters of several clients can be added.
func TestCountersOfMethodsAreAdded(t *testing.T) {
	one := session.MethodStats{Service: "a.B", Method: "c", Requests: map[session.Status]uint64{0: 1}, Took: session.Latency{Sum: 5, Count: 1}, InFlight: 1}
	other := one
	other.Method = `"d\`
	sum := session.Stats{Methods: []session.MethodStats{one}}
	sum.Add(&session.Stats{Methods: []session.MethodStats{other, one}})
	if len(sum.Methods) != 2 || sum.Methods[1].Requests[0] != 2 || sum.Methods[1].Took.Sum != 10 || sum.Methods[1].InFlight != 2 || one.Requests[0] != 1 {
		t.Errorf("the sum is %+v", sum.Methods)
	}
	sum.Add(&session.Stats{Methods: []session.MethodStats{{Requests: map[session.Status]uint64{99: 3}, Took: session.Latency{Sum: 1_500_000}}}})
	for _, line := range []string{
		`mxp_requests_total{side="client",service="other",method="other",status="other"} 3`,
		`mxp_request_seconds_sum{side="client",service="other",method="other"} 1.500000`,
	} {
		if text := sum.Prometheus(); !strings.Contains(text, line+"\n") {
			t.Error(text)
		}
	}
	if text := sum.Prometheus(); !strings.Contains(text, `method="\"d\\",status="Ok"} 1`) {
		t.Error(text)
	}
}
