//go:build unix

package mxp_test

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// local are the transports within a machine, over each of which everything is timed.
var local = []string{"unix", "shm"}

// benched is a server and a client, both in this process.
func benched(b *testing.B, transport string) (client *mxp.Client, events *atomic.Int64) {
	b.Helper()
	events = new(atomic.Int64)
	server := mxp.NewServer(mxp.ServerOptions{Services: echoServices(events)})
	at := "mxp+" + transport + "://" + filepath.Join(b.TempDir(), "s.sock")
	listener, err := server.Listen(at)
	if err != nil {
		b.Fatal(err)
	}
	go server.Serve(listener)
	b.Cleanup(server.Close)
	client, err = mxp.Dial(at, mxp.ClientOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(client.Close)
	if _, err := client.Call(context.Background(), "demo.Echo", 1, nil); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	return client, events
}

// processor reports what of the processors' time the benchmark takes, which other
// programs on the machine change less than the time that passes.
func processor(b *testing.B) (done func()) {
	before := spent(b)
	return func() { b.ReportMetric(float64(spent(b)-before)/float64(b.N), "cpu-ns/op") }
}

func spent(b *testing.B) int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func BenchmarkCall(b *testing.B) { benchmarkCalls(b, 1, 64) }

func BenchmarkCalls256(b *testing.B) { benchmarkCalls(b, 256, 64) }

func BenchmarkCall112KiB(b *testing.B) { benchmarkCalls(b, 1, 112<<10) }

// overEach times something over each transport.
func overEach(b *testing.B, of func(b *testing.B, transport string)) {
	for _, transport := range local {
		b.Run(transport, func(b *testing.B) { of(b, transport) })
	}
}

// benchmarkCalls keeps so many calls of so many bytes in flight on one connection.
func benchmarkCalls(b *testing.B, inFlight, size int) {
	overEach(b, func(b *testing.B, transport string) { benchmarkCallsOver(b, transport, inFlight, size) })
}

func benchmarkCallsOver(b *testing.B, transport string, inFlight, size int) {
	client, _ := benched(b, transport)
	defer processor(b)()
	var made atomic.Int64
	var callers sync.WaitGroup
	for range inFlight {
		callers.Add(1)
		go func() {
			defer callers.Done()
			value := make([]byte, size)
			for made.Add(1) <= int64(b.N) {
				if _, err := client.Call(context.Background(), "demo.Echo", 1, value); err != nil {
					b.Error(err)
					return
				}
			}
		}()
	}
	callers.Wait()
}

// BenchmarkEvents ends when the server has taken all of them.
func BenchmarkEvents(b *testing.B) { overEach(b, benchmarkEvents) }

func benchmarkEvents(b *testing.B, transport string) {
	client, events := benched(b, transport)
	defer processor(b)()
	value := make([]byte, 64)
	for range b.N {
		if err := client.Event(context.Background(), "demo.Echo", 4, value); err != nil {
			b.Fatal(err)
		}
	}
	for events.Load() < int64(b.N) {
		time.Sleep(time.Millisecond)
	}
}

// BenchmarkChunks sends chunks on a stream, and reads each when it comes back.
func BenchmarkChunks(b *testing.B) { overEach(b, benchmarkChunks) }

func benchmarkChunks(b *testing.B, transport string) {
	client, _ := benched(b, transport)
	defer processor(b)()
	ctx := context.Background()
	stream, err := client.Open(ctx, "demo.Echo", 5, nil)
	if err != nil {
		b.Fatal(err)
	}
	value := make([]byte, 64)
	go func() {
		for range b.N {
			if stream.Send(ctx, value) != nil {
				return // Recv says why
			}
		}
		stream.CloseSend()
	}()
	for range b.N {
		if _, err := stream.Recv(ctx); err != nil {
			b.Fatal(err)
		}
	}
}
