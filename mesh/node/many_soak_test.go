//go:build soak && linux

package node_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// rss is how much memory a process has, in bytes.
func rss(t *testing.T, process int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return kib << 10
		}
	}
	t.Fatal("it has no memory")
	return 0
}

// Ten thousand agents are registered with one of three nodes, and found by another.
func TestTenThousandAgentsAreFoundInAMillisecond(t *testing.T) {
	const many, clients = 10_000, 20
	nodes := processes(t)
	begun := time.Now()
	var running sync.WaitGroup
	for c := range clients {
		client := nodes[0].dial(t)
		running.Go(func() {
			for n := c; n < many; n += clients {
				r := session.Registration{
					Name: fmt.Sprintf("agent-%d", n), Capabilities: []string{"all", fmt.Sprintf("can-%d", n/10)}, Lease: 3_600_000_000,
					Addresses: []string{fmt.Sprintf("mxp+tls://h%d.example:7000", n)}, Services: []string{"desk.Mixer"},
				}
				if _, err := client.RegisterBy(soon(t), &r); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	running.Wait()
	t.Logf("registered in %v", time.Since(begun).Round(time.Millisecond))
	asker := nodes[1].dial(t)
	until(t, "all are known", func() bool {
		found, err := asker.DiscoverBy(soon(t), &session.Query{Service: "desk.Mixer"})
		return err == nil && len(found.Agents) == many
	})
	measure(t, asker, "one", session.Query{Name: "agent-77"}, 1)
	p99 := measure(t, asker, "ten", session.Query{Capability: "can-77"}, 10)
	if p99 > time.Millisecond {
		t.Errorf("p99 is %v", p99)
	}
	for i, n := range nodes {
		bytes := rss(t, n.Process.Pid)
		t.Logf("node %d has %d MB", i+1, bytes/1_000_000)
		if bytes > 150_000_000 {
			t.Errorf("node %d has %d bytes", i+1, bytes)
		}
	}
}

// measure asks often, and gives the time within which 99 of 100 answers come.
func measure(t *testing.T, asker *mxp.Client, what string, q session.Query, want int) time.Duration {
	t.Helper()
	var times []time.Duration
	for range 5000 {
		begun := time.Now()
		found, err := asker.DiscoverBy(t.Context(), &q)
		if err != nil || len(found.Agents) != want {
			t.Fatalf("%d agents, %v", len(found.Agents), err)
		}
		times = append(times, time.Since(begun))
	}
	slices.Sort(times)
	t.Logf("%s: p50 %v, p99 %v", what, times[len(times)/2], times[len(times)*99/100])
	return times[len(times)*99/100]
}
