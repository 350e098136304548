//go:build soak && linux

package node_test

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// worker is an agent that is announced at a node, and counts how often each call was made.
func worker(t *testing.T, node, name string, made *sync.Map) (at string) {
	t.Helper()
	services := mxp.NewServices()
	services.Service("desk.Mixer").Call(1, func(_ context.Context, r *mxp.Request) ([]byte, error) {
		count, _ := made.LoadOrStore(string(r.Value), new(atomic.Int64))
		count.(*atomic.Int64).Add(1)
		return r.Value, nil
	})
	server := mxp.NewServer(mxp.ServerOptions{Services: services, AnyUser: true})
	t.Cleanup(server.Close)
	at = "mxp+unix://" + filepath.Join(t.TempDir(), "agent.sock")
	var port string
	for _, one := range []string{at, "mxp+tcp://127.0.0.1:0"} {
		listener, err := server.Listen(one)
		if err != nil {
			t.Fatal(err)
		}
		_, port, _ = net.SplitHostPort(listener.Addr().String())
		go server.Serve(listener)
	}
	r := session.Registration{
		Name: name, Capabilities: []string{"work"}, Services: []string{"desk.Mixer"}, Addresses: []string{at, "mxp+tcp://desk.example:" + port},
	}
	announced, err := mxp.Announce(r, mxp.AnnounceOptions{Node: node})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(announced.Close)
	if _, err := announced.Registered(soon(t)); err != nil {
		t.Fatal(err)
	}
	return at
}

// here leads to this machine, under any name of the host: nodes give the agents of another node only
// addresses that name a host which isn't the asker's own.
func here(ctx context.Context, network, address string) (net.Conn, error) {
	if _, port, err := net.SplitHostPort(address); err == nil {
		address = "127.0.0.1:" + port
	}
	return new(net.Dialer).DialContext(ctx, network, address)
}

// All nodes are restarted, one after the other, twice, while programs call agents by their
// capabilities: each call is answered, and made once. Calls by the name of one agent fail only while
// its node, which has given up the name, is away. [MESH-3.3]
func TestARollingRestartLosesNoCall(t *testing.T) {
	const rounds = 2
	nodes := processes(t)
	var made sync.Map
	for i, n := range nodes {
		worker(t, n.at, fmt.Sprintf("worker-%d", i), &made)
	}
	until(t, "each node knows all", func() bool {
		for _, n := range nodes {
			if len(names(t, n.dial(t))) != len(nodes) {
				return false
			}
		}
		return true
	})
	var asked, answered, unknown atomic.Int64
	done := make(chan struct{})
	var running sync.WaitGroup
	load := func(node, to, mark string, failed func(error)) *mxp.Client {
		client, err := mxp.Dial(to, mxp.ClientOptions{Node: node, Dial: here, Retry: &mxp.RetryPolicy{Attempts: 8, Budget: 1}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		running.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				case <-time.After(time.Millisecond):
				}
				id := fmt.Sprintf("%s/%d", mark, n)
				ctx, cancel := contextOf(10 * time.Second)
				asked.Add(1)
				answer, err := client.Call(ctx, "desk.Mixer", 1, []byte(id))
				cancel()
				if err != nil {
					failed(err)
					continue
				}
				answered.Add(1)
				count, _ := made.Load(id)
				if string(answer.Value) != id || count.(*atomic.Int64).Load() != 1 {
					t.Errorf("%s is answered with %q", id, answer.Value)
				}
			}
		})
		return client
	}
	var lost atomic.Int64
	var named []*mxp.Client
	for i, n := range nodes {
		load(n.at, "mesh:///?capability=work", fmt.Sprintf("any-%d", i), func(err error) {
			lost.Add(1)
			t.Errorf("a call of whoever can is lost: %v", err)
		})
		named = append(named, load(n.at, fmt.Sprintf("mesh:///worker-%d", (i+1)%len(nodes)), fmt.Sprintf("one-%d", i), func(err error) {
			unknown.Add(1)
			refused(t, err, session.ErrAgentUnknown)
			time.Sleep(20 * time.Millisecond)
		}))
	}
	for round := range rounds {
		for i, n := range nodes {
			time.Sleep(2 * time.Second)
			begun := time.Now()
			n.Process.Signal(syscall.SIGTERM)
			if err := n.Wait(); err != nil {
				t.Errorf("node %d ends with %v", i+1, err)
			}
			away := time.Since(begun)
			n.Cmd = spawn(t, n.Env[len(n.Env)-1])
			client := n.dial(t)
			until(t, "it knows all", func() bool {
				ctx, cancel := contextOf(time.Second)
				defer cancel()
				found, err := client.DiscoverBy(ctx, &session.Query{Capability: "work"})
				return err == nil && len(found.Agents) == len(nodes)
			})
			t.Logf("round %d, node %d: ended in %v, all is known again after %v", round+1, i+1, away.Round(time.Millisecond), time.Since(begun).Round(time.Millisecond))
		}
	}
	time.Sleep(time.Second)
	close(done)
	running.Wait()
	for i, client := range named {
		if _, err := client.Call(soon(t), "desk.Mixer", 1, fmt.Appendf(nil, "last-%d", i)); err != nil {
			t.Errorf("a name is not reached again: %v", err)
		}
	}
	twice := 0
	made.Range(func(_, count any) bool {
		if count.(*atomic.Int64).Load() > 1 {
			twice++
		}
		return true
	})
	t.Logf("%d restarts, %d calls, %d answered; %d by a name that nobody had; %d lost, %d made twice", rounds*len(nodes), asked.Load(), answered.Load(), unknown.Load(), lost.Load(), twice)
	if twice > 0 {
		t.Errorf("%d calls were made twice", twice)
	}
}
