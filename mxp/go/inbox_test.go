package mxp_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// unread serves streams that nobody reads before they are let go on.
func unread(t *testing.T) (r *running, server *mxp.Server, read chan struct{}) {
	t.Helper()
	read = make(chan struct{})
	services := mxp.NewServices()
	services.Service("demo.Echo").Stream(5, func(ctx context.Context, _ *mxp.Request, s *mxp.Stream) error {
		<-read
		for {
			if _, err := s.Recv(ctx); err != nil {
				return err
			}
		}
	})
	r = &running{at: places.Free(t)}
	server = mxp.NewServer(mxp.ServerOptions{Services: services})
	listener, err := server.Listen(r.at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	t.Cleanup(server.Close)
	return r, server, read
}

// A whole window of chunks that have no bytes is 64 bytes for each of them, in batches with
// the numbers of their records; there is no room for one more.
func TestWindowOfEmptyChunksIsHeldByItsNumber(t *testing.T) {
	const window = 16 << 10
	for _, batches := range []bool{true, false} {
		t.Run(fmt.Sprint(batches), func(t *testing.T) {
			r, server, read := unread(t)
			p := intrude(t, r)
			p.s = session.New(session.Config{OfferBatches: batches, Limits: session.Limits{QueueBytes: 1 << 30, BulkBytes: 1 << 30}}, 0)
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
			for n := range window + 1 {
				_, err := p.s.Chunk(id, nil, false, false, 0)
				if want := n == window; (err == session.ErrStreamCredit) != want || !want && err != nil {
					t.Fatal(n, err)
				}
			}
			p.flush()
			records := 0
			if batches {
				records = 2 * window
			}
			eventually(t, func() bool { return server.Stats().HeldBytes-base == 64*window+records })
			p.told = nil
			close(read)
			for !slices.ContainsFunc(p.told, func(in session.Incoming) bool { _, is := in.(*session.Granted); return is }) {
				p.read()
			}
			eventually(t, func() bool { return server.Stats().HeldBytes == base })
		})
	}
}

// settled is the memory that a server holds once it has stayed the same for a while: a frame given
// out counts until it is written, and the peer may have read it before.
func settled(server *mxp.Server) (held int) {
	for same := 0; same < 20; time.Sleep(time.Millisecond) {
		if now := server.Stats().HeldBytes; now == held {
			same++
		} else {
			held, same = now, 0
		}
	}
	return held
}
