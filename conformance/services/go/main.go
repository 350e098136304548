// Command services serves ledger.Ledger, and calls all of it: in another process,
// in another language, by another release of the schema.
//
//	services serve mxp+unix:///tmp/ledger.sock
//	services call  mxp+unix:///tmp/ledger.sock
//	services serve mxp+ws://127.0.0.1:9000/ledger
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/websocket"
)

// The key that the server's interceptor asks for.
const (
	keyName   = "key"
	sesame    = "sesame"
	seenName  = "seen"
	keyStatus = 16
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: services serve|call ADDRESS")
		os.Exit(2)
	}
	do := map[string]func(context.Context, string) error{"serve": serve, "call": call}[os.Args[1]]
	if do == nil {
		do = func(context.Context, string) error { return errors.New("it is either serve or call") }
	}
	websocket.Register(websocket.Options{})
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := do(ctx, os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "services:", err)
		os.Exit(1)
	}
}

// patience is how long the peer may take for everything together.
const patience = time.Minute

func call(ctx context.Context, at string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, err := dial(at)
	if err != nil {
		return err
	}
	defer c.connection.Close()
	for _, ask := range []func(context.Context) error{c.calls, c.waits, c.blobs, c.lists, c.sums, c.negates, c.books, c.rounds} {
		if err := ask(ctx); err != nil {
			return err
		}
	}
	fmt.Println("done")
	if c.wrong > 0 {
		return fmt.Errorf("%d lines are not as they should be", c.wrong)
	}
	return nil
}

// failure is why a request has failed; one that nothing has no status.
func failure(err error) *mxp.Failure {
	var f *mxp.Failure
	if !errors.As(err, &f) {
		f = &mxp.Failure{Name: fmt.Sprint("no failure: ", err)}
	}
	return f
}
