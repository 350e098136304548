package doc

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// each does something for each number below n, side by side on all processors.
func each(n int, do func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		}()
	}
	workers.Wait()
}
