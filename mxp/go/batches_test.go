package mxp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Both ends say what they are told to, and the messages of a busy stream share frames if both
// take batches. Either may be one that takes none, as peers of release 0.3.
func TestBatchesOfStreamsAndEvents(t *testing.T) {
	for _, without := range [][2]bool{{false, false}, {true, false}, {false, true}} {
		t.Run(fmt.Sprint(without), func(t *testing.T) {
			r := start(t, places.Plain, mxp.ServerOptions{NoBatches: without[0]})
			client, err := mxp.Dial(r.at, mxp.ClientOptions{NoBatches: without[1]})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(client.Close)
			ctx := within(t, time.Minute)
			const messages = 5_000
			stream, err := client.Open(ctx, "demo.Echo", 5, nil)
			if err != nil {
				t.Fatal(err)
			}
			sent := make(chan error, 1)
			go func() {
				for i := range messages {
					if err := stream.Send(ctx, fmt.Appendf(nil, "message %d", i)); err != nil {
						sent <- err
						return
					}
				}
				sent <- stream.CloseSend()
			}()
			var kept [][]byte
			for i := range messages {
				value, err := stream.Recv(ctx)
				if err != nil {
					t.Fatal(i, err)
				}
				kept = append(kept, value)
			}
			if _, err := stream.Recv(ctx); !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			if err := <-sent; err != nil {
				t.Fatal(err)
			}
			for i, value := range kept { // they are the caller's own
				if string(value) != strings.ToUpper(fmt.Sprint("message ", i)) {
					t.Fatalf("%d is %q", i, value)
				}
			}
			for range messages {
				if err := client.Event(ctx, "demo.Echo", 4, []byte("x")); err != nil {
					t.Fatal(err)
				}
			}
			eventually(t, func() bool { return r.events.Load() == messages })
			if m := method(client.Stats(), "4"); m.InFlight != 0 || m.Requests[session.StatusOK] != messages {
				t.Errorf("the client has counted %+v", m)
			}
			stats := r.server.Stats()
			chunks, events := stats.In.Of(frame.StreamChunks).Frames, stats.In.Of(frame.Events).Frames
			if batched := !without[0] && !without[1]; batched != (chunks > 0) || !batched && events > 0 {
				t.Errorf("%d batches of chunks, %d of Events", chunks, events)
			}
			eventually(t, func() bool { return r.server.Stats().HeldBytes < 4<<10 && client.Stats().HeldBytes < 4<<10 })
		})
	}
}

// A batch counts until the last of its chunks is taken, and not after that.
func TestBatchCountsUntilItIsTaken(t *testing.T) {
	taken, take := make(chan int), make(chan struct{})
	services := mxp.NewServices()
	services.Service("demo.Echo").Stream(5, func(ctx context.Context, _ *mxp.Request, s *mxp.Stream) error {
		for i := range 3 {
			<-take
			if _, err := s.Recv(ctx); err != nil {
				return err
			}
			taken <- i
		}
		<-take
		return nil
	})
	r := &running{at: places.Free(t)}
	server := mxp.NewServer(mxp.ServerOptions{Services: services})
	listener, err := server.Listen(r.at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	t.Cleanup(server.Close)
	p := intrude(t, r)
	p.s = session.New(session.Config{OfferBatches: true}, 0)
	p.greet()
	id, err := p.s.Open(session.Request{Method: 5}, 1, 1, nil, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	p.flush()
	for !slices.ContainsFunc(p.told, func(in session.Incoming) bool { _, is := in.(*session.Granted); return is }) {
		p.read()
	}
	base := settled(server)
	for range 3 {
		if _, err := p.s.Chunk(id, make([]byte, 4000), false, false, 0); err != nil {
			t.Fatal(err)
		}
	}
	p.flush()
	const item = 64
	eventually(t, func() bool { return server.Stats().HeldBytes-base == 3*(4000+2+item) })
	for i := range 3 {
		take <- struct{}{}
		<-taken
		want := 3 * (4002 + item)
		if i == 2 {
			want = 0
		}
		eventually(t, func() bool { return server.Stats().HeldBytes-base == want })
	}
	take <- struct{}{}
}
