//go:build soak && linux

package node_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/mesh"
)

// Events are published durably while nodes are killed and started again, one after the other: each
// that was acknowledged is delivered. [MESH-5.3]
func TestNoDurableEventThatWasAcknowledgedIsLost(t *testing.T) {
	const publishers, many, longest = 4, 100_000, 4 * time.Minute
	nodes := processes(t)
	acknowledged := make(chan string, 1<<20)
	var refused atomic.Int64
	done := make(chan struct{})
	ended := make(chan struct{}, publishers)
	for p := range publishers {
		client := mesh.NewMeshClient(nodes[p%3].dial(t))
		go func() {
			defer func() { ended <- struct{}{} }()
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				default:
				}
				id := fmt.Sprintf("%d-%d", p, n)
				ctx, cancel := contextOf(8 * time.Second)
				_, err := client.Publish(ctx, &mesh.Publication{Subject: subject, Value: []byte(id), Durable: true, ID: id})
				cancel()
				if err == nil {
					acknowledged <- id
				} else {
					refused.Add(1)
					time.Sleep(20 * time.Millisecond)
				}
			}
		}()
	}
	begun := time.Now()
	kills := 0
	for ; len(acknowledged) < many && time.Since(begun) < longest; kills++ {
		time.Sleep(4 * time.Second)
		victim := nodes[kills%3]
		victim.Process.Kill()
		victim.Wait()
		time.Sleep(3 * time.Second)
		again := spawn(t, victim.Env[len(victim.Env)-1])
		victim.Cmd = again
	}
	close(done)
	for range publishers {
		<-ended
	}
	close(acknowledged)
	missing := map[string]bool{}
	for id := range acknowledged {
		missing[id] = true
	}
	all := len(missing)
	seen, duplicates := map[string]bool{}, 0
	stream := awaited(t, nodes[0].dial(t), mesh.Subscription{Consumer: "auditor"})
	for len(missing) > 0 {
		d, err := stream.Recv()
		if err != nil {
			t.Fatalf("of %d acknowledged, %d are missing: %v", all, len(missing), err)
		}
		id := string(d.Value)
		if seen[id] {
			duplicates++
		}
		seen[id] = true
		delete(missing, id)
		settle(t, stream, d.Number, mesh.OutcomeDone)
	}
	t.Logf("%d acknowledged, %d refused, over %d kills: none is lost; %d were delivered twice", all, refused.Load(), kills, duplicates)
	if all < many {
		t.Errorf("only %d were acknowledged", all)
	}
}

// awaited is a subscription that is made once durable events are kept.
func awaited(t *testing.T, client *mxp.Client, s mesh.Subscription) *subscription {
	t.Helper()
	durable(t, client)
	return subscribe(t, client, s)
}

// durable waits until durable events are kept.
func durable(t *testing.T, client *mxp.Client) {
	t.Helper()
	until(t, "durable events are kept", func() bool {
		ctx, cancel := contextOf(8 * time.Second)
		defer cancel()
		_, err := mesh.NewMeshClient(client).Publish(ctx, &mesh.Publication{Subject: mesh.Subject{Service: "x.Y"}, Durable: true})
		return err == nil
	})
}
