package mxp_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// Idle connections cost a server little memory and no time. MXP_IDLE and
// MXP_ACTIVE set how many there are.
func TestIdleConnections(t *testing.T) {
	idle, active := number("MXP_IDLE", 500), number("MXP_ACTIVE", 50)
	at := "mxp+unix://" + filepath.Join(t.TempDir(), "s.sock")
	server := process(t, "serve", at)
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	pid := server.Process.Pid

	connect(t, at, active) // what the server's own growth needs, it then has
	alone := load(t, at, active)
	before := status(t, pid, "VmRSS") + status(t, pid, "VmSwap")
	clients := connect(t, at, idle)
	time.Sleep(200 * time.Millisecond)
	each := (status(t, pid, "VmRSS") + status(t, pid, "VmSwap") - before) / idle
	began := ticks(t, pid)
	time.Sleep(time.Second)
	used := ticks(t, pid) - began
	beside := load(t, at, active)
	t.Logf("%d idle connections: %d bytes each, %d ms of processor time in a second; p99 of %d active ones %v alone, %v beside them",
		idle, each, used*10, active, alone, beside)
	if each > 24<<10 {
		t.Errorf("%d bytes for each connection", each)
	}
	if used > 2 {
		t.Errorf("%d ms of processor time while idle", used*10)
	}
	for _, c := range clients {
		c.Close()
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

// load calls from many connections, and gives the 99th percentile.
func load(t *testing.T, at string, n int) time.Duration {
	t.Helper()
	clients := connect(t, at, n)
	times := make([][]time.Duration, n)
	var all sync.WaitGroup
	for i, c := range clients {
		all.Add(1)
		go func() {
			defer all.Done()
			for range 100 {
				began := time.Now()
				if _, err := c.Call(context.Background(), "demo.Echo", 1, make([]byte, 64)); err != nil {
					t.Error(err)
				}
				times[i] = append(times[i], time.Since(began))
				time.Sleep(5 * time.Millisecond)
			}
		}()
	}
	all.Wait()
	for _, c := range clients {
		c.Close()
	}
	sorted := slices.Sorted(slices.Values(slices.Concat(times...)))
	return sorted[len(sorted)*99/100]
}

// status is a number of bytes in /proc/PID/status.
func status(t *testing.T, pid int, field string) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			n, _ := strconv.Atoi(strings.Fields(rest)[0])
			return n << 10
		}
	}
	return 0
}

// ticks is the processor time that a process has used, in hundredths of a second.
func ticks(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')'):]))
	user, _ := strconv.Atoi(fields[12])
	system, _ := strconv.Atoi(fields[13])
	return user + system
}
