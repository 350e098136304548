package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync/atomic"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// drainTime is how long requests in flight have to end when the server does.
const drainTime = 5 * time.Second

// serve answers until it is told to end; then it lets what is in flight end. How much
// memory its connections may take together is a number of bytes.
func serve(ctx context.Context, address string, memory []string) error {
	most := 0
	if len(memory) > 0 {
		n, err := strconv.Atoi(memory[0])
		if err != nil {
			return err
		}
		most = n
	}
	var ticks atomic.Uint64
	services := mxp.NewServices()
	services.Service(service).
		Call(echo, func(_ context.Context, r *mxp.Request) ([]byte, error) { return r.Value, nil }).
		Call(refuse, func(_ context.Context, r *mxp.Request) ([]byte, error) {
			return nil, &mxp.Failure{Status: session.StatusFailedPrecondition, Name: "demo_refused", Text: string(r.Value)}
		}).
		Stream(upper, upperCase).
		Event(tick, func(context.Context, *mxp.Request) error { ticks.Add(1); return nil }).
		Call(count, func(context.Context, *mxp.Request) ([]byte, error) {
			return binary.LittleEndian.AppendUint64(nil, ticks.Load()), nil
		})
	config, err := serverTLS()
	if err != nil {
		return err
	}
	server := mxp.NewServer(mxp.ServerOptions{Services: services, MemoryBytes: most, TLS: config})
	listener, err := server.Listen(address)
	if err != nil {
		return err
	}
	fmt.Println("serving", listener.Addr())
	context.AfterFunc(ctx, func() {
		within, cancel := context.WithTimeout(context.Background(), drainTime)
		defer cancel()
		server.Shutdown(within)
	})
	if err := server.Serve(listener); !errors.Is(err, mxp.ErrServerClosed) {
		return err
	}
	return nil
}

func upperCase(ctx context.Context, _ *mxp.Request, s *mxp.Stream) error {
	for {
		value, err := s.Recv(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.Send(ctx, bytes.ToUpper(value)); err != nil {
			return err
		}
	}
}
