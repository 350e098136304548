// Package clients has a client of the registry from before its move and one from after it,
// which do the same.
package clients

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/serial-data-protocol/sdp/examples/migration/made/pb/pluginspb"
)

// added is when all plugins of the clients were.
var added = time.Date(2026, 5, 4, 3, 2, 1, 5, time.UTC)

// Old is the client by grpc-go. It gives its answers.
func Old(ctx context.Context, connection grpc.ClientConnInterface, id string) (string, error) {
	var told strings.Builder
	registry := pluginspb.NewRegistryClient(connection)
	for range 2 { // the second time it is there
		adding, err := registry.Add(ctx)
		if err != nil {
			return "", err
		}
		if err := adding.Send(&pluginspb.Plugin{
			Id: id, Name: "Verb", Format: pluginspb.Format_FORMAT_VST3, AddedAt: timestamppb.New(added), Tags: map[string]string{"a": "ü", "b": ""},
			Source: &pluginspb.Plugin_Url{Url: "https://example.com"},
		}); err != nil {
			return "", err
		}
		summary, err := adding.CloseAndRecv()
		fmt.Fprintln(&told, "added", summary.GetCount(), status.Code(err))
	}
	for _, wanted := range []string{id, "none"} {
		plugin, err := registry.Find(ctx, &pluginspb.FindRequest{Id: wanted})
		fmt.Fprintln(&told, "found", plugin.GetId(), plugin.GetName(), plugin.GetTags(), plugin.GetUrl(), plugin.GetAddedAt().AsTime().UnixNano(), status.Convert(err).Message(), status.Code(err))
	}
	format := pluginspb.Format_FORMAT_VST3
	list, err := registry.List(ctx, &pluginspb.ListRequest{Format: &format})
	if err != nil {
		return "", err
	}
	for {
		plugin, err := list.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", err
		}
		fmt.Fprintln(&told, "listed", plugin.GetId(), plugin.GetFormat().Number())
	}
	scan, err := registry.Scan(metadata.AppendToOutgoingContext(ctx, "user", "me"))
	if err != nil {
		return "", err
	}
	for _, path := range []string{"/lib/a.clap", "/lib/b"} {
		if err := scan.Send(&pluginspb.ScanRequest{Path: path}); err != nil {
			return "", err
		}
		scanned, err := scan.Recv()
		if err != nil {
			return "", err
		}
		fmt.Fprintln(&told, "scanned", scanned.GetPath(), scanned.GetPlugin().GetName(), scanned.GetPlugin().GetPath())
	}
	return told.String(), scan.CloseSend()
}
