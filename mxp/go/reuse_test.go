package mxp_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"testing"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
)

// blob is a value that is bytes.
type blob struct{ bytes []byte }

func (b *blob) AppendBinary(to []byte) ([]byte, error) { return append(to, b.bytes...), nil }

func (b *blob) UnmarshalBinary(data []byte) error {
	b.bytes = append(b.bytes[:0], data...)
	return nil
}

// Buffers that values of a stream are encoded into, and come in, are used for the next: a
// value costs what its user keeps, and stays as it was.
func TestStreamsOfValuesUseTheirBuffersAgain(t *testing.T) {
	const size, count = 100 << 10, 400
	method := &mxp.Method{Service: "demo.Blobs", Name: "echo", Number: 1}
	services := mxp.NewServices()
	mxp.HandleBidiStream(services, method, func(_ context.Context, requests *mxp.Receiver[blob], responses *mxp.Sender[blob]) error {
		for one := new(blob); ; {
			err := requests.RecvInto(one)
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if err := responses.Send(one); err != nil {
				return err
			}
		}
	})
	server := mxp.NewServer(mxp.ServerOptions{Services: services})
	at := places.Free(t)
	listener, err := server.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	t.Cleanup(server.Close)
	client, err := mxp.Dial(at, mxp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	stream, err := mxp.OpenBidiStream[blob, blob](t.Context(), client, method)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	go func() {
		one := blob{make([]byte, size)}
		for i := range count {
			for at := range one.bytes {
				one.bytes[at] = byte(i)
			}
			if err := stream.Send(&one); err != nil {
				t.Error(err)
				return
			}
		}
		stream.CloseSend()
	}()
	var all [][]byte
	for one, err := range stream.All() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, one.bytes)
	}
	runtime.ReadMemStats(&after)
	if len(all) != count {
		t.Fatalf("%d values have come back of %d", len(all), count)
	}
	for i, value := range all {
		if !bytes.Equal(value, bytes.Repeat([]byte{byte(i)}, size)) {
			t.Fatalf("value %d has changed", i)
		}
	}
	allocated := float64(after.TotalAlloc-before.TotalAlloc) / (size * count)
	t.Logf("each value has allocated %.2f times its bytes, of which the client keeps 1", allocated)
	if allocated > 2 && patience == 1 { // the race detector makes pools forget
		t.Error("it is more than what is kept, and some")
	}
}
