package main

import (
	"encoding/json"
	"errors"

	"google.golang.org/protobuf/proto"

	"github.com/serial-data-protocol/sdp/bench/go/dataset"
	pb "github.com/serial-data-protocol/sdp/bench/go/peers/pb/plugins"
	"github.com/serial-data-protocol/sdp/examples/registry/plugins"
)

// contestant is one way of writing the registry. Every call of encode makes a
// new buffer and every call of decode a new value.
type contestant struct {
	name   string
	encode func() ([]byte, error)
	decode func([]byte) error
	bytes  int
	// refusal says why this registry can't be written so: encoding/json has no
	// NaN and no infinities.
	refusal error
}

// contestants are ready to run on the same registry, Protobuf last.
func contestants(registry *plugins.PluginRegistry) ([]contestant, error) {
	plain, protobuf := toPlain(registry), toProtobuf(registry)
	all := []contestant{
		{
			name:   "SDP, byte mode",
			encode: func() ([]byte, error) { return plugins.EncodePluginRegistry(registry) },
			decode: func(data []byte) error { return plugins.DecodePluginRegistry(new(plugins.PluginRegistry), data) },
		},
		{
			name:   "SDP, message mode",
			encode: func() ([]byte, error) { return plugins.EncodePluginRegistryMessage(registry) },
			decode: func(data []byte) error {
				_, err := plugins.DecodePluginRegistryMessage(data)
				return err
			},
		},
		{
			name:   "encoding/json",
			encode: func() ([]byte, error) { return json.Marshal(plain) },
			decode: func(data []byte) error { return json.Unmarshal(data, new(dataset.Registry)) },
		},
		{
			name:   "protobuf-go",
			encode: func() ([]byte, error) { return proto.Marshal(protobuf) },
			decode: func(data []byte) error { return proto.Unmarshal(data, new(pb.PluginRegistry)) },
		},
	}
	if err := protobufHoldsTheSame(protobuf); err != nil {
		return nil, err
	}
	for i := range all {
		data, err := all[i].encode()
		all[i].bytes, all[i].refusal = len(data), err
	}
	return all, nil
}

// protobufHoldsTheSame fails if Protobuf doesn't get back what it wrote.
func protobufHoldsTheSame(message *pb.PluginRegistry) error {
	data, err := proto.Marshal(message)
	if err != nil {
		return err
	}
	back := new(pb.PluginRegistry)
	if err := proto.Unmarshal(data, back); err != nil {
		return err
	}
	if !proto.Equal(message, back) {
		return errors.New("protobuf-go: what comes back differs")
	}
	return nil
}

// toPlain makes what encoding/json is given: structs without methods of their
// own.
func toPlain(registry *plugins.PluginRegistry) *dataset.Registry {
	r := &dataset.Registry{
		TotalPluginCount: registry.TotalPluginCount, TotalParameterCount: registry.TotalParameterCount,
	}
	for _, p := range registry.Plugins {
		plugin := dataset.Plugin{Name: p.Name, Manufacturer: p.Manufacturer, URI: p.URI, Class: p.Class}
		for _, q := range p.Parameters {
			plugin.Parameters = append(plugin.Parameters, dataset.Parameter(q))
		}
		r.Plugins = append(r.Plugins, plugin)
	}
	return r
}

func toProtobuf(registry *plugins.PluginRegistry) *pb.PluginRegistry {
	m := &pb.PluginRegistry{
		TotalPluginCount: registry.TotalPluginCount, TotalParameterCount: registry.TotalParameterCount,
	}
	for _, p := range registry.Plugins {
		plugin := &pb.Plugin{Name: p.Name, Manufacturer: p.Manufacturer, Uri: p.URI, Class: p.Class}
		for _, q := range p.Parameters {
			plugin.Parameters = append(plugin.Parameters, &pb.Parameter{
				Address: q.Address, DisplayName: q.DisplayName, Identifier: q.Identifier, Unit: q.Unit,
				MinValue: q.MinValue, MaxValue: q.MaxValue, DefaultValue: q.DefaultValue,
				CurrentValue: q.CurrentValue, RawFlags: q.RawFlags, IsWritable: q.IsWritable, CanRamp: q.CanRamp,
			})
		}
		m.Plugins = append(m.Plugins, plugin)
	}
	return m
}
