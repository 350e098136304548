package mxp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// A server with a call, an event and a stream, and a client of it.
func Example() {
	services := mxp.NewServices()
	services.Service("demo.Echo").
		Call(1, func(_ context.Context, r *mxp.Request) ([]byte, error) {
			if len(r.Value) == 0 {
				return nil, &mxp.Failure{Status: session.StatusInvalidArgument, Name: "empty", Text: "there is nothing to echo"}
			}
			return r.Value, nil
		}).
		Event(2, func(_ context.Context, r *mxp.Request) error {
			fmt.Printf("event: %s\n", r.Value)
			return nil
		}).
		Stream(3, func(ctx context.Context, _ *mxp.Request, s *mxp.Stream) error {
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
		})

	server := mxp.NewServer(mxp.ServerOptions{Services: services})
	listener, err := server.Listen("mxp+tcp://127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go server.Serve(listener)
	defer server.Close()

	client, err := mxp.Dial("mxp+tcp://"+listener.Addr().String(), mxp.ClientOptions{})
	if err != nil {
		panic(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()

	reply, err := client.Call(ctx, "demo.Echo", 1, []byte("hello"))
	fmt.Printf("reply: %s, %v\n", reply.Value, err)

	_, err = client.Call(ctx, "demo.Echo", 1, nil)
	var failure *mxp.Failure
	if errors.As(err, &failure) {
		fmt.Printf("failure: %s: %s, acted: %t\n", failure.Name, failure.Text, failure.Acted)
	}

	err = client.Event(ctx, "demo.Echo", 2, []byte("tick"), mxp.WithAck()) // waits until it was taken
	fmt.Println("event:", err)

	stream, err := client.Open(ctx, "demo.Echo", 3, nil)
	if err != nil {
		panic(err)
	}
	stream.Send(ctx, []byte("loud"))
	stream.CloseSend()
	for {
		value, err := stream.Recv(ctx)
		if err != nil {
			fmt.Println("stream:", err)
			break
		}
		fmt.Printf("stream: %s\n", value)
	}
	// Output:
	// reply: hello, <nil>
	// failure: empty: there is nothing to echo, acted: true
	// event: tick
	// event: <nil>
	// stream: LOUD
	// stream: EOF
}
