package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// tally has what became of calls.
type tally struct {
	made                    int
	answered, refused, lost int            // refused: nobody has acted on it
	names                   map[string]int // of failures
	took                    []time.Duration
}

func (t *tally) add(o *tally) {
	t.made += o.made
	t.answered += o.answered
	t.refused += o.refused
	t.lost += o.lost
	for name, n := range o.names {
		t.names[name] += n
	}
	t.took = append(t.took, o.took...)
}

// ended counts a call.
func (t *tally) ended(err error, took time.Duration) {
	var f *mxp.Failure
	switch {
	case err == nil:
		t.answered++
		t.took = append(t.took, took)
		return
	case errors.As(err, &f) && !f.Acted:
		t.refused++
		t.names[f.Name]++
	case errors.As(err, &f):
		t.lost++
		t.names[f.Name]++
	}
}

func (t *tally) String() string {
	slices.Sort(t.took)
	at := func(permille int) int64 {
		if len(t.took) == 0 {
			return 0
		}
		return t.took[min(len(t.took)*permille/1000, len(t.took)-1)].Microseconds()
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(t.names)) {
		names = append(names, fmt.Sprintf("%s:%d", name, t.names[name]))
	}
	if names == nil {
		names = []string{"-"}
	}
	return fmt.Sprintf("calls=%d answered=%d refused=%d lost=%d p50_us=%d p99_us=%d max_us=%d failures=%s",
		t.made, t.answered, t.refused, t.lost, at(500), at(990), at(1000), strings.Join(names, ","))
}

// load calls echo from several callers at once until the program is told to end, and
// prints what became of the calls. With chunks, a stream of them goes beside the calls, and
// each caller calls once in a millisecond.
func load(ctx context.Context, client *mxp.Client, args []string) error {
	numbers := [3]int{1, 64, 0} // callers, bytes of a call and of a chunk
	for i, arg := range args[:min(len(args), len(numbers))] {
		n, err := strconv.Atoi(arg)
		if err != nil || n < 0 {
			return errors.New("load takes a number of callers, of bytes, and of bytes of a chunk")
		}
		numbers[i] = n
	}
	callers, size, chunk := numbers[0], numbers[1], numbers[2]
	streamed := make(chan int, 1)
	if chunk > 0 {
		go func() { streamed <- echoes(ctx, client, chunk) }()
	}
	all := tally{names: map[string]int{}}
	var mu sync.Mutex
	var running sync.WaitGroup
	for range callers {
		running.Add(1)
		go func() {
			defer running.Done()
			own := tally{names: map[string]int{}}
			value := make([]byte, size)
			for ctx.Err() == nil {
				own.made++
				began := time.Now()
				within, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
				_, err := client.Call(within, service, echo, value)
				cancel()
				own.ended(err, time.Since(began))
				if chunk > 0 {
					time.Sleep(time.Millisecond)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			all.add(&own)
		}()
	}
	running.Wait()
	fmt.Println(&all)
	if chunk > 0 {
		fmt.Printf("streamed=%d\n", <-streamed)
	}
	return nil
}

// echoes sends chunks until the program is told to end, and gives how many bytes came back.
func echoes(ctx context.Context, client *mxp.Client, chunk int) (bytes int) {
	s, err := client.Open(ctx, service, upper, nil)
	if err != nil {
		return 0
	}
	go func() {
		for value := make([]byte, chunk); s.Send(ctx, value) == nil; {
		}
	}()
	for {
		value, err := s.Recv(ctx)
		if err != nil {
			return bytes
		}
		bytes += len(value)
	}
}
