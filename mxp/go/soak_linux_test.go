package mxp_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// Calls, streams and events at half load make neither side's memory nor its
// descriptors grow. MXP_SOAK is for how many seconds.
func TestSoak(t *testing.T) {
	seconds := number("MXP_SOAK", 3)
	at := "mxp+unix://" + filepath.Join(t.TempDir(), "s.sock")
	server := process(t, "serve", at)
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	clients := connect(t, at, 4)
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(seconds)*time.Second)
	defer cancel()

	var calls atomic.Int64
	var all sync.WaitGroup
	for i, c := range clients {
		all.Add(1)
		go func() {
			defer all.Done()
			for n := 0; ctx.Err() == nil; n++ {
				began := time.Now()
				for range 8 {
					if err := soak(c, n*7919+i); err != nil {
						t.Error(err)
						return
					}
					calls.Add(1)
				}
				time.Sleep(time.Since(began)) // as long as it took
			}
		}()
	}
	type use struct{ memory, files int }
	measure := func() use {
		return use{status(t, server.Process.Pid, "VmRSS") + status(t, os.Getpid(), "VmRSS"), descriptors(t) + filesOf(t, server.Process.Pid)}
	}
	time.Sleep(time.Duration(seconds) * time.Second / 4)
	early := measure()
	<-ctx.Done()
	all.Wait()
	late := measure()
	t.Logf("%d requests in %d s: %d MB and %d files after a quarter of the time, %d MB and %d at its end",
		calls.Load(), seconds, early.memory>>20, early.files, late.memory>>20, late.files)
	if late.files > early.files || late.memory > early.memory+early.memory/4+16<<20 {
		t.Error("it grows")
	}
}

// soak makes one request of some kind and size.
func soak(c *mxp.Client, n int) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	value := make([]byte, n%(64<<10))
	switch n % 4 {
	case 0:
		return c.Event(ctx, "demo.Echo", 4, value)
	case 1:
		s, err := c.Open(ctx, "demo.Echo", 5, nil)
		if err != nil {
			return err
		}
		for range 3 {
			if err := s.Send(ctx, value); err != nil {
				return err
			}
		}
		if err := s.CloseSend(); err != nil {
			return err
		}
		for {
			if _, err := s.Recv(ctx); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
		}
	}
	_, err := c.Call(ctx, "demo.Echo", 1, value)
	return err
}

// filesOf is how many files another process has open.
func filesOf(t *testing.T, pid int) int {
	all, err := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}
