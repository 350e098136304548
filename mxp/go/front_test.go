package mxp_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// plainValue is one that is sent without being encoded.
type plainValue struct{ n int }

func TestSenderWithoutConnectionGivesItsValuesToAFunction(t *testing.T) {
	var sent []int
	full := errors.New("full")
	s := mxp.NewSender(func(v *plainValue) error {
		if len(sent) == 5 {
			return full
		}
		sent = append(sent, v.n)
		return nil
	})
	if err := s.Send(&plainValue{1}); err != nil {
		t.Error(err)
	}
	if n, err := s.SendBatch([]plainValue{{2}, {3}}); n != 2 || err != nil {
		t.Error(n, err)
	}
	if n, err := s.SendAll(func(yield func(*plainValue) bool) { _ = yield(&plainValue{4}) && yield(&plainValue{5}) }); n != 2 || err != nil {
		t.Error(n, err)
	}
	if n, err := s.SendBatch([]plainValue{{6}}); n != 0 || !errors.Is(err, full) {
		t.Error(n, err)
	}
	if !slices.Equal(sent, []int{1, 2, 3, 4, 5}) {
		t.Error(sent)
	}
}

func TestReceiverWithoutConnectionHasItsValuesFromAFunction(t *testing.T) {
	next := 0
	r := mxp.NewReceiver(func() (*plainValue, error) {
		if next == 6 {
			return nil, io.EOF
		}
		next++
		return &plainValue{next}, nil
	})
	defer r.Close()
	if v, err := r.Recv(); err != nil || v.n != 1 {
		t.Error(v, err)
	}
	batch := make([]plainValue, 3)
	if n, err := r.RecvBatch(batch); n != 1 || err != nil || batch[0].n != 2 {
		t.Error(n, err, batch)
	}
	var rest []int
	for v, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		rest = append(rest, v.n)
	}
	if !slices.Equal(rest, []int{3, 4, 5, 6}) {
		t.Error(rest)
	}
	if _, err := r.RecvBatch(batch); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

func TestContextWithoutConnectionHasARequest(t *testing.T) {
	ctx := mxp.WithRequest(context.Background(), &mxp.Request{Metadata: []mxp.Metadatum{{Key: "user", Value: []byte("a")}}})
	if user, found := mxp.RequestFrom(ctx).Get("user"); !found || string(user) != "a" {
		t.Errorf("%q, %t", user, found)
	}
	mxp.SetReplyMetadata(ctx, "cost", []byte("1"))
	if set := mxp.ReplyMetadata(ctx); len(set) != 1 || set[0].Key != "cost" || string(set[0].Value) != "1" {
		t.Error(set)
	}
	if set := mxp.ReplyMetadata(context.Background()); set != nil {
		t.Error(set)
	}
}

func TestFailureOfAnErrorIsWhatAPeerIsTold(t *testing.T) {
	for _, one := range []struct {
		err  error
		want mxp.Failure
	}{
		{mxp.Refuse(mxp.Failure{Status: session.StatusNotFound, Name: "none"}), mxp.Failure{Status: session.StatusNotFound, Name: "none"}},
		{&mxp.Failure{Status: session.StatusAborted, Name: "late"}, mxp.Failure{Status: session.StatusAborted, Name: "late", Acted: true}},
		{context.DeadlineExceeded, mxp.Failure{Status: session.StatusDeadlineExceeded, Name: "deadline_exceeded", Acted: true}},
		{errors.New("odd"), mxp.Failure{Status: session.StatusUnknown, Name: "unknown", Text: "odd", Acted: true}},
	} {
		got := mxp.FailureOf(one.err)
		if got.Error() != one.want.Error() || got.Status != one.want.Status || got.Acted != one.want.Acted {
			t.Errorf("%v: %+v", one.err, got)
		}
	}
}
