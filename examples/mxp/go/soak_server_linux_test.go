//go:build soak

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// serving is a server that is restarted and killed at one address, as a supervisor does that has the next
// one ready: it begins as soon as the address is free, and its predecessor drains beside it.
type serving struct {
	t               *testing.T
	program, at     string
	says            string // the file in which it says what it holds, if it does
	cmd             *exec.Cmd
	before          sync.WaitGroup // servers that drain
	restarts, kills int
}

func newServing(t *testing.T, program string) *serving {
	s := &serving{t: t, program: program, at: address(t, "unix")}
	s.start()
	return s
}

// newSaying starts a server that reports its memory, where its language has a collector, which runs only
// while something happens. V8's heap grows to several times of its live data, unless Node gets a limit.
func newSaying(t *testing.T, program string) *serving {
	if program != all["typescript"] && program != all["go"] {
		return newServing(t, program)
	}
	file := filepath.Join(t.TempDir(), "held")
	t.Setenv("MXP_HELD", file)
	t.Setenv("NODE_OPTIONS", fmt.Sprintf("%s --max-old-space-size=%d", os.Getenv("NODE_OPTIONS"), soakMemory>>20))
	s := newServing(t, program)
	s.says = file
	return s
}

func (s *serving) start() { s.cmd = served(s.t, s.program, s.at, fmt.Sprint(soakMemory)) }

func (s *serving) kill() {
	s.cmd.Process.Kill()
	s.cmd.Wait()
	s.start()
	s.kills++
}

// drainMost is how long a server may drain beside hostile peers: streams of theirs never end,
// and the programs cut off what is left after 5 s.
const drainMost = 20 * time.Second

// restart tells the server to end, and starts the next one when its socket is gone.
func (s *serving) restart() {
	old, path := s.cmd, strings.TrimPrefix(s.at, "mxp+unix://")
	old.Process.Signal(syscall.SIGTERM)
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		if _, err := os.Lstat(path); err != nil {
			break
		}
		if time.Since(began) > 10*time.Second {
			s.t.Fatal("a server that drains keeps its socket")
		}
	}
	s.before.Add(1)
	go func() {
		defer s.before.Done()
		late := time.AfterFunc(drainMost, func() { old.Process.Kill() })
		defer late.Stop()
		if err := old.Wait(); err != nil {
			s.t.Errorf("a server that drained for at most %v ended with %v", drainMost, err)
		}
	}()
	s.start()
	s.restarts++
}

// drained waits for all servers before this one.
func (s *serving) drained() { s.before.Wait() }

// suffers restarts and kills the server in turn after each pause, and kills clients of it
// all the time. It gives the most memory that a server had while clients could reach it.
func (s *serving) suffers(ctx context.Context, pause time.Duration) (most int) {
	next := time.Now().Add(pause)
	for ctx.Err() == nil {
		sleep(ctx, 100*time.Millisecond+rand.N(100*time.Millisecond))
		most = max(most, peak(s.t, s.cmd.Process.Pid))
		clientIsKilled(s.t, programs[[...]string{"go", "rust", "cpp"}[rand.N(3)]], s.at)
		if time.Now().Before(next) || ctx.Err() != nil {
			continue
		}
		most = max(most, peak(s.t, s.cmd.Process.Pid))
		if (s.restarts+s.kills)%3 == 1 {
			s.kill()
		} else {
			s.restart()
		}
		next = time.Now().Add(pause)
	}
	return most
}

// holding is a process's share of the machine.
type holding struct{ memory, files int }

// holds is the server's own report of its memory where it has one, and else all that the system has given
// it.
func (s *serving) holds() holding {
	if s.says != "" {
		return holding{s.told(), files(s.t, s.cmd.Process.Pid)}
	}
	return holding{resident(s.t, s.cmd.Process.Pid), files(s.t, s.cmd.Process.Pid)}
}

// told asks a server for its memory.
func (s *serving) told() (bytes int) {
	os.Remove(s.says)
	if err := s.cmd.Process.Signal(syscall.SIGUSR2); err != nil {
		s.t.Fatal(err)
	}
	for range 1000 {
		if text, err := os.ReadFile(s.says); err == nil {
			if bytes, err = strconv.Atoi(string(text)); err != nil {
				s.t.Fatal(err)
			}
			return bytes
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.t.Fatal("the server does not say what it holds")
	return 0
}

// peak is the most memory that a process has had, in bytes.
func peak(t *testing.T, pid int) int { return memory(t, pid, "VmHWM:") }

// near tells whether a process has about as much as at its start.
func (h holding) near(start holding) bool {
	return h.memory <= start.memory+soakRest && h.files <= start.files+16
}

// recovers waits until the server has about as much as at its start, for so long at most,
// and tells how long that took.
func (s *serving) recovers(start holding, most time.Duration) (end holding, took time.Duration) {
	began := time.Now()
	for {
		end, took = s.holds(), time.Since(began)
		if end.near(start) || took > most {
			return end, took
		}
		time.Sleep(s.looks())
	}
}

// looks is how often the server is looked at: one that collects for that does little else meanwhile.
func (s *serving) looks() time.Duration {
	if s.says != "" {
		return time.Second
	}
	return 50 * time.Millisecond
}
