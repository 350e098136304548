package mxp_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
)

// flowing is a server of calls and of streams that flow in either direction: 2 sends as
// many chunks as it is asked for, 3 takes them.
func flowing(t testing.TB, at string) (*mxp.Server, string) {
	t.Helper()
	services := mxp.NewServices()
	services.Service("demo.Flow").
		Call(1, func(_ context.Context, r *mxp.Request) ([]byte, error) { return r.Value, nil }).
		Stream(2, func(ctx context.Context, _ *mxp.Request, s *mxp.Stream) error {
			value := make([]byte, 64<<10)
			for s.Send(ctx, value) == nil {
			}
			return nil
		}).
		Stream(3, func(ctx context.Context, _ *mxp.Request, s *mxp.Stream) error {
			for {
				if _, err := s.Recv(ctx); err != nil {
					return nil
				}
			}
		})
	server := mxp.NewServer(mxp.ServerOptions{Services: services})
	listener, err := server.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	t.Cleanup(server.Close)
	if at == "mxp+tcp://127.0.0.1:0" {
		at = "mxp+tcp://" + listener.Addr().String()
	}
	return server, at
}

// latencies calls beside a stream, on its connection, until so many chunks of 64 KiB have
// flowed, and gives how long the calls took, in ascending order.
func latencies(t testing.TB, at string, up bool, chunks int64) (took []time.Duration, flowed int64) {
	t.Helper()
	client, err := mxp.Dial(at, mxp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	method := uint16(2)
	if up {
		method = 3
	}
	s, err := client.Open(ctx, "demo.Flow", method, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var n atomic.Int64
	go func() {
		value := make([]byte, 64<<10)
		for {
			var err error
			if up {
				err = s.Send(ctx, value)
			} else {
				_, err = s.Recv(ctx)
			}
			if err != nil {
				if errors.Is(err, io.EOF) {
					t.Error("the stream has ended")
				}
				return
			}
			n.Add(1)
		}
	}()
	for n.Load() < 16 { // it flows
		time.Sleep(time.Millisecond)
	}
	value := make([]byte, 64)
	for n.Load() < chunks || len(took) < 20 {
		began := time.Now()
		if _, err := client.Call(ctx, "demo.Flow", 1, value); err != nil {
			t.Fatal(err)
		}
		took = append(took, time.Since(began))
		time.Sleep(200 * time.Microsecond)
	}
	slices.Sort(took)
	return took, n.Load()
}

// Calls beside a stream wait for little of it, also where the link is slow: in the
// queue, in the socket and on the way there are some 64 KiB each. [MXP-9.1]
func TestCallsBesideAStreamWaitForLittleOfIt(t *testing.T) {
	_, at := flowing(t, "mxp+tcp://127.0.0.1:0")
	for name, up := range map[string]bool{"up": true, "down": false} {
		took, _ := latencies(t, link(t, at, 8<<20), up, 100)
		median := took[len(took)/2]
		t.Logf("%s: of %d calls the median took %v, the p99 %v", name, len(took), median, took[len(took)*99/100])
		if median > patience*150*time.Millisecond {
			t.Errorf("%s: the median of calls is %v", name, median)
		}
	}
}

func BenchmarkCallsBesideAStream(b *testing.B) {
	for _, one := range []struct {
		name   string
		up     bool
		link   int
		chunks int64
	}{
		{"up/unix", true, 0, 2048 << 20 / (64 << 10)}, {"down/unix", false, 0, 2048 << 20 / (64 << 10)},
		{"up/10MBps", true, 10_000_000, 600}, {"down/10MBps", false, 10_000_000, 600},
	} {
		b.Run(one.name, func(b *testing.B) {
			at := places.Free(b)
			if one.link > 0 {
				at = "mxp+tcp://127.0.0.1:0"
			}
			_, at = flowing(b, at)
			if one.link > 0 {
				at = link(b, at, one.link)
			}
			b.ResetTimer()
			for range b.N {
				began := time.Now()
				took, n := latencies(b, at, one.up, one.chunks)
				b.ReportMetric(float64(n)*65536/1e6/time.Since(began).Seconds(), "MB/s")
				b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
				b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
				b.ReportMetric(float64(len(took)), "calls")
			}
		})
	}
}
