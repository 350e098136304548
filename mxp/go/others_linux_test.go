package mxp_test

import (
	"context"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// floodForEver is a peer that opens streams and cancels calls as fast as it can,
// and comes back when it is cut off.
func floodForEver(at string) {
	for {
		socket, err := net.Dial("unix", strings.TrimPrefix(at, "mxp+unix://"))
		if err != nil {
			time.Sleep(time.Millisecond)
			continue
		}
		flood(socket)
		socket.Close()
	}
}

func flood(socket net.Conn) {
	s := session.New(session.Config{Limits: session.Limits{InFlight: 1 << 30, QueueBytes: 1 << 30}}, 0)
	batch := &session.Batch{}
	send := func() bool {
		for s.PollAll(batch, 0) {
			pieces := net.Buffers(batch.Pieces)
			if _, err := pieces.WriteTo(socket); err != nil {
				return false
			}
		}
		return true
	}
	buffer := make([]byte, 64<<10)
	send()
	for !s.Ready() {
		n, err := socket.Read(buffer)
		if err != nil {
			return
		}
		piece := buffer[:n]
		for _, ok := s.Receive(&piece, 0); ok; _, ok = s.Receive(&piece, 0) {
		}
	}
	go func() { // reads, and looks at nothing
		drain := make([]byte, 64<<10)
		for {
			if _, err := socket.Read(drain); err != nil {
				return
			}
		}
	}()
	for i := 0; ; i++ {
		s.Open(session.Request{Method: 5}, 0, 0, nil, false, 0)
		if id, err := s.Call(session.Request{Method: 3}, nil, 0); err == nil && i%2 == 0 {
			if !send() {
				return
			}
			s.Cancel(id, 0)
			for _, ok := s.Next(); ok; _, ok = s.Next() {
			}
		}
		if !send() {
			return
		}
	}
}

// Peers that flood a server do not make others wait: their calls are about as
// fast as they are alone.
func TestOthersBesideAFlood(t *testing.T) {
	at := "mxp+unix://" + filepath.Join(t.TempDir(), "s.sock")
	server := process(t, "serve", at)
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	client := connect(t, at, 1)[0]
	p99 := func() time.Duration {
		var times []time.Duration
		for range number("MXP_CALLS", 500) {
			began := time.Now()
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			_, err := client.Call(ctx, "demo.Echo", 1, make([]byte, 64))
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			times = append(times, time.Since(began))
			time.Sleep(time.Millisecond)
		}
		slices.Sort(times)
		return times[len(times)*99/100-1]
	}
	alone := p99()
	flooder := process(t, "flood", at)
	t.Cleanup(func() { flooder.Process.Kill(); flooder.Wait() })
	time.Sleep(100 * time.Millisecond)
	beside := p99()
	t.Logf("p99 %v alone, %v beside a flood", alone, beside)
	if beside > patience*250*time.Millisecond+2*alone {
		t.Errorf("p99 %v beside a flood, %v alone", beside, alone)
	}
}

// connect makes clients, each of which has been answered.
func connect(t *testing.T, at string, n int) (clients []*mxp.Client) {
	t.Helper()
	for range n {
		c, err := mxp.Dial(at, mxp.ClientOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		clients = append(clients, c)
	}
	var all sync.WaitGroup
	for _, c := range clients {
		all.Add(1)
		go func() {
			defer all.Done()
			if _, err := c.Call(context.Background(), "demo.Echo", 1, []byte("hello")); err != nil {
				t.Error(err)
			}
		}()
	}
	all.Wait()
	return clients
}
