// Package registry is the handler of the registry after its move: it knows nothing of gRPC.
package registry

import (
	"context"
	"maps"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/serial-data-protocol/sdp/examples/migration/made/gen/plugins/v1/plugins"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

// Registry has the plugins of a host. Its methods are called by several goroutines.
type Registry struct {
	plugins.UnimplementedRegistry

	mu   sync.Mutex
	held map[string]plugins.Plugin
}

// New makes a registry that is empty.
func New() *Registry { return &Registry{held: map[string]plugins.Plugin{}} }

// Find gives a plugin, or refuses with the status NotFound.
func (r *Registry) Find(_ context.Context, request *plugins.FindRequest) (*plugins.Plugin, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	plugin, found := r.held[request.ID]
	if !found {
		return nil, mxp.Refuse(mxp.Failure{Status: session.StatusNotFound, Name: "no_such_plugin", Text: "no plugin is called " + request.ID})
	}
	return &plugin, nil
}

// List sends the plugins of a format, or all, by their ids.
func (r *Registry) List(_ context.Context, request *plugins.ListRequest, responses *mxp.Sender[plugins.Plugin]) error {
	r.mu.Lock()
	held := maps.Clone(r.held)
	r.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(held)) {
		plugin := held[id]
		if request.Format.Present && plugin.Format != request.Format.Value {
			continue
		}
		if err := responses.Send(&plugin); err != nil {
			return err
		}
	}
	return nil
}

// Add takes plugins, and refuses one that is there with the status AlreadyExists.
func (r *Registry) Add(_ context.Context, requests *mxp.Receiver[plugins.Plugin]) (*plugins.Added, error) {
	added := &plugins.Added{}
	for plugin, err := range requests.All() {
		if err != nil {
			return nil, err
		}
		r.mu.Lock()
		_, there := r.held[plugin.ID]
		if !there {
			r.held[plugin.ID] = *plugin
		}
		r.mu.Unlock()
		if there {
			return nil, &mxp.Failure{Status: session.StatusAlreadyExists, Name: "plugin_there", Text: plugin.ID + " is there", Details: []byte(plugin.ID)}
		}
		added.Count++
	}
	return added, nil
}

// Scan tells of each path what it holds.
func (r *Registry) Scan(ctx context.Context, requests *mxp.Receiver[plugins.ScanRequest], responses *mxp.Sender[plugins.Scanned]) error {
	for request, err := range requests.All() {
		if err != nil {
			return err
		}
		scanned := &plugins.Scanned{Path: request.Path}
		if path.Ext(request.Path) == ".clap" {
			scanned.Plugin = &plugins.Plugin{
				ID: path.Base(request.Path), Format: plugins.FormatClap, AddedAt: sdp.Some(time.Unix(0, 0).UTC()),
				Source: sdp.Some(plugins.PluginSource{Value: &plugins.PluginSourcePath{Value: request.Path}}),
			}
		}
		if user, said := mxp.RequestFrom(ctx).Get("user"); said && scanned.Plugin != nil {
			scanned.Plugin.Name = "found for " + string(user)
		}
		if err := responses.Send(scanned); err != nil {
			return err
		}
	}
	return nil
}
