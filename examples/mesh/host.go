package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/serial-data-protocol/sdp/examples/mesh/rack"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/events"
)

// silence is how long an effect has not answered that is told to be lost.
const silence = 500 * time.Millisecond

// meter hears what effects publish.
type meter struct {
	rack.UnimplementedMeter
	output io.Writer

	mu   sync.Mutex
	told map[string]bool
}

func (m *meter) Worked(_ context.Context, w *rack.Work) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if w.Blocks > 0 && !m.told[w.Effect] {
		m.told[w.Effect] = true
		fmt.Fprintln(m.output, w.Effect, "tells of its work")
	}
	return nil
}

// host lets all effects of the mesh process blocks, one each millisecond, until the context ends,
// and says which of them answer. A call on which an effect has died is made again on another.
func host(ctx context.Context, output io.Writer) error {
	client, err := mxp.Dial("mesh:///?capability=effect", mxp.ClientOptions{
		Types: rack.EffectTypes(), Retry: &mxp.RetryPolicy{}, ConnectTimeout: 30 * time.Second,
	})
	if err != nil {
		return err
	}
	defer client.Close()
	services := mxp.NewServices()
	rack.RegisterMeter(services, &meter{output: output, told: map[string]bool{}})
	heardOf, err := events.Subscribe(services, events.Options{})
	if err != nil {
		return err
	}
	defer heardOf.Close()
	stub := rack.NewEffectClient(client)
	heard, blocks, failed := map[string]time.Time{}, map[string]int{}, 0
	for range ticks(ctx, time.Millisecond) {
		block, err := stub.Process(ctx, &rack.Block{Samples: make([]float32, 64)})
		switch {
		case ctx.Err() != nil:
		case err != nil:
			failed++
			fmt.Fprintln(output, "failed:", err)
		default:
			if _, known := heard[block.Effect]; !known {
				fmt.Fprintln(output, "heard", block.Effect)
			}
			heard[block.Effect] = time.Now()
			blocks[block.Effect]++
		}
		for name, last := range heard {
			if time.Since(last) > silence {
				fmt.Fprintln(output, "lost", name)
				delete(heard, name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(blocks)) {
		fmt.Fprintf(output, "%s has processed %d blocks\n", name, blocks[name])
	}
	fmt.Fprintln(output, failed, "calls failed")
	return nil
}

// ticks gives a time again and again, until the context ends.
func ticks(ctx context.Context, each time.Duration) <-chan time.Time {
	times := make(chan time.Time)
	go func() {
		defer close(times)
		ticker := time.NewTicker(each)
		defer ticker.Stop()
		for {
			select {
			case at := <-ticker.C:
				select {
				case times <- at:
				case <-ctx.Done():
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return times
}
