// Package before is the registry's server before its move, by grpc-go alone.
package before

import (
	"context"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/serial-data-protocol/sdp/examples/migration/made/pb/pluginspb"
)

// Registry has the plugins of a host.
type Registry struct {
	pluginspb.UnimplementedRegistryServer

	mu   sync.Mutex
	held map[string]*pluginspb.Plugin
}

// New makes a registry that is empty.
func New() *Registry { return &Registry{held: map[string]*pluginspb.Plugin{}} }

// Find gives a plugin.
func (r *Registry) Find(_ context.Context, request *pluginspb.FindRequest) (*pluginspb.Plugin, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	plugin, found := r.held[request.GetId()]
	if !found {
		return nil, status.Error(codes.NotFound, "no plugin is called "+request.GetId())
	}
	return plugin, nil
}

// List sends the plugins of a format, or all, by their ids.
func (r *Registry) List(request *pluginspb.ListRequest, stream grpc.ServerStreamingServer[pluginspb.Plugin]) error {
	r.mu.Lock()
	held := maps.Clone(r.held)
	r.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(held)) {
		if request.Format != nil && held[id].GetFormat() != request.GetFormat() {
			continue
		}
		if err := stream.Send(held[id]); err != nil {
			return err
		}
	}
	return nil
}

// Add takes plugins.
func (r *Registry) Add(stream grpc.ClientStreamingServer[pluginspb.Plugin, pluginspb.Added]) error {
	added := &pluginspb.Added{}
	for {
		plugin, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return stream.SendAndClose(added)
		}
		if err != nil {
			return err
		}
		r.mu.Lock()
		_, there := r.held[plugin.GetId()]
		if !there {
			r.held[plugin.GetId()] = plugin
		}
		r.mu.Unlock()
		if there {
			return status.Error(codes.AlreadyExists, plugin.GetId()+" is there")
		}
		added.Count++
	}
}

// Scan tells of each path what it holds.
func (r *Registry) Scan(stream grpc.BidiStreamingServer[pluginspb.ScanRequest, pluginspb.Scanned]) error {
	for {
		request, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		scanned := &pluginspb.Scanned{Path: request.GetPath()}
		if path.Ext(request.GetPath()) == ".clap" {
			scanned.Plugin = &pluginspb.Plugin{
				Id: path.Base(request.GetPath()), Format: pluginspb.Format_FORMAT_CLAP, AddedAt: &timestamppb.Timestamp{},
				Source: &pluginspb.Plugin_Path{Path: request.GetPath()},
			}
			if users := metadata.ValueFromIncomingContext(stream.Context(), "user"); len(users) > 0 {
				scanned.Plugin.Name = "found for " + users[0]
			}
		}
		if err := stream.Send(scanned); err != nil {
			return err
		}
	}
}
