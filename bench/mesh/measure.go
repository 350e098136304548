package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/events"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

const (
	registering = 20     // connections by which agents register
	registered  = 100    // registrations that are timed
	discovered  = 5_000  // queries that are timed
	published   = 2_000  // events that are timed
	streamed    = 50_000 // events that are counted
)

// patience is how long any step may take.
const patience = 5 * time.Minute

// node is a process.
type node struct {
	*exec.Cmd
	address string
}

// begin runs nodes of one mesh, which end with the context.
func begin(ctx context.Context, program, folder string, count int) (all []*node, err error) {
	var peers []string
	for range count {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		peers = append(peers, l.Addr().String())
	}
	for i, at := range peers {
		name := fmt.Sprint("n", i+1)
		socket := filepath.Join(folder, name+".sock")
		args := []string{"up", "--name", name, "--data", filepath.Join(folder, name), "--socket", socket}
		if count > 1 {
			args = append(args, "--cluster", at, "--join", strings.Join(peers, ","))
		}
		n := &node{exec.CommandContext(ctx, program, args...), "mxp+unix://" + socket}
		all = append(all, n)
	}
	return all, os.MkdirAll(folder, 0o755)
}

func measure(program, folder string, nodes, agents int) (r row, err error) {
	r = row{Nodes: nodes, Agents: agents}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	all, err := begin(ctx, program, folder, nodes)
	if err != nil {
		return r, err
	}
	for _, n := range all {
		if err := n.Start(); err != nil {
			return r, err
		}
		defer func() { n.Process.Kill(); n.Wait() }()
	}
	first, last := all[0], all[len(all)-1]
	asker, err := mxp.Dial(last.address, mxp.ClientOptions{ConnectTimeout: time.Minute})
	if err != nil {
		return r, err
	}
	defer asker.Close()
	clients, err := fill(ctx, first.address, agents)
	if err != nil {
		return r, err
	}
	for _, client := range clients {
		defer client.Close()
	}
	r.Register, err = timed(registered, func(i int) error {
		_, err := clients[0].RegisterBy(ctx, registration(agents+i))
		return err
	})
	if err != nil {
		return r, err
	}
	for known := 0; known < agents+registered; {
		found, err := asker.DiscoverBy(ctx, &session.Query{Service: "desk.Mixer"})
		if err == nil {
			known = len(found.Agents)
		}
		if ctx.Err() != nil {
			return r, fmt.Errorf("%d agents are known: %w", known, err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	r.Discover, err = timed(discovered, func(i int) error {
		found, err := asker.DiscoverBy(ctx, &session.Query{Name: registration(i % agents).Name})
		if err == nil && len(found.Agents) != 1 {
			err = fmt.Errorf("%d agents have one name", len(found.Agents))
		}
		return err
	})
	if err != nil {
		return r, err
	}
	if err := r.measureEvents(ctx, first.address, last.address); err != nil {
		return r, err
	}
	for _, n := range all {
		r.Memory = max(r.Memory, resident(n.Process.Pid))
	}
	return r, nil
}

func registration(n int) *session.Registration {
	return &session.Registration{
		Name: fmt.Sprint("agent-", n), Capabilities: []string{"all", fmt.Sprint("can-", n/10)}, Lease: 3_600_000_000,
		Addresses: []string{fmt.Sprintf("mxp+tls://h%d.example:7000", n)}, Services: []string{"desk.Mixer"},
	}
}

// fill registers agents by several connections, which keep them.
func fill(ctx context.Context, address string, agents int) (clients []*mxp.Client, err error) {
	failed := make(chan error, registering)
	var running sync.WaitGroup
	for c := range registering {
		client, err := mxp.Dial(address, mxp.ClientOptions{ConnectTimeout: time.Minute})
		if err != nil {
			return nil, err
		}
		clients = append(clients, client)
		running.Add(1)
		go func() {
			defer running.Done()
			for n := c; n < agents; n += registering {
				for {
					_, err := client.RegisterBy(ctx, registration(n))
					if err == nil {
						break
					}
					if ctx.Err() != nil {
						failed <- err
						return
					}
					time.Sleep(50 * time.Millisecond) // the cluster has no leader yet
				}
			}
		}()
	}
	running.Wait()
	close(failed)
	return clients, <-failed
}

// measureEvents lets a subscriber at one node hear what is published at another.
func (r *row) measureEvents(ctx context.Context, from, to string) error {
	heard := make(chan []byte, streamed)
	services := mxp.NewServices()
	services.Service("desk.Meter").Event(1, func(_ context.Context, r *mxp.Request) error {
		heard <- r.Value
		return nil
	})
	var dropped uint64
	subscription, err := events.Subscribe(services, events.Options{
		Client: mxp.ClientOptions{Node: to}, Dropped: func(n uint64) { dropped += n },
	})
	if err != nil {
		return err
	}
	defer subscription.Close()
	if err := subscription.Ready(ctx); err != nil {
		return err
	}
	publisher, err := events.Publisher(mxp.ClientOptions{Node: from})
	if err != nil {
		return err
	}
	defer publisher.Close()
	value := make([]byte, 64)
	publish := func() error { return publisher.Event(ctx, "desk.Meter", 1, value) }
	for known := false; !known; { // the other node has to hear of the subscription
		if err := publish(); err != nil {
			return err
		}
		select {
		case <-heard:
			known = true
		case <-time.After(50 * time.Millisecond):
		}
	}
	time.Sleep(100 * time.Millisecond)
	for len(heard) > 0 {
		<-heard
	}
	r.Event, err = timed(published, func(int) error {
		if err := publish(); err != nil {
			return err
		}
		select {
		case <-heard:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	if err != nil {
		return err
	}
	begun := time.Now()
	for range streamed {
		if err := publish(); err != nil {
			return err
		}
	}
	come := 0
	for quiet := false; come < streamed && !quiet; {
		select {
		case <-heard:
			come++
		case <-time.After(2 * time.Second):
			quiet = true // the rest was dropped
			begun = begun.Add(2 * time.Second)
		}
	}
	r.Events = float64(come) / time.Since(begun).Seconds()
	return nil
}

// timed calls a function often, and gives the percentiles of its times.
func timed(times int, call func(i int) error) (s spread, err error) {
	var all []time.Duration
	for i := range times {
		begun := time.Now()
		if err := call(i); err != nil {
			return s, err
		}
		all = append(all, time.Since(begun))
	}
	slices.Sort(all)
	return spread{all[times/2].Nanoseconds(), all[times*99/100].Nanoseconds()}, nil
}

// resident is how much memory a process has, in bytes.
func resident(process int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, _ := strconv.Atoi(strings.Fields(rest)[0])
			return kib << 10
		}
	}
	return 0
}
