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

// soakMemory is what each server may hold, in bytes.
const soakMemory = 256 << 20

// TestSoak does to a server of every language, all at once and for MXP_SOAK_ALL seconds,
// what goes wrong with servers: they are restarted and killed, their clients are killed,
// slow, silent and hostile; and clients of every language call them, one beside a stream
// of 1 GiB. Every call of theirs ends once, and nobody loses one but by a kill.
func TestSoak(t *testing.T) {
	seconds := setting("MXP_SOAK_ALL", 600)
	for language, program := range programs {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			soak(t, language, program, time.Duration(seconds)*time.Second)
		})
	}
}

// serving is a server that is started again and again at one address.
type serving struct {
	t       *testing.T
	program string
	at      string
	cmd     *exec.Cmd
}

func (s *serving) start() {
	s.cmd = served(s.t, s.program, s.at, fmt.Sprint(soakMemory))
}

func (s *serving) kill() {
	s.cmd.Process.Kill()
	s.cmd.Wait()
}

func soak(t *testing.T, language, program string, long time.Duration) {
	server := &serving{t: t, program: program, at: address(t, "unix")}
	server.start()
	defer func() { server.kill() }()
	ctx, cancel := context.WithTimeout(context.Background(), long)
	defer cancel()
	good := startLoads(t, server.at)
	beside := streamBeside(ctx, t, server.at)
	waitForServer(t, server.at)
	memory, open := resident(t, server.cmd.Process.Pid), files(t, server.cmd.Process.Pid)

	var attacks atomic.Int64
	var attackers sync.WaitGroup
	attacked, peace := context.WithTimeout(ctx, long*4/5)
	defer peace()
	for kind := range hostile {
		for range 8 {
			attackers.Add(1)
			go func() {
				defer attackers.Done()
				attacks.Add(int64(attack(attacked, server.at, kind)))
			}()
		}
	}
	most, restarts, kills := 0, 0, 0
	for n := 1; ctx.Err() == nil; n++ {
		for range 20 {
			sleep(ctx, time.Duration(250+rand.N(100))*time.Millisecond)
			most = max(most, resident(t, server.cmd.Process.Pid))
			clientIsKilled(t, programs[[...]string{"go", "rust", "cpp"}[rand.N(3)]], server.at)
		}
		switch {
		case attacked.Err() != nil: // the last fifth is for what is left then
		case n%4 == 0:
			server.kill()
			server.start()
			kills++
		default:
			ended(t, server.cmd)
			server.start()
			restarts++
		}
	}
	attackers.Wait()
	pid := server.cmd.Process.Pid
	late, left := resident(t, pid), files(t, pid)
	streams := <-beside
	t.Logf("%s: %v, %d restarts, %d kills, %d connections of hostile peers", language, long, restarts, kills, attacks.Load())
	t.Logf("memory %d KB and %d files at the start, %d KB at most, %d KB and %d at the end", memory>>10, open, most>>10, late>>10, left)
	t.Logf("beside a stream of %d MiB: %v", streams.megabytes, &streams.calls)
	for asks, l := range good {
		ended(t, l.cmd)
		sum := summaryOf(t, l.out.String())
		t.Logf("%s asks: %s", asks, strings.TrimSpace(l.out.String()))
		if sum.calls != sum.answered+sum.refused+sum.lost || sum.answered == 0 || kills == 0 && sum.lost+sum.refused > 0 {
			t.Error("the numbers don't add up")
		}
	}
	if left > open+16 || late > memory+64<<20 || most > soakMemory+soakMemory/10+32<<20 {
		t.Error("it grows")
	}
}

func sleep(ctx context.Context, long time.Duration) {
	select {
	case <-time.After(long):
	case <-ctx.Done():
	}
}

// loading is a program that loads a server.
type loading struct {
	cmd *exec.Cmd
	out *bytes.Buffer
}

func startLoads(t *testing.T, at string) map[string]loading {
	all := map[string]loading{}
	for asks, program := range programs {
		l := loading{exec.Command(program, "load", at, "2"), &bytes.Buffer{}}
		l.cmd.Stdout = l.out
		if err := l.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.cmd.Process.Kill() })
		all[asks] = l
	}
	return all
}

func waitForServer(t *testing.T, at string) {
	client, err := mxp.Dial(at, mxp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	waitFor(t, client)
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

// streamBeside sends streams of 1 GiB, each both ways, and calls on the same connection.
func streamBeside(ctx context.Context, t *testing.T, at string) <-chan streamed {
	done := make(chan streamed, 1)
	client, err := mxp.Dial(at, mxp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer client.Close()
		sum := streamed{calls: tally{names: map[string]int{}}}
		var bytes atomic.Int64
		var streams sync.WaitGroup
		streams.Add(1)
		go func() {
			defer streams.Done()
			for ctx.Err() == nil {
				gibibyte(ctx, client, &bytes)
			}
		}()
		for ctx.Err() == nil {
			began := time.Now()
			within, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			_, err := client.Call(within, service, echo, make([]byte, 64))
			cancel()
			sum.calls.ended(err, time.Since(began))
			time.Sleep(time.Millisecond)
		}
		streams.Wait()
		sum.megabytes = int(bytes.Load() >> 20)
		done <- sum
	}()
	return done
}

// gibibyte sends 1 GiB through a stream, and takes it back, as far as the server lives.
func gibibyte(ctx context.Context, client *mxp.Client, bytes *atomic.Int64) {
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
		bytes.Add(int64(len(chunk)))
	}
}
