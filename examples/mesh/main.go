// Command mesh is a host that finds effects in a mesh, and one of the effects.
//
//	mesh host                calls effects until SIGINT, and says which answer
//	mesh plugin NAME ADDRESS serves an effect under a name
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
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
	case len(args) == 1 && args[0] == "host":
		return host(ctx, os.Stdout)
	case len(args) == 3 && args[0] == "plugin":
		return plugin(ctx, args[1], args[2])
	}
	return fmt.Errorf("usage: mesh host | mesh plugin NAME ADDRESS")
}
