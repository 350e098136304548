// Command services serves a mixing desk, and calls it.
//
//	services                   both, in one process
//	services serve ADDRESS
//	services call  ADDRESS
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 0:
		return both(ctx)
	case len(args) == 2 && args[0] == "serve":
		return serve(ctx, args[1])
	case len(args) == 2 && args[0] == "call":
		return call(ctx, args[1])
	}
	return fmt.Errorf("usage: services [serve ADDRESS | call ADDRESS]")
}

// both lets the client call the server. That the server may be there later than the
// client is no matter.
func both(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "mixer")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	address := "mxp+unix://" + filepath.Join(folder, "mixer.sock")

	serving, end := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- serve(serving, address) }()
	err = call(ctx, address)
	end()
	if failed := <-served; failed != nil {
		return failed
	}
	return err
}
