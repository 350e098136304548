//go:build sdp

package main

import (
	"context"
	"errors"
	"io"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"

	"github.com/serial-data-protocol/sdp/bench/rpc/go/gen/bench"
)

func init() {
	peers["mxp-batch"] = peer{
		serve: func(at address) error { return serveMXPBy(&batchServer{}, at) },
		flows: map[string]func(address) (flow, error){
			"event": func(at address) (flow, error) { client, err := dialMXP(at); return batchEvents(client), err },
			"up":    func(at address) (flow, error) { client, err := dialMXP(at); return batchUp(client), err },
			"both":  func(at address) (flow, error) { client, err := dialMXP(at); return batchBoth(client), err },
		},
	}
}

// atOnce is how many messages are sent, and received, at once.
const atOnce = 256

type batchServer struct{ mxpServer }

func (*batchServer) Up(_ context.Context, requests *mxp.Receiver[bench.Data]) (*bench.Count, error) {
	var count bench.Count
	for all := make([]bench.Data, atOnce); ; {
		n, err := requests.RecvBatch(all)
		if errors.Is(err, io.EOF) {
			return &count, nil
		}
		if err != nil {
			return nil, err
		}
		count.Messages += uint64(n)
	}
}

func (*batchServer) Both(_ context.Context, requests *mxp.Receiver[bench.Data], responses *mxp.Sender[bench.Data]) error {
	for all := make([]bench.Data, atOnce); ; {
		n, err := requests.RecvBatch(all)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := responses.SendBatch(all[:n]); err != nil {
			return err
		}
	}
}

// sendBatches sends until it is time, so many messages at once, and counts them.
func sendBatches(p payload, until until, send func([]bench.Data) (int, error)) (sent uint64, err error) {
	all := make([]bench.Data, atOnce)
	for i := range all {
		all[i].Data = p.bytes
	}
	for n := until.several(atOnce); n > 0 && err == nil; n = until.several(atOnce) {
		n, err = send(all[:n])
		sent += uint64(n)
	}
	return sent, err
}

func batchEvents(client *bench.EchoClient) flow {
	return countedEvents(client, func(p payload, until until) (uint64, error) {
		return sendBatches(p, until, func(all []bench.Data) (int, error) { return client.TellBatch(context.Background(), all) })
	})
}

func batchUp(client *bench.EchoClient) flow {
	return func(p payload, until until) (uint64, error) {
		stream, err := client.Up(context.Background())
		if err != nil {
			return 0, err
		}
		sent, err := sendBatches(p, until, stream.SendBatch)
		if err != nil {
			return 0, err
		}
		count, err := stream.CloseAndRecv()
		if err != nil {
			return 0, err
		}
		return sent, compareCounts(sent, count.Messages)
	}
}

func batchBoth(client *bench.EchoClient) flow {
	return func(p payload, until until) (uint64, error) {
		stream, err := client.Both(context.Background())
		if err != nil {
			return 0, err
		}
		send := func() (uint64, error) {
			sent, err := sendBatches(p, until, stream.SendBatch)
			return sent, errors.Join(err, stream.CloseSend())
		}
		all := make([]bench.Data, atOnce)
		receive := func() (int, error) {
			n, err := stream.RecvBatch(all)
			for i := range all[:n] {
				err = errors.Join(err, p.look(all[i].Data))
			}
			return n, err
		}
		return sendBeside(send, receive)
	}
}
