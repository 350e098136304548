// The race detector takes memory of its own.

//go:build !race

package mxp_test

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// givenBack is after how long at most the system has the memory again of peers that are gone.
const givenBack = 10 * time.Second

// Peers that make a server hold as much as they can don't make it hold more than its
// budget, nor another client wait; and when they are gone, the system has the memory
// again. [MXP-15.3, MXP-15.4]
func TestHostilePeersStayWithinTheBudget(t *testing.T) {
	peers, megabytes := number("MXP_HOSTILE", 200), number("MXP_MEGABYTES", 64)
	kinds := hostiles
	if kind := number("MXP_KIND", 0); kind > 0 { // one alone, from 1
		kinds = hostiles[kind-1 : kind]
	}
	lasts := time.Duration(number("MXP_SECONDS", 3)) * time.Second
	at := "mxp+unix://" + filepath.Join(t.TempDir(), "s.sock")
	server := process(t, "bounded", fmt.Sprint(at, "#", megabytes<<20))
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	good, err := mxp.Dial(at, mxp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(good.Close)
	ctx := within(t, lasts+patience*time.Minute)
	if _, err := good.Call(ctx, "demo.Bounded", 1, nil); err != nil {
		t.Fatal(err)
	}
	before := resident(t, server.Process.Pid)

	hostile, over := context.WithTimeout(ctx, lasts)
	defer over()
	var all sync.WaitGroup
	var connected atomic.Int64
	for n := range peers {
		all.Add(1)
		go func() {
			defer all.Done()
			for hostile.Err() == nil {
				socket, err := net.Dial("unix", strings.TrimPrefix(at, "mxp+unix://"))
				if err != nil {
					time.Sleep(time.Millisecond)
					continue
				}
				connected.Add(1)
				cut := context.AfterFunc(hostile, func() { socket.Close() })
				kinds[n%len(kinds)](hostile, socket)
				cut()
				socket.Close()
				time.Sleep(20 * time.Millisecond)
			}
		}()
	}
	most, calls, longest := 0, 0, time.Duration(0)
	for hostile.Err() == nil {
		began := time.Now()
		if _, err := good.Call(ctx, "demo.Bounded", 1, make([]byte, 64)); err != nil {
			t.Fatalf("a good client's call ended with %v", err)
		}
		longest = max(longest, time.Since(began))
		calls++
		most = max(most, resident(t, server.Process.Pid))
		time.Sleep(time.Millisecond)
	}
	all.Wait()
	gone, after, little := time.Now(), 0, before+max(16<<20, megabytes<<20/16)
	for after = resident(t, server.Process.Pid); time.Since(gone) < givenBack && after > little; after = resident(t, server.Process.Pid) {
		most = max(most, after) // what they had sent is read when they have gone
		time.Sleep(10 * time.Millisecond)
	}
	t.Logf("%d peers with %d connections, a budget of %d MiB: %.1f MiB before, %.1f at most, %.1f when they had gone for %v; %d calls of a good client, of which the longest took %v",
		peers, connected.Load(), megabytes, mib(before), mib(most), mib(after), time.Since(gone).Round(time.Millisecond), calls, longest)
	if limit := before + megabytes<<20/10*11; most > limit {
		t.Errorf("the server had %.1f MiB, more than %.1f", mib(most), mib(limit))
	}
	if after > little {
		t.Errorf("it has %.1f MiB when they are gone", mib(after))
	}
}

func mib(bytes int) float64 { return float64(bytes) / (1 << 20) }
