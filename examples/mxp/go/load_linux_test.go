package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// setting is a number of the environment, for longer runs.
func setting(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// TestServersDoNotGrow loads servers of every language with calls, streams and
// events for MXP_SOAK seconds. MXP_LOAD is which part of the time the clients are
// busy, in percent.
func TestServersDoNotGrow(t *testing.T) {
	seconds := time.Duration(setting("MXP_SOAK", 2)) * time.Second
	for language, program := range programs {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			server, _, clients := connected(t, program, 4)
			ctx, cancel := context.WithTimeout(context.Background(), seconds)
			defer cancel()
			var requests atomic.Int64
			var all sync.WaitGroup
			for i, c := range clients {
				all.Add(1)
				go func() {
					defer all.Done()
					for n := 0; ctx.Err() == nil; n++ {
						began := time.Now()
						if err := some(c, n*7919+i); err != nil {
							t.Error(err)
							return
						}
						requests.Add(1)
						time.Sleep(time.Since(began) * time.Duration(100-setting("MXP_LOAD", 50)) / time.Duration(setting("MXP_LOAD", 50)))
					}
				}()
			}
			time.Sleep(seconds / 4)
			memory, open := resident(t, server), files(t, server)
			all.Wait()
			late, left := resident(t, server), files(t, server)
			t.Logf("%d requests in %v: %d KB and %d files after a quarter of the time, %d KB and %d at its end",
				requests.Load(), seconds, memory>>10, open, late>>10, left)
			if left > open || late > memory+memory/4+8<<20 || requests.Load() == 0 {
				t.Error("it grows")
			}
		})
	}
}

// some is a request of some kind and size.
func some(c *mxp.Client, n int) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	value := make([]byte, n%(64<<10))
	switch n % 4 {
	case 0:
		return c.Event(ctx, service, tick, value)
	case 1:
		s, err := c.Open(ctx, service, upper, nil)
		if err != nil {
			return err
		}
		for range 3 {
			if err := s.Send(ctx, value); err != nil {
				return err
			}
		}
		if err := s.CloseSend(); err != nil {
			return err
		}
		for {
			if _, err := s.Recv(ctx); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
		}
	}
	_, err := c.Call(ctx, service, echo, value)
	return err
}

// TestIdleConnectionsOfEveryLanguage measures what connections cost servers of
// every language that nobody uses. MXP_IDLE and MXP_ACTIVE set how many there are.
func TestIdleConnectionsOfEveryLanguage(t *testing.T) {
	idle, active := setting("MXP_IDLE", 300), setting("MXP_ACTIVE", 30)
	for language, program := range programs {
		t.Run(language, func(t *testing.T) {
			// By default Go's memory is up to twice what is alive, as it happens to be
			// collected. So it says little of connections.
			t.Setenv("GOGC", "25")
			server, at, clients := connected(t, program, active)
			alone := p99(t, clients)
			before := resident(t, server)
			more := dial(t, at, idle)
			time.Sleep(2 * time.Second)
			each := (resident(t, server) - before) / idle
			began := worked(t, server)
			time.Sleep(time.Second)
			used := worked(t, server) - began
			beside := p99(t, clients)
			t.Logf("%d idle connections: %d bytes each, %d ms of processor time in a second; p99 of %d active ones %v alone, %v beside them",
				len(more), each, used*10, active, alone, beside)
			most := 10 << 10
			if idle < 10_000 {
				most = 32 << 10 // what a server has anyway counts more
			}
			if each > most || used > 2 {
				t.Errorf("%d bytes each, %d ms of processor time in a second", each, used*10)
			}
		})
	}
}

// connected starts a server, and connects to it.
func connected(t *testing.T, program string, n int) (pid int, at string, clients []*mxp.Client) {
	t.Helper()
	at = address(t, "unix")
	server := started(t, program, "serve", at)
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	return server.Process.Pid, at, dial(t, at, n)
}

// dial makes clients, each of which has been answered.
func dial(t *testing.T, at string, n int) (clients []*mxp.Client) {
	t.Helper()
	for range n {
		c, err := mxp.Dial(at, mxp.ClientOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		clients = append(clients, c)
	}
	for _, c := range clients {
		waitFor(t, c)
	}
	return clients
}

// p99 calls from all clients at once, now and then.
func p99(t *testing.T, clients []*mxp.Client) time.Duration {
	t.Helper()
	times := make([][]time.Duration, len(clients))
	var all sync.WaitGroup
	for i, c := range clients {
		all.Add(1)
		go func() {
			defer all.Done()
			for range 50 {
				began := time.Now()
				if _, err := c.Call(context.Background(), service, echo, make([]byte, 64)); err != nil {
					t.Error(err)
				}
				times[i] = append(times[i], time.Since(began))
				time.Sleep(20 * time.Millisecond)
			}
		}()
	}
	all.Wait()
	sorted := slices.Sorted(slices.Values(slices.Concat(times...)))
	return sorted[len(sorted)*99/100]
}

// resident is how much memory a process has, in bytes.
func resident(t *testing.T, pid int) int { return memory(t, pid, "VmRSS:", "VmSwap:") }

// memory is the sum of fields of the system's report on a process's memory, in bytes.
func memory(t *testing.T, pid int, fields ...string) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for line := range strings.Lines(string(text)) {
		for _, field := range fields {
			if rest, ok := strings.CutPrefix(line, field); ok {
				n, _ := strconv.Atoi(strings.Fields(rest)[0])
				total += n << 10
			}
		}
	}
	return total
}

// worked is the processor time that a process has used, in hundredths of a second.
func worked(t *testing.T, pid int) int {
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
