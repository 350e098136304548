package mxp_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// sends opens a stream and sends chunks on it that ask for Acks, of which the last is final.
func (p *peer) sends(method uint16, values ...string) uint64 {
	p.t.Helper()
	id, err := p.s.Open(session.Request{Method: method}, 100, 1000, nil, false, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	p.flush()
	for granted(p.told, id) == 0 && p.read() {
	}
	for i, value := range values {
		if _, err := p.s.Chunk(id, []byte(value), i == len(values)-1, i > 0, 0); err != nil {
			p.t.Fatal(err)
		}
	}
	p.flush()
	return id
}

func granted(told []session.Incoming, id uint64) (messages uint32) {
	for _, in := range told {
		if g, ok := in.(*session.Granted); ok && g.ID == id {
			messages += g.Messages
		}
	}
	return messages
}

// acked reads until a chunk is acknowledged, and reports whether it was.
func (p *peer) acked(id, chunk uint64) bool {
	for {
		for _, in := range p.told {
			if a, ok := in.(*session.Acked); ok && a.ID == id && a.Chunk == chunk {
				return true
			}
		}
		if !p.read() {
			return false
		}
	}
}

// [MXP-8.1] [MXP-8.5]
func TestStreamWhoseChunksAskForAcksEnds(t *testing.T) {
	for _, batches := range []bool{false, true} {
		services := mxp.NewServices()
		services.Service("demo.Echo").
			Stream(1, func(ctx context.Context, _ *mxp.Request, s *mxp.Stream) error {
				for {
					if _, err := s.Recv(ctx); errors.Is(err, io.EOF) {
						return nil
					} else if err != nil {
						return err
					}
				}
			}).
			Stream(2, func(ctx context.Context, _ *mxp.Request, s *mxp.Stream) error {
				_, err := s.Recv(ctx)
				time.Sleep(20 * time.Millisecond) // the others have come, and are not read
				return err
			})
		server := mxp.NewServer(mxp.ServerOptions{Services: services})
		r := &running{server: server, at: places.Free(t)}
		listener, err := server.Listen(r.at)
		if err != nil {
			t.Fatal(err)
		}
		go server.Serve(listener)
		t.Cleanup(server.Close)
		p := intrude(t, r)
		p.s = session.New(session.Config{OfferBatches: batches}, 0)
		p.greet()
		for _, method := range []uint16{1, 2} {
			id := p.sends(method, "one", "two", "three", "four")
			if !p.acked(id, 4) {
				t.Errorf("method %d: the last chunk is not acknowledged: %v", method, p.told)
			}
			p.s.Finish(id, 0)
			p.flush()
		}
		eventually(t, func() bool { return r.server.Stats().InFlightPeer == 0 })
	}
}
