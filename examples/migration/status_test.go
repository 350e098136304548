package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/serial-data-protocol/sdp/examples/migration/made/bridge/convert"
	"github.com/serial-data-protocol/sdp/examples/migration/made/bridge/front"
	"github.com/serial-data-protocol/sdp/examples/migration/made/bridge/plugins/v1/pluginsbridge"
	"github.com/serial-data-protocol/sdp/examples/migration/made/gen/plugins/v1/plugins"
	"github.com/serial-data-protocol/sdp/examples/migration/made/pb/pluginspb"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

func TestStatusesAreTheSameInBoth(t *testing.T) {
	for number := session.StatusCancelled; number <= session.StatusUnauthenticated; number++ {
		for _, acted := range []bool{true, false} {
			f := mxp.Failure{Status: number, Name: "some_name", Text: "said", Details: []byte{0, 255}, Acted: acted}
			err := error(&f)
			if !acted {
				err = mxp.Refuse(f)
			}
			s := status.Convert(front.Status(err))
			if s.Code() != codes.Code(number) || s.Message() != "said" {
				t.Errorf("%v is %v to gRPC", number, s)
			}
			if back := mxp.FailureOf(front.Failure(s.Err())); back.Error() != f.Error() || string(back.Details) != string(f.Details) || back.Acted != acted {
				t.Errorf("%+v comes back as %+v", f, back)
			}
		}
		// A plain status of gRPC, without details of MXP.
		if f := mxp.FailureOf(front.Failure(status.Error(codes.Code(number), "said"))); f.Status != number || f.Text != "said" || !f.Acted || f.Name != snake(number.String()) {
			t.Errorf("%v is %+v to MXP", number, f)
		}
	}
	for _, number := range []session.Status{session.StatusOK, session.StatusUnauthenticated + 1, 60_000} {
		if s := status.Convert(front.Status(&mxp.Failure{Status: number, Name: "odd"})); s.Code() != codes.Unknown || s.Message() != "odd" {
			t.Errorf("%d is %v to gRPC", number, s)
		}
	}
	for err, want := range map[error]codes.Code{
		context.Canceled: codes.Canceled, context.DeadlineExceeded: codes.DeadlineExceeded, errors.New("odd"): codes.Unknown, status.Error(codes.DataLoss, "lost"): codes.DataLoss,
	} {
		if got := status.Code(front.Status(err)); got != want {
			t.Errorf("%v is %v to gRPC", err, got)
		}
	}
}

func snake(name string) string {
	var b strings.Builder
	for i, r := range strings.Replace(name, "Cancelled", "Canceled", 1) {
		if i > 0 && 'A' <= r && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}

// TestTableOfStatusesIsThatOfTheDocs holds the table in docs/from-protobuf.md against both.
func TestTableOfStatusesIsThatOfTheDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/from-protobuf.md")
	if err != nil {
		t.Fatal(err)
	}
	for number := session.StatusOK; number <= session.StatusUnauthenticated; number++ {
		if row := fmt.Sprintf("| %d | `%v` | `%v` |", number, codes.Code(number), number); !strings.Contains(string(text), "\n"+row) {
			t.Errorf("the docs have no row %s", row)
		}
	}
}

// waiting is a server whose calls wait for their end.
type waiting struct {
	plugins.UnimplementedRegistry
	began chan struct{}
	ended chan error
}

// end is how the context of a call has ended.
func (w *waiting) end(t *testing.T) error {
	t.Helper()
	select {
	case err := <-w.ended:
		return err
	case <-time.After(10 * time.Second):
		t.Fatal("the handler is not told of the end")
		return nil
	}
}

func (w *waiting) Find(ctx context.Context, _ *plugins.FindRequest) (*plugins.Plugin, error) {
	mxp.SetReplyMetadata(ctx, "seen", []byte{0})
	if _, waits := mxp.RequestFrom(ctx).Get("wait"); !waits {
		return &plugins.Plugin{Source: sdp.Some(plugins.PluginSource{Value: &plugins.PluginSourceUnknown{Number: 9}})}, nil
	}
	<-ctx.Done()
	w.ended <- ctx.Err()
	return nil, ctx.Err()
}

func (w *waiting) List(ctx context.Context, _ *plugins.ListRequest, _ *mxp.Sender[plugins.Plugin]) error {
	w.began <- struct{}{}
	<-ctx.Done()
	w.ended <- ctx.Err()
	return ctx.Err()
}

// TestDeadlinesAndCancellationsReachHandlers calls by gRPC what waits for its context.
func TestDeadlinesAndCancellationsReachHandlers(t *testing.T) {
	w := &waiting{began: make(chan struct{}, 1), ended: make(chan error, 2)}
	old, _ := both(t, w)
	client := pluginspb.NewRegistryClient(dialOld(t, old))
	if _, err := client.Find(deadline(t), &pluginspb.FindRequest{}, grpc.WaitForReady(true)); status.Code(err) != codes.Internal {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(deadline(t), "wait", "1"), 300*time.Millisecond)
	defer cancel()
	if _, err := client.Find(ctx, &pluginspb.FindRequest{}); status.Code(err) != codes.DeadlineExceeded {
		t.Error(err)
	}
	if err := w.end(t); err == nil {
		t.Error("the handler was not told of the deadline")
	}
	streaming, leave := context.WithCancel(deadline(t))
	list, err := client.List(streaming, &pluginspb.ListRequest{})
	if err != nil {
		t.Fatal(err)
	}
	<-w.began
	leave()
	if _, err := list.Recv(); status.Code(err) != codes.Canceled {
		t.Error(err)
	}
	if err := w.end(t); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestValuesWithoutAPlaceAreRefusedByPath converts what one of the sides doesn't have.
func TestValuesWithoutAPlaceAreRefusedByPath(t *testing.T) {
	old, _ := both(t, &waiting{})
	var header metadata.MD
	_, err := pluginspb.NewRegistryClient(dialOld(t, old)).Find(deadline(t), &pluginspb.FindRequest{}, grpc.Header(&header))
	if status.Code(err) != codes.Internal || !strings.HasSuffix(err.Error(), "source: the other side has no such alternative") {
		t.Error(err)
	}
	if seen := header.Get("seen-bin"); len(seen) != 1 || seen[0] != "\x00" {
		t.Errorf("the header is %v", header)
	}
	_, err = pluginsbridge.ScannedToProto(&plugins.Scanned{Plugin: &plugins.Plugin{AddedAt: sdp.Some(time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC))}})
	if fault := new(convert.Error); !errors.As(err, &fault) || fault.Path != "plugin.added_at" || !errors.Is(err, convert.ErrTimeRange) {
		t.Error(err)
	}
}

// TestLinesOfTheDocsAreThoseOfTheServer finds the code in docs/from-protobuf.md in main.go.
func TestLinesOfTheDocsAreThoseOfTheServer(t *testing.T) {
	text, err := os.ReadFile("../../docs/from-protobuf.md")
	if err != nil {
		t.Fatal(err)
	}
	server, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(text), "\n```go untested: examples/migration has these lines")[1:]
	if len(blocks) != 2 {
		t.Fatalf("the docs have %d blocks", len(blocks))
	}
	for _, block := range blocks {
		_, lines, _ := strings.Cut(block, "\n")
		if lines, _, _ = strings.Cut(lines, "```"); !strings.Contains(string(server), lines) {
			t.Errorf("the server has no\n%s", lines)
		}
	}
}
