//go:build soak

package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// TestMain lets the program be hostile peers of the server at MXP_ATTACK instead, as many of
// each of MXP_KINDS.
func TestMain(m *testing.M) {
	if at := os.Getenv("MXP_ATTACK"); at != "" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		fmt.Println(attacked(ctx, at, strings.Split(os.Getenv("MXP_KINDS"), ";"), setting("MXP_HOSTILE", 1000)))
		return
	}
	os.Exit(m.Run())
}

// greedy are the kinds of hostile peers that make a server hold much.
var greedy = []string{"never reads", "unread streams", "8 MiB events", "80,000 services"}

// TestSoakBesideHostilePeers measures a caller with a call each millisecond, before and while
// 1,000 greedy peers attack the server. A call takes from the moment in which it is due to
// its answer. The hostile peers have the processors only as far as nobody else wants them, as
// if they were on other machines. MXP_BESIDE is how many seconds each takes.
func TestSoakBesideHostilePeers(t *testing.T) {
	long := time.Duration(setting("MXP_BESIDE", 10)) * time.Second
	for _, language := range languages {
		t.Run(language, func(t *testing.T) {
			server := newServing(t, programs[language])
			waitForServer(t, server.at)
			client := dialed(t, server.at)
			alone := paced(t, client, long, func() {})

			peers, most := hostilePeers(t, server.at, 19, greedy), 0
			paced(t, client, 2*time.Second, func() {})
			beside := paced(t, client, long, func() { most = max(most, resident(t, server.cmd.Process.Pid)) })
			t.Logf("p50 %v and %v, p99 %v and %v, longest %v and %v; %s hostile connections, %d MiB at most",
				alone(50), beside(50), alone(99), beside(99), alone(100), beside(100), peers(), most>>20)
			if beside(99) > 2*alone(99) {
				t.Error("p99 has more than doubled")
			}
		})
	}
}

// TestSoakStreamsBesideHostilePeers sends streams of 1 GiB, and calls on the same connection,
// while 1,000 hostile peers of all kinds attack the server, which is not restarted. Its memory for
// that connection waits behind its memory for the peers; no call is late. MXP_BESIDE is how many
// seconds each takes.
func TestSoakStreamsBesideHostilePeers(t *testing.T) {
	long := time.Duration(setting("MXP_BESIDE", 20)) * time.Second
	for _, language := range languages {
		t.Run(language, func(t *testing.T) {
			server := newServing(t, programs[language])
			waitForServer(t, server.at)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			streams := newBesideStreams(ctx, t, server.at)
			sleep(ctx, time.Second)
			peers := hostilePeers(t, server.at, 0, slices.Collect(maps.Keys(hostile)))
			sleep(ctx, long)
			cancel()
			beside := <-streams
			t.Logf("%d MiB, and %v; %s hostile connections", beside.megabytes, &beside.calls, peers())
			sum := summaryOf(t, fmt.Sprintln(&beside.calls))
			if beside.megabytes == 0 || sum.answered == 0 || sum.answered != sum.calls {
				t.Error("calls were late, or nothing came")
			}
		})
	}
}

// paced makes a call each millisecond for so long, or for three times as long where calls take more,
// and looks at something each 50 ms. The function that it returns gives percentiles.
func paced(t *testing.T, client *mxp.Client, long time.Duration, look func()) func(percent int) time.Duration {
	t.Helper()
	var late []time.Duration
	began := time.Now()
	for due := began; due.Sub(began) < long && time.Since(began) < 3*long; due = due.Add(time.Millisecond) {
		time.Sleep(time.Until(due))
		within, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		_, err := client.Call(within, service, echo, make([]byte, 64))
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		late = append(late, time.Since(due))
		if len(late)%50 == 0 {
			look()
		}
	}
	slices.Sort(late)
	return func(percent int) time.Duration { return late[(len(late)-1)*percent/100] }
}

// attacked lets hostile peers attack a server, as many of each kind, until the context ends.
// It returns how often they came.
func attacked(ctx context.Context, at string, kinds []string, count int) int64 {
	var came atomic.Int64
	var all sync.WaitGroup
	for _, kind := range kinds {
		for range max(count/len(kinds), 1) {
			all.Add(1)
			go func() {
				defer all.Done()
				came.Add(int64(attack(ctx, at, kind)))
			}()
		}
	}
	all.Wait()
	return came.Load()
}

// hostilePeers are a program that attacks a server until the returned function is called,
// which gives how often they came. They are so nice to other processes.
func hostilePeers(t *testing.T, at string, niceness int, kinds []string) func() string {
	t.Helper()
	peers := loading{exec.Command("nice", "-n", fmt.Sprint(niceness), os.Args[0]), &bytes.Buffer{}}
	peers.cmd.Env = append(os.Environ(), "MXP_ATTACK="+at, "MXP_KINDS="+strings.Join(kinds, ";"))
	peers.cmd.Stdout = peers.out
	if err := peers.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { peers.cmd.Process.Kill() })
	return func() string { return strings.TrimSpace(peers.ended(t)) }
}
