package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"go.opentelemetry.io/otel/trace"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"

	"services/gen/ledger"
)

func serve(ctx context.Context, at string) error {
	services := mxp.NewServices()
	services.Intercept(guard)
	ledger.RegisterLedger(services, &server{})
	s := mxp.NewServer(mxp.ServerOptions{Services: services})
	listener, err := s.Listen(at)
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, s.Close)
	fmt.Println("ready")
	if err := s.Serve(listener); !errors.Is(err, mxp.ErrServerClosed) {
		return err
	}
	return nil
}

// guard refuses requests with a wrong key, and names the called method in answers.
func guard(ctx context.Context, r *mxp.Request, next mxp.Handler) (mxp.Reply, error) {
	for _, m := range r.Metadata {
		if m.Key == keyName && string(m.Value) != sesame {
			return mxp.Reply{}, mxp.Refuse(mxp.Failure{Status: keyStatus, Name: "key_wrong"})
		}
	}
	reply, err := next(ctx, r)
	reply.Metadata = append(reply.Metadata, mxp.Metadatum{Key: seenName, Value: []byte(r.Name + traced(ctx))})
	return reply, err
}

// traced is the trace of a request, as W3C's headers have it.
func traced(ctx context.Context) string {
	span := trace.SpanContextFromContext(ctx)
	if !span.IsValid() {
		return ""
	}
	return fmt.Sprintf(" 00-%s-%s-%s %s", span.TraceID(), span.SpanID(), span.TraceFlags(), span.TraceState())
}

// server serves ledger.Ledger.
type server struct {
	mu     sync.Mutex
	gone   uint64 // how many that waited were cancelled
	booked ledger.Total
}

func (*server) Echo(_ context.Context, e *ledger.Entry) (*ledger.Entry, error) { return e, nil }

func (*server) Fail(_ context.Context, w *ledger.Wanted) (*ledger.Nothing, error) {
	return nil, &mxp.Failure{Status: statusOf(w.Status), Name: w.Name, Text: w.Text, Details: w.Details}
}

func (s *server) Wait(ctx context.Context, _ *ledger.Nothing) (*ledger.Nothing, error) {
	<-ctx.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone++
	return nil, ctx.Err()
}

func (s *server) Waited(context.Context, *ledger.Nothing) (*ledger.Total, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &ledger.Total{Entries: s.gone}, nil
}

func (*server) Nothing(_ context.Context, n *ledger.Nothing) (*ledger.Nothing, error) { return n, nil }

func (*server) Blob(_ context.Context, b *ledger.Blob) (*ledger.Blob, error) { return b, nil }

func (*server) List(_ context.Context, r *ledger.Range, entries *mxp.Sender[ledger.Entry]) error {
	if r.Last < r.First {
		return &mxp.Failure{Status: 3, Name: "range_empty", Text: "no numbers"}
	}
	for n := r.First; ; n++ {
		e := &ledger.Entry{ID: n, Text: strconv.FormatUint(n, 10), Amount: -int64(n)}
		if err := entries.Send(e); err != nil {
			return err
		}
		if n == r.Last {
			return nil
		}
	}
}

func (*server) Sum(_ context.Context, entries *mxp.Receiver[ledger.Entry]) (*ledger.Total, error) {
	var total ledger.Total
	for e, err := range entries.All() {
		if err != nil {
			return nil, err
		}
		total.Entries++
		if total.Amount += e.Amount; total.Amount < 0 {
			return nil, &mxp.Failure{Status: 9, Name: "sum_negative"}
		}
	}
	return &total, nil
}

func (*server) Negate(_ context.Context, entries *mxp.Receiver[ledger.Entry], negated *mxp.Sender[ledger.Entry]) error {
	for {
		e, err := entries.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		e.Amount = -e.Amount
		if err := negated.Send(e); err != nil {
			return err
		}
	}
}

func (s *server) Book(_ context.Context, b *ledger.Booking) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch one := b.Value.(type) {
	case *ledger.BookingEntry:
		if one.Value.Text == "twice" {
			return &mxp.Failure{Status: 6, Name: "booked_twice"}
		}
		s.booked.Entries++
		s.booked.Amount += one.Value.Amount
	case *ledger.BookingMany:
		s.booked.Entries += uint64(one.Times)
	}
	return nil
}

func (*server) Round(_ context.Context, r *ledger.Rounding) (*ledger.Rounding, error) { return r, nil }

func (s *server) Booked(context.Context, *ledger.Nothing) (*ledger.Total, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := s.booked
	return &total, nil
}
