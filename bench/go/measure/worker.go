// Package measure runs loops and reports their times and allocations. Each codec is measured in a process
// of its own, so that what another one keeps alive cannot help or hurt it: how often Go's collector runs
// depends on the live heap. It knows nothing of formats or targets.
package measure

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"time"

	bench "github.com/serial-data-protocol/sdp/bench/go"
)

// Heap names the live memory besides the codec's own data while a sample is taken.
type Heap string

// The heap modes, both with Go's default GOGC=100.
const (
	HeapMinimal Heap = "minimal"  // nothing else: the collector runs at its smallest heap, every 4 MiB
	HeapLive64  Heap = "live64mb" // 64 MiB without pointers: the collector runs every 64 MiB
)

// Job is the work of one worker process: cases of one codec on one value, in one heap mode.
type Job struct {
	Dataset string
	Codec   string
	Cases   []bench.Case
	Heap    Heap
	// SampleTime is the least that a sample takes; zero makes each sample a single run.
	SampleTime time.Duration
}

// ready is a worker's first answer.
type ready struct {
	EncodedBytes int
	LiveBytes    uint64
	Error        string
}

// order asks for one sample of a case of the job, by position.
type order struct{ Case int }

// Sample is a worker's answer: one timed run of a loop.
type Sample struct {
	Iterations  int
	Nanoseconds int64
	Mallocs     uint64
	Allocated   uint64
	Error       string
}

// worker is the state of the process that runs loops.
type worker struct {
	loops      []bench.Loop
	iterations []int
	ballast    []byte
}

// work is the worker process: it answers the orders on in, until its end, on out.
func work(dataDir string, job Job, in io.Reader, out io.Writer) error {
	answers := json.NewEncoder(out)
	w := &worker{}
	size, err := w.open(dataDir, job)
	if err != nil {
		return answers.Encode(ready{Error: err.Error()})
	}
	if err := answers.Encode(ready{EncodedBytes: size, LiveBytes: w.settle(job)}); err != nil {
		return err
	}
	orders := json.NewDecoder(in)
	for {
		var o order
		if err := orders.Decode(&o); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := answers.Encode(w.sample(o.Case)); err != nil {
			return err
		}
	}
}

// Profile runs one case for a while under the CPU profiler.
func Profile(dataDir string, job Job, during time.Duration, profile io.Writer) error {
	w := &worker{}
	if _, err := w.open(dataDir, job); err != nil {
		return err
	}
	w.settle(job)
	if err := pprof.StartCPUProfile(profile); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	for start := time.Now(); time.Since(start) < during; {
		if s := w.sample(0); s.Error != "" {
			return fmt.Errorf("%s", s.Error)
		}
	}
	return nil
}

// open prepares and calibrates the loops. Memory for the preparation alone is garbage when it returns.
func (w *worker) open(dataDir string, job Job) (int, error) {
	subject, err := bench.Find(dataDir, job.Dataset, job.Codec)
	if err != nil {
		return 0, err
	}
	loops, size, err := subject.Open(job.Cases)
	if err != nil {
		return 0, err
	}
	w.loops = loops
	w.iterations = make([]int, len(loops))
	for i, loop := range loops {
		if w.iterations[i], err = calibrate(loop, job.SampleTime); err != nil {
			return 0, err
		}
	}
	return size, nil
}

// settle brings the heap into the job's mode and returns what is alive.
func (w *worker) settle(job Job) uint64 {
	if job.Heap == HeapLive64 {
		w.ballast = make([]byte, 64<<20)
	}
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// calibrate finds how many iterations take at least d.
func calibrate(loop bench.Loop, d time.Duration) (int, error) {
	for n := 1; ; {
		start := time.Now()
		if err := loop.Run(n); err != nil {
			return 0, err
		}
		took := time.Since(start)
		if took >= d {
			return n, nil
		}
		// Aim a little past d, but trust a short measurement at most for a hundredfold.
		aim := float64(n) * 1.2 * float64(d) / float64(max(took, 1))
		n = max(n+1, int(min(aim, 100*float64(n))))
	}
}

// sample times one run. The collection before it gives every sample the same start.
func (w *worker) sample(i int) Sample {
	n := w.iterations[i]
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	err := w.loops[i].Run(n)
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(w.ballast)
	if err != nil {
		return Sample{Error: err.Error()}
	}
	return Sample{
		Iterations: n, Nanoseconds: took.Nanoseconds(),
		Mallocs: after.Mallocs - before.Mallocs, Allocated: after.TotalAlloc - before.TotalAlloc,
	}
}
