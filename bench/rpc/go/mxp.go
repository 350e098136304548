//go:build sdp

package main

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"

	"github.com/serial-data-protocol/sdp/bench/rpc/go/gen/bench"
)

func init() {
	peers["mxp"] = peer{
		serve: serveMXP, connect: connectMXP,
		flows: map[string]func(address) (flow, error){
			"event": func(at address) (flow, error) { client, err := dialMXP(at); return mxpEvents(client), err },
			"up":    func(at address) (flow, error) { client, err := dialMXP(at); return mxpUp(client), err },
			"both":  func(at address) (flow, error) { client, err := dialMXP(at); return mxpBoth(client), err },
		},
		beside: func(at address) (caller, flow, error) {
			client, err := dialMXP(at)
			return mxpCaller{client}, mxpUp(client), err
		},
	}
}

// patience is how long a count may take to be what it is to be.
const patience = 5 * time.Second

func urlOf(at address) string { return "mxp+" + at.network + "://" + at.at }

// spinOf is how long who waits looks for bytes: where the address spins, as long as a process does that may be on several cores.
func spinOf(at address) time.Duration {
	if at.spins {
		return session.ShmSpinUs * time.Microsecond
	}
	return 0
}

func serveMXP(at address) error { return serveMXPBy(&mxpServer{}, at) }

func serveMXPBy(echo bench.EchoServer, at address) error {
	services := mxp.NewServices()
	bench.RegisterEcho(services, echo)
	server := mxp.NewServer(mxp.ServerOptions{Services: services, ShmSpin: spinOf(at)})
	listener, err := server.Listen(urlOf(at))
	if err != nil {
		return err
	}
	at.ready(listener.Addr())
	return server.Serve(listener)
}

type mxpServer struct{ told atomic.Uint64 }

func (*mxpServer) Echo(_ context.Context, data *bench.Data) (*bench.Data, error) { return data, nil }

func (*mxpServer) Up(_ context.Context, requests *mxp.Receiver[bench.Data]) (*bench.Count, error) {
	var count bench.Count
	for data := new(bench.Data); ; {
		if err := requests.RecvInto(data); errors.Is(err, io.EOF) {
			return &count, nil
		} else if err != nil {
			return nil, err
		}
		count.Messages++
	}
}

func (*mxpServer) Both(_ context.Context, requests *mxp.Receiver[bench.Data], responses *mxp.Sender[bench.Data]) error {
	for {
		data, err := requests.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := responses.Send(data); err != nil {
			return err
		}
	}
}

func (s *mxpServer) Tell(context.Context, *bench.Data) error {
	s.told.Add(1)
	return nil
}

func (s *mxpServer) Told(context.Context, *bench.Nothing) (*bench.Count, error) {
	return &bench.Count{Messages: s.told.Load()}, nil
}

func dialMXP(at address) (*bench.EchoClient, error) {
	client, err := mxp.Dial(urlOf(at), mxp.ClientOptions{Types: bench.EchoTypes(), ShmSpin: spinOf(at)})
	if err != nil {
		return nil, err
	}
	return bench.NewEchoClient(client), nil
}

type mxpCaller struct{ client *bench.EchoClient }

func connectMXP(at address) (caller, error) {
	client, err := dialMXP(at)
	return mxpCaller{client}, err
}

func (c mxpCaller) another() caller { return c }

func (c mxpCaller) call(p payload) error {
	reply, err := c.client.Echo(context.Background(), &bench.Data{Data: p.bytes})
	if err != nil {
		return err
	}
	return p.look(reply.Data)
}

func mxpEvents(client *bench.EchoClient) flow {
	return countedEvents(client, func(p payload, until until) (sent uint64, err error) {
		data := &bench.Data{Data: p.bytes}
		for until.more() {
			if err := client.Tell(context.Background(), data); err != nil {
				return 0, err
			}
			sent++
		}
		return sent, nil
	})
}

// countedEvents waits until the server has counted what send has sent.
func countedEvents(client *bench.EchoClient, send flow) flow {
	told := func() (uint64, error) {
		count, err := client.Told(context.Background(), &bench.Nothing{})
		if err != nil {
			return 0, err
		}
		return count.Messages, nil
	}
	return func(p payload, until until) (uint64, error) {
		before, err := told()
		if err != nil {
			return 0, err
		}
		sent, err := send(p, until)
		if err != nil {
			return 0, err
		}
		for start := time.Now(); ; {
			now, err := told()
			if err != nil {
				return 0, err
			}
			if now-before >= sent || time.Since(start) > patience {
				return sent, compareCounts(sent, now-before)
			}
		}
	}
}

func mxpUp(client *bench.EchoClient) flow {
	return func(p payload, until until) (uint64, error) {
		stream, err := client.Up(context.Background())
		if err != nil {
			return 0, err
		}
		data := &bench.Data{Data: p.bytes}
		var sent uint64
		for until.more() {
			if err := stream.Send(data); err != nil {
				return 0, err
			}
			sent++
		}
		count, err := stream.CloseAndRecv()
		if err != nil {
			return 0, err
		}
		return sent, compareCounts(sent, count.Messages)
	}
}

func mxpBoth(client *bench.EchoClient) flow {
	return func(p payload, until until) (uint64, error) {
		stream, err := client.Both(context.Background())
		if err != nil {
			return 0, err
		}
		data := &bench.Data{Data: p.bytes}
		send := func() error { return stream.Send(data) }
		receive := func() error {
			reply, err := stream.Recv()
			if err != nil {
				return err
			}
			return p.look(reply.Data)
		}
		return bothWays(until, send, stream.CloseSend, receive)
	}
}
