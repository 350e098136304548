// Package examples is the schemas that the playground's page has to choose from. They are
// files of this repository: its examples, and some of the conformance vectors.
package examples

import (
	"os"
	"path"
	"path/filepath"

	"github.com/serial-data-protocol/sdp/playground/api"
)

// Example is a schema, and the page's first view of it.
type Example struct {
	Title  string     `json:"title"`
	Schema api.Schema `json:"schema"`
	// Type is that of the value, and Value its JSON; without one it is a sample.
	Type  string `json:"type"`
	Value string `json:"value"`
	// Old is the root's text in an older release; without one it is empty.
	Old string `json:"old"`
}

// source says where the files of an example lie, from the repository's root.
type source struct {
	title, folder, root, kind string
	// imported are the files that the root imports, from the folder, too; on the page all
	// lie in one.
	imported []string
	// old and value are files, from the repository's root.
	old, value string
}

var sources = []source{
	{title: "A session that has grown", folder: "examples/evolution/v2", root: "session.sdp", kind: "Session", old: "examples/evolution/v1/session.sdp"},
	{title: "A registry of audio plugins", folder: "examples/registry", root: "plugins.sdp", kind: "PluginRegistry"},
	{title: "The same registry, compact", folder: "examples/registry", root: "compact.sdp"},
	{title: "A stream of a host's events", folder: "examples/stream", root: "host.sdp", kind: "PluginEvent"},
	{title: "A service of a mixer", folder: "examples/services", root: "mixer.sdp", kind: "Gain"},
	{title: "Blocks of audio", folder: "examples/audio", root: "audio.sdp"},
	{title: "A plug-in in a process of its own", folder: "examples/processor", root: "processor.sdp", kind: "Block"},
	{title: "Panels of plug-ins in a page", folder: "examples/web", root: "rack.sdp", kind: "Plugins"},
	{title: "Effects in a mesh", folder: "examples/mesh", root: "rack.sdp"},
	{title: "Plugins of a gRPC service", folder: "examples/migration/schemas", root: "plugins.sdp", kind: "Plugin"},
	{title: "A schema with an import", folder: "examples/cmake/schemas", root: "mixer.sdp", imported: []string{"../shared/audio.sdp"}},
	{title: "The same for a build script", folder: "examples/rust-build/schemas", root: "mixer.sdp", imported: []string{"../shared/audio.sdp"}},
	{title: "OpenTelemetry: common types", folder: "examples/otel", root: "common.sdp"},
	{title: "OpenTelemetry: logs", folder: "examples/otel", root: "logs.sdp", kind: "LogsData", imported: []string{"common.sdp"}, value: "examples/otel/logs.json"},
	{title: "OpenTelemetry: metrics", folder: "examples/otel", root: "metrics.sdp", kind: "MetricsData", imported: []string{"common.sdp"}, value: "examples/otel/metrics.json"},
	{title: "OpenTelemetry: traces", folder: "examples/otel", root: "trace.sdp", imported: []string{"common.sdp"}, value: "examples/otel/trace.json"},
	{title: "Vectors: scalars", folder: "conformance/schemas", root: "scalars.sdp"},
	{title: "Vectors: maps", folder: "conformance/schemas", root: "maps.sdp"},
	{title: "Vectors: optionals", folder: "conformance/schemas", root: "optionals.sdp"},
	{title: "Vectors: messages", folder: "conformance/schemas", root: "messages.sdp", kind: "Outer"},
	{title: "Vectors: unions", folder: "conformance/schemas", root: "unions.sdp", kind: "Holder"},
	{title: "Vectors: defaults", folder: "conformance/schemas", root: "defaults.sdp", imported: []string{"common.sdp"}},
}

// Read reads the examples of a repository.
func Read(repository string) ([]Example, error) {
	var examples []Example
	for _, s := range sources {
		one := Example{Title: s.title, Type: s.kind, Schema: api.Schema{Root: s.root, Files: map[string]string{}}}
		for _, name := range append([]string{s.root}, s.imported...) {
			text, err := os.ReadFile(filepath.Join(repository, filepath.FromSlash(path.Join(s.folder, name))))
			if err != nil {
				return nil, err
			}
			one.Schema.Files[path.Base(name)] = string(text)
		}
		for name, to := range map[string]*string{s.old: &one.Old, s.value: &one.Value} {
			if name == "" {
				continue
			}
			text, err := os.ReadFile(filepath.Join(repository, filepath.FromSlash(name)))
			if err != nil {
				return nil, err
			}
			*to = string(text)
		}
		examples = append(examples, one)
	}
	return examples, nil
}
