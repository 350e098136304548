// Command migration is the server of a plugin registry in the middle of its move from gRPC to
// MXP: it listens for both, and one handler answers.
//
//	migration GRPC-ADDRESS MXP-ADDRESS
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"

	"google.golang.org/grpc"

	"github.com/serial-data-protocol/sdp/examples/migration/made/bridge/plugins/v1/pluginsbridge"
	"github.com/serial-data-protocol/sdp/examples/migration/made/gen/plugins/v1/plugins"
	"github.com/serial-data-protocol/sdp/examples/migration/made/pb/pluginspb"
	"github.com/serial-data-protocol/sdp/examples/migration/registry"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// protoc stands for protoc with its two plugins of Go.
//
//go:generate go tool protoc -plugin protoc-gen-go-grpc -I protos -out made/pb -module github.com/serial-data-protocol/sdp/examples/migration/made/pb plugins.proto
//go:generate go tool sdp import proto protos --out schemas --bridge go=made/bridge
//go:generate go tool sdp gen

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 2 {
		return errors.New("usage: migration GRPC-ADDRESS MXP-ADDRESS")
	}
	listener, err := net.Listen("tcp", args[0])
	if err != nil {
		return err
	}
	return serveBoth(ctx, listener, args[1], registry.New())
}

// serveBoth lets a handler serve gRPC on a listener and MXP at an address, until the context
// ends or either fails.
func serveBoth(ctx context.Context, listener net.Listener, address string, handler plugins.RegistryServer) error {
	ctx, end := context.WithCancel(ctx)
	defer end()

	old := grpc.NewServer()
	pluginspb.RegisterRegistryServer(old, pluginsbridge.NewRegistryGRPCServer(handler))
	context.AfterFunc(ctx, old.GracefulStop)
	failed := make(chan error, 1)
	go func() {
		defer end()
		failed <- old.Serve(listener)
	}()

	services := mxp.NewServices()
	plugins.RegisterRegistry(services, handler)
	err := mxp.NewServer(mxp.ServerOptions{Services: services}).ListenAndServe(ctx, address)
	end()
	if errors.Is(err, mxp.ErrServerClosed) {
		err = nil
	}
	if other := <-failed; other != nil {
		err = errors.Join(err, fmt.Errorf("gRPC: %w", other))
	}
	return err
}
