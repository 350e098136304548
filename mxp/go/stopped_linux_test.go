package mxp_test

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// soon are limits by which a peer that has stopped is found within a moment.
var soon = session.Limits{Ping: patience * 100_000, Pong: patience * 100_000}

// A server whose process is stopped is found, what waits for it ends, and when it goes
// on the client is in service again. [MXP-10.3]
func TestStoppedServerIsFound(t *testing.T) {
	at := "mxp+unix://" + filepath.Join(t.TempDir(), "s.sock")
	server := process(t, "serve", at)
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	client, err := mxp.Dial(at, mxp.ClientOptions{Limits: soon})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	ctx := within(t, patience*20*time.Second)
	if _, err := client.Call(ctx, "demo.Echo", 1, nil); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 2)
	go func() {
		_, err := client.Call(context.Background(), "demo.Echo", 3, nil)
		ended <- err
	}()
	s, err := client.Open(ctx, "demo.Echo", 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, err := s.Recv(context.Background())
		ended <- err
	}()
	eventually(t, func() bool { return client.Stats().InFlightHere == 2 })
	time.Sleep(20 * time.Millisecond) // for both to be sent
	server.Process.Signal(syscall.SIGSTOP)
	began := time.Now()
	for range 2 {
		var f *mxp.Failure
		if err := <-ended; !errors.Is(err, session.ErrSilent) || !errors.As(err, &f) || f.Status != session.StatusUnavailable || !f.Acted {
			t.Errorf("what waited ended with %v", err)
		}
	}
	if took := time.Since(began); took > patience*2*time.Second {
		t.Errorf("it was found after %v", took)
	}
	server.Process.Signal(syscall.SIGCONT)
	if _, err := client.Call(ctx, "demo.Echo", 1, nil); err != nil {
		t.Error(err)
	}
}

// A client whose process is stopped is found, and forgotten.
func TestStoppedClientIsFound(t *testing.T) {
	r := start(t, "unix", mxp.ServerOptions{Limits: soon})
	client := process(t, "call", r.at)
	t.Cleanup(func() { client.Process.Kill(); client.Wait() })
	client.Process.Signal(syscall.SIGSTOP)
	eventually(t, func() bool {
		stats := r.server.Stats()
		silent, stalled := stats.Refusals[session.ErrSilent.Number()], stats.Refusals[session.ErrStalled.Number()]
		return silent+stalled == 1 && stats.InFlightPeer == 0
	})
}
