package mxp_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// serveUntilTold is a program as the documentation has it: it ends when ListenAndServe
// returns. A path that ends in "shutdown" lets Shutdown end it instead of the context.
func serveUntilTold(at string) {
	told, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	services := mxp.NewServices()
	services.Service("demo.Slow").Call(1, func(context.Context, *mxp.Request) ([]byte, error) {
		time.Sleep(300 * time.Millisecond)
		return []byte("late"), nil
	})
	server, ctx := mxp.NewServer(mxp.ServerOptions{Services: services}), told
	if strings.HasSuffix(at, "shutdown") {
		ctx = context.Background()
		go func() {
			<-told.Done()
			server.Shutdown(context.Background())
		}()
	}
	fmt.Println("serving")
	if err := server.ListenAndServe(ctx, at); err != mxp.ErrServerClosed {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// A program that ends when ListenAndServe returns cuts no call, however the drain began.
func TestProgramThatServesEndsAfterItsCalls(t *testing.T) {
	for _, way := range []string{"context", "shutdown"} {
		at := "mxp+unix://" + filepath.Join(t.TempDir(), way)
		server := process(t, "drain", at)
		client, err := mxp.Dial(at, mxp.ClientOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		if err := client.Ready(within(t, 10*time.Second)); err != nil {
			eventually(t, func() bool { return client.Ready(context.Background()) == nil })
		}
		answered := make(chan error, 1)
		go func() {
			_, err := client.Call(context.Background(), "demo.Slow", 1, nil)
			answered <- err
		}()
		eventually(t, func() bool { return client.Stats().InFlightHere == 1 })
		time.Sleep(20 * time.Millisecond) // for it to come
		server.Process.Signal(syscall.SIGTERM)
		if err := <-answered; err != nil {
			t.Errorf("%s: the call ended with %v", way, err)
		}
		if err := server.Wait(); err != nil {
			t.Errorf("%s: the program ended with %v", way, err)
		}
	}
}
