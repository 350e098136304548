package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/serial-data-protocol/sdp/bench/rpc/go/peers/pb"
)

func init() {
	peers["grpc-go"] = peer{
		serve: serveGRPC, connect: connectGRPC,
		flows: map[string]func(address) (flow, error){
			"up":   func(at address) (flow, error) { client, err := dialGRPC(at); return grpcUp(client), err },
			"both": func(at address) (flow, error) { client, err := dialGRPC(at); return grpcBoth(client), err },
		},
		beside: func(at address) (caller, flow, error) {
			client, err := dialGRPC(at)
			return grpcCaller{client}, grpcUp(client), err
		},
	}
}

// HTTP/2's windows: its 64 KiB are less than one of the largest messages.
const (
	streamBytes     = 4 << 20
	connectionBytes = 64 << 20
)

func serveGRPC(at address) error {
	listener, err := net.Listen(at.network, at.at)
	if err != nil {
		return err
	}
	server := grpc.NewServer(grpc.InitialWindowSize(streamBytes), grpc.InitialConnWindowSize(connectionBytes))
	pb.RegisterEchoServer(server, grpcServer{})
	at.ready(listener.Addr())
	return server.Serve(listener)
}

type grpcServer struct{ pb.UnimplementedEchoServer }

func (grpcServer) Call(_ context.Context, data *pb.Data) (*pb.Data, error) { return data, nil }

func (grpcServer) Up(stream grpc.ClientStreamingServer[pb.Data, pb.Count]) error {
	var count pb.Count
	for {
		if _, err := stream.Recv(); errors.Is(err, io.EOF) {
			return stream.SendAndClose(&count)
		} else if err != nil {
			return err
		}
		count.Messages++
	}
}

func (grpcServer) Both(stream grpc.BidiStreamingServer[pb.Data, pb.Data]) error {
	for {
		data, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := stream.Send(data); err != nil {
			return err
		}
	}
}

func dialGRPC(at address) (pb.EchoClient, error) {
	target := "passthrough:///" + at.at
	if at.network == "unix" {
		target = "unix:" + at.at
	}
	connection, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithInitialWindowSize(streamBytes), grpc.WithInitialConnWindowSize(connectionBytes))
	if err != nil {
		return nil, err
	}
	return pb.NewEchoClient(connection), nil
}

type grpcCaller struct{ client pb.EchoClient }

func connectGRPC(at address) (caller, error) {
	client, err := dialGRPC(at)
	return grpcCaller{client}, err
}

func (c grpcCaller) another() caller { return c }

func (c grpcCaller) call(p payload) error {
	reply, err := c.client.Call(context.Background(), &pb.Data{Data: p.bytes})
	if err != nil {
		return err
	}
	return p.look(reply.GetData())
}

func grpcUp(client pb.EchoClient) flow {
	return func(p payload, until until) (uint64, error) {
		stream, err := client.Up(context.Background())
		if err != nil {
			return 0, err
		}
		data := &pb.Data{Data: p.bytes}
		var sent uint64
		for until.more() {
			if err := stream.Send(data); err != nil {
				return 0, err
			}
			sent++
		}
		count, err := stream.CloseAndRecv()
		return sent, errors.Join(err, compareCounts(sent, count.GetMessages()))
	}
}

func grpcBoth(client pb.EchoClient) flow {
	return func(p payload, until until) (uint64, error) {
		stream, err := client.Both(context.Background())
		if err != nil {
			return 0, err
		}
		data := &pb.Data{Data: p.bytes}
		send := func() error { return stream.Send(data) }
		receive := func() error {
			reply, err := stream.Recv()
			if err != nil {
				return err
			}
			return p.look(reply.GetData())
		}
		return bothWays(until, send, stream.CloseSend, receive)
	}
}

// bothWays sends until it is time, ends that, and receives meanwhile until the end.
func bothWays(until until, send, closeSend, receive func() error) (uint64, error) {
	return sendBeside(func() (sent uint64, err error) {
		for until.more() {
			if err := send(); err != nil {
				return sent, err
			}
			sent++
		}
		return sent, closeSend()
	}, func() (int, error) { return 1, receive() })
}

// sendBeside sends, and receives meanwhile until the end; both count.
func sendBeside(send func() (uint64, error), receive func() (int, error)) (uint64, error) {
	var sent, received uint64
	sending := make(chan error, 1)
	go func() {
		n, err := send()
		sent = n
		sending <- err
	}()
	for {
		n, err := receive()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, err
		}
		received += uint64(n)
	}
	if err := <-sending; err != nil {
		return 0, err
	}
	return sent + received, compareCounts(sent, received)
}

// compareCounts refuses a count that is not what was sent.
func compareCounts(sent, counted uint64) error {
	if sent != counted {
		return fmt.Errorf("%d messages were sent, %d came", sent, counted)
	}
	return nil
}
