package jetstream_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/serial-data-protocol/sdp/mesh/registry"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// A thousand times, three nodes register the same name at once. [MESH-2.2, MESH-2.3]
func TestOfAllWhoRaceForANameOneHasIt(t *testing.T) {
	members := three(t)
	const races, atOnce = 1000, 20
	var mu sync.Mutex
	epochs := map[uint64]string{}
	race := func(name string) {
		leases := make([]registry.Lease, len(members))
		errs := make([]error, len(members))
		var running sync.WaitGroup
		for i, m := range members {
			running.Go(func() { leases[i], errs[i] = m.Register(soon(t), holder(uint64(i+1)), wanted(name)) })
		}
		running.Wait()
		won := -1
		for i, err := range errs {
			switch {
			case err == nil && won < 0:
				won = i
			case err == nil:
				t.Errorf("%s: nodes %d and %d both have it", name, won+1, i+1)
			case !errors.Is(err, session.ErrAgentTaken):
				t.Errorf("%s: node %d ends with %v", name, i+1, err)
			}
		}
		if won < 0 {
			t.Errorf("%s: nobody has it: %v", name, errs)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if other, twice := epochs[leases[won].Epoch]; twice {
			t.Errorf("%s and %s have the same epoch", name, other)
		}
		epochs[leases[won].Epoch] = name
	}
	var running sync.WaitGroup
	for first := range atOnce {
		running.Go(func() {
			for n := first; n < races; n += atOnce {
				race(fmt.Sprintf("race-%d", n))
			}
		})
	}
	running.Wait()
	for _, m := range members {
		until(t, "all know all", func() bool { return m.Cache().Len() == races })
	}
}
