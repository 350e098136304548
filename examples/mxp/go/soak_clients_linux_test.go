//go:build soak

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

func waitForServer(t *testing.T, at string) { waitFor(t, dialed(t, at)) }

// dialed is a client that is closed when the test ends.
func dialed(t *testing.T, at string) *mxp.Client {
	t.Helper()
	client, err := mxp.Dial(at, mxp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// timed makes a small call, and counts what becomes of it.
func timed(client *mxp.Client, sum *tally) {
	within, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	sum.made++
	began := time.Now()
	_, err := client.Call(within, service, echo, make([]byte, 64))
	sum.ended(err, time.Since(began))
}

// loading is a program that loads a server.
type loading struct {
	cmd *exec.Cmd
	out *bytes.Buffer
}

func startLoad(t *testing.T, language, at string, callers int) loading {
	t.Helper()
	l := loading{exec.Command(programs[language], "load", at, fmt.Sprint(callers)), &bytes.Buffer{}}
	l.cmd.Stdout = l.out
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.cmd.Process.Kill() })
	return l
}

// ended ends the program, and gives its output.
func (l loading) ended(t *testing.T) string {
	t.Helper()
	ended(t, l.cmd)
	return l.out.String()
}

// clientIsKilled kills a client in the middle of a stream.
func clientIsKilled(t *testing.T, program, at string) {
	asking := started(t, program, append([]string{"stream", at}, strings.Fields(strings.Repeat("word ", 2_000))...)...)
	time.Sleep(rand.N(8 * time.Millisecond))
	asking.Process.Kill()
	asking.Wait()
}

// streamed is what calls beside streams came to.
type streamed struct {
	calls     tally
	megabytes int
}

// newBesideStreams sends streams of 1 GiB, each both ways, and calls on the same
// connection.
func newBesideStreams(ctx context.Context, t *testing.T, at string) <-chan streamed {
	done, client := make(chan streamed, 1), dialed(t, at)
	go func() {
		sum := streamed{calls: tally{names: map[string]int{}}}
		var came atomic.Int64
		var streams sync.WaitGroup
		streams.Add(1)
		go func() {
			defer streams.Done()
			for ctx.Err() == nil {
				gibibyte(ctx, client, &came)
			}
		}()
		for ctx.Err() == nil {
			timed(client, &sum.calls)
			time.Sleep(time.Millisecond)
		}
		streams.Wait()
		sum.megabytes = int(came.Load() >> 20)
		done <- sum
	}()
	return done
}

// gibibyte sends 1 GiB through a stream, and takes it back, as far as the server lives.
func gibibyte(ctx context.Context, client *mxp.Client, came *atomic.Int64) {
	within, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	s, err := client.Open(within, service, upper, nil)
	if err != nil {
		return
	}
	go func() {
		for chunk, left := make([]byte, 64<<10), 1<<30; left > 0; left -= len(chunk) {
			if s.Send(within, chunk) != nil {
				return
			}
		}
		s.CloseSend()
	}()
	for {
		chunk, err := s.Recv(within)
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				s.Close()
			}
			return
		}
		came.Add(int64(len(chunk)))
	}
}
