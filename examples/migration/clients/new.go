package clients

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/examples/migration/made/gen/plugins/v1/plugins"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

// New is the client by MXP. It gives its answers, in the words of Old.
func New(ctx context.Context, connection *mxp.Client, id string) (string, error) {
	var told strings.Builder
	registry := plugins.NewRegistryClient(connection)
	for range 2 { // the second time it is there
		adding, err := registry.Add(ctx)
		if err != nil {
			return "", err
		}
		if err := adding.Send(&plugins.Plugin{
			ID: id, Name: "Verb", Format: plugins.FormatVst3, AddedAt: sdp.Some(added), Tags: map[string]string{"a": "ü", "b": ""},
			Source: sdp.Some(plugins.PluginSource{Value: &plugins.PluginSourceUrl{Value: "https://example.com"}}),
		}); err != nil {
			return "", err
		}
		summary, err := adding.CloseAndRecv()
		if err != nil {
			summary = &plugins.Added{}
		}
		fmt.Fprintln(&told, "added", summary.Count, codeOf(err))
	}
	for _, wanted := range []string{id, "none"} {
		plugin, err := registry.Find(ctx, &plugins.FindRequest{ID: wanted})
		if err != nil {
			plugin = plugins.NewPlugin()
		}
		url, at := "", int64(0)
		if source, is := plugin.Source.Value.Value.(*plugins.PluginSourceUrl); is {
			url = source.Value
		}
		if plugin.AddedAt.Present {
			at = plugin.AddedAt.Value.UnixNano()
		}
		fmt.Fprintln(&told, "found", plugin.ID, plugin.Name, plugin.Tags, url, at, textOf(err), codeOf(err))
	}
	list, err := registry.List(ctx, &plugins.ListRequest{Format: sdp.Some(plugins.FormatVst3)})
	if err != nil {
		return "", err
	}
	for plugin, err := range list.All() {
		if err != nil {
			return "", err
		}
		fmt.Fprintln(&told, "listed", plugin.ID, int32(plugin.Format))
	}
	scan, err := registry.Scan(ctx, mxp.WithMetadata("user", []byte("me")))
	if err != nil {
		return "", err
	}
	defer scan.Close()
	for _, path := range []string{"/lib/a.clap", "/lib/b"} {
		if err := scan.Send(&plugins.ScanRequest{Path: path}); err != nil {
			return "", err
		}
		scanned, err := scan.Recv()
		if err != nil {
			return "", err
		}
		name, held := "", ""
		if scanned.Plugin != nil {
			name = scanned.Plugin.Name
			if source, is := scanned.Plugin.Source.Value.Value.(*plugins.PluginSourcePath); is {
				held = source.Value
			}
		}
		fmt.Fprintln(&told, "scanned", scanned.Path, name, held)
	}
	return told.String(), scan.CloseSend()
}

// codeOf is the name of the status that an error has.
func codeOf(err error) string {
	var failure *mxp.Failure
	if errors.As(err, &failure) {
		return failure.Status.String()
	}
	return "OK"
}

func textOf(err error) string {
	var failure *mxp.Failure
	if errors.As(err, &failure) {
		return failure.Text
	}
	return ""
}
