package budget

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

// collector runs the garbage collector where the connections of a server or of a client
// hold much. Most of the memory that they allocate is garbage soon. The runtime lets garbage grow
// to the size of the live heap, and beyond that where processors are scarce.
type collector struct {
	most uint64 // bytes that may be allocated between two collections

	mu      sync.Mutex
	looked  time.Time
	cycles  uint64 // collections when it looked last
	before  uint64 // bytes that were allocated before the last of them
	samples [2]metrics.Sample
}

// lookEvery is how often the collector looks how much was allocated, at most.
const lookEvery = time.Millisecond

func newCollector(most int64) *collector {
	c := &collector{most: uint64(most)}
	c.samples[0].Name = "/gc/heap/allocs:bytes"
	c.samples[1].Name = "/gc/cycles/total:gc-cycles"
	return c
}

// look collects garbage if enough was allocated. All others that look wait meanwhile, so
// that no more comes.
func (c *collector) look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if now.Sub(c.looked) < lookEvery {
		return
	}
	c.looked = now
	metrics.Read(c.samples[:])
	allocated, cycles := c.samples[0].Value.Uint64(), c.samples[1].Value.Uint64()
	if cycles != c.cycles {
		c.cycles, c.before = cycles, allocated
	}
	if allocated-c.before >= c.most {
		runtime.GC()
	}
}
