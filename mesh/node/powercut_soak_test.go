//go:build soak && linux

package node_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/mesh"
)

// A node's folder of data is copied at moments while events are published, and a node is started on
// each copy: each event that was acknowledged before the moment is there. The node stands still while
// it is copied, so that a copy is what a kill leaves. [MESH-5.3]
func TestACopyOfTheDataHasEachAcknowledgedEvent(t *testing.T) {
	const publishers, many, images, longest = 32, 100_000, 4, 4 * time.Minute
	folder := t.TempDir()
	alone := func(name, data string) *process {
		socket := filepath.Join(folder, name+".sock")
		return &process{spawn(t, fmt.Sprintf("%s=n1 %s %s", asNode, data, socket)), "mxp+unix://" + socket}
	}
	data := filepath.Join(folder, "data")
	n := alone("live", data)
	ready := mesh.NewMeshClient(n.dial(t))
	until(t, "events are kept", func() bool {
		ctx, cancel := contextOf(time.Second)
		defer cancel()
		_, err := ready.Publish(ctx, &mesh.Publication{Subject: mesh.Subject{Service: "x.Y"}, Durable: true})
		return err == nil
	})
	var mu sync.Mutex
	var acknowledged []string
	count := func() int { mu.Lock(); defer mu.Unlock(); return len(acknowledged) }
	var handed, failed atomic.Int64
	var running sync.WaitGroup
	for range publishers {
		client := mesh.NewMeshClient(n.dial(t))
		running.Go(func() {
			for {
				number := handed.Add(1)
				if number > many {
					return
				}
				ctx, cancel := contextOf(time.Minute)
				id := fmt.Sprint(number)
				_, err := client.Publish(ctx, &mesh.Publication{Subject: subject, Value: []byte(id), Durable: true, ID: id})
				cancel()
				if err != nil {
					failed.Add(1)
					continue
				}
				mu.Lock()
				acknowledged = append(acknowledged, id)
				mu.Unlock()
			}
		})
	}
	type image struct {
		data  string
		known int
	}
	var list []image
	begun := time.Now()
	for i := range images {
		for count() < many*(i+1)/(images+1) {
			if time.Since(begun) > longest {
				t.Fatalf("only %d were acknowledged", count())
			}
			time.Sleep(time.Millisecond)
		}
		n.Process.Signal(syscall.SIGSTOP)
		time.Sleep(50 * time.Millisecond) // until answers that are on their way are read
		one := image{filepath.Join(folder, fmt.Sprint("image-", i)), count()}
		if err := os.CopyFS(one.data, os.DirFS(data)); err != nil {
			t.Fatal(err)
		}
		n.Process.Signal(syscall.SIGCONT)
		list = append(list, one)
	}
	running.Wait()
	t.Logf("%d acknowledged in %v, %d failed", count(), time.Since(begun).Round(time.Millisecond), failed.Load())
	n.Process.Kill()
	n.Wait()
	list = append(list, image{data, count()})
	if count() < many {
		t.Errorf("only %d were acknowledged", count())
	}
	for i, one := range list {
		again := alone(fmt.Sprint("again-", i), one.data)
		stream := awaited(t, again.dial(t), mesh.Subscription{Consumer: "auditor"})
		missing, seen, duplicates := map[string]bool{}, map[string]bool{}, 0
		for _, id := range acknowledged[:one.known] {
			missing[id] = true
		}
		for len(missing) > 0 {
			d, err := stream.Recv()
			if err != nil {
				t.Fatalf("image %d: of %d acknowledged, %d are missing: %v", i, one.known, len(missing), err)
			}
			id := string(d.Value)
			if seen[id] {
				duplicates++
			}
			seen[id] = true
			delete(missing, id)
			settle(t, stream, d.Number, mesh.OutcomeDone)
		}
		t.Logf("image %d: none of %d acknowledged is lost; %d were delivered twice", i, one.known, duplicates)
		again.Process.Kill()
		again.Wait()
	}
}
