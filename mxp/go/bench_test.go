package mxp_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// benched is a server and a client over a unix socket.
func benched(b *testing.B) *mxp.Client {
	b.Helper()
	var events atomic.Int64
	server := mxp.NewServer(mxp.ServerOptions{Services: echoServices(&events)})
	at := "mxp+unix://" + filepath.Join(b.TempDir(), "s.sock")
	listener, err := server.Listen(at)
	if err != nil {
		b.Fatal(err)
	}
	go server.Serve(listener)
	b.Cleanup(server.Close)
	client, err := mxp.Dial(at, mxp.ClientOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(client.Close)
	if _, err := client.Call(context.Background(), "demo.Echo", 1, nil); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	return client
}

func BenchmarkCall(b *testing.B) {
	client, value := benched(b), make([]byte, 64)
	for b.Loop() {
		if _, err := client.Call(context.Background(), "demo.Echo", 1, value); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCallsInFlight(b *testing.B) {
	client, value := benched(b), make([]byte, 64)
	b.SetParallelism(128)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := client.Call(context.Background(), "demo.Echo", 1, value); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func BenchmarkEvent(b *testing.B) {
	client, value := benched(b), make([]byte, 64)
	for b.Loop() {
		if err := client.Event(context.Background(), "demo.Echo", 4, value); err != nil {
			b.Fatal(err)
		}
	}
}
