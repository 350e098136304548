package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// kills is how often something is killed; MXP_KILLS is for longer runs.
func kills() int {
	if n, err := strconv.Atoi(os.Getenv("MXP_KILLS")); err == nil {
		return n
	}
	return 10
}

// TestServersAreKilled kills servers of every language while they are called:
// every call ends once, and says whether the server may have acted.
func TestServersAreKilled(t *testing.T) {
	for language, program := range programs {
		t.Run(language, func(t *testing.T) {
			at := address(t, "unix")
			client, err := mxp.Dial(at, mxp.ClientOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			var begun, answered, acted, unsent atomic.Int64
			stop := make(chan struct{})
			var callers sync.WaitGroup
			for range 8 {
				callers.Add(1)
				go func() {
					defer callers.Done()
					for {
						select {
						case <-stop:
							return
						default:
						}
						begun.Add(1)
						ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
						_, err := client.Call(ctx, service, echo, make([]byte, rand.N(20_000)))
						cancel()
						var f *mxp.Failure
						switch {
						case err == nil:
							answered.Add(1)
						case !errors.As(err, &f) || !errors.Is(err, session.ErrLost):
							t.Errorf("ended with %v", err)
						case f.Acted:
							acted.Add(1)
						default:
							unsent.Add(1)
						}
					}
				}()
			}
			for range kills() {
				server := started(t, program, "serve", at)
				waitFor(t, client)
				time.Sleep(rand.N(5 * time.Millisecond))
				server.Process.Kill()
				server.Wait()
			}
			close(stop)
			server := started(t, program, "serve", at)
			callers.Wait()
			server.Process.Kill()
			server.Wait()
			t.Logf("%d kills, %d calls: %d answered, %d may have been acted on, %d not", kills(), begun.Load(), answered.Load(), acted.Load(), unsent.Load())
			if begun.Load() != answered.Load()+acted.Load()+unsent.Load() || answered.Load() == 0 {
				t.Error("the numbers don't add up")
			}
		})
	}
}

// waitFor returns when the server answers.
func waitFor(t *testing.T, client *mxp.Client) {
	t.Helper()
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		_, err := client.Call(ctx, service, echo, nil)
		cancel()
		if err == nil {
			return
		}
		if !errors.Is(err, session.ErrLost) {
			t.Fatal(err)
		}
	}
}

func started(t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(program, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// TestClientsAreKilled kills clients of every language in the middle of a stream:
// servers of every language keep nothing of them, and serve others.
func TestClientsAreKilled(t *testing.T) {
	words := append([]string{"stream", ""}, strings.Fields(strings.Repeat("word ", 2_000))...)
	for serves, program := range programs {
		t.Run(serves, func(t *testing.T) {
			at := "mxp+unix://" + filepath.Join(t.TempDir(), "echo.sock")
			server := started(t, program, "serve", at)
			t.Cleanup(func() { server.Process.Kill(); server.Wait() })
			client, err := mxp.Dial(at, mxp.ClientOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			waitFor(t, client)
			before := files(t, server.Process.Pid)
			words[1] = at
			for _, asks := range programs {
				for range kills() {
					asking := started(t, asks, words...)
					time.Sleep(rand.N(8 * time.Millisecond))
					asking.Process.Kill()
					asking.Wait()
				}
			}
			waitFor(t, client)
			for end := time.Now().Add(5 * time.Second); files(t, server.Process.Pid) > before; time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("%d files are open, %d were before", files(t, server.Process.Pid), before)
				}
			}
		})
	}
}

// files is how many a process has open.
func files(t *testing.T, pid int) int {
	all, err := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}
