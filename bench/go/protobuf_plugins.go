package bench

import (
	"github.com/serial-data-protocol/sdp/bench/go/dataset"
	pb "github.com/serial-data-protocol/sdp/bench/go/peers/pb/plugins"
	pool "github.com/serial-data-protocol/sdp/bench/go/peers/pbpool/plugins"
)

func protobufPlugins(load func() (*dataset.Registry, error)) []Subject {
	form := protobufForm[dataset.Registry, pb.PluginRegistry]{
		load: load, native: protobufFromRegistry, plain: registryFromProtobuf,
	}
	return []Subject{
		protobufCodec(form),
		vtprotobufCodec(form),
		vtprotobufPoolCodec[dataset.Registry, *dataset.Registry, pb.PluginRegistry, pool.PluginRegistry](form),
	}
}

func protobufFromRegistry(r *dataset.Registry) *pb.PluginRegistry {
	m := &pb.PluginRegistry{
		TotalPluginCount: r.TotalPluginCount, TotalParameterCount: r.TotalParameterCount,
	}
	for _, p := range r.Plugins {
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

func registryFromProtobuf(m *pb.PluginRegistry) *dataset.Registry {
	r := &dataset.Registry{
		Plugins:          make([]dataset.Plugin, 0, len(m.Plugins)),
		TotalPluginCount: m.TotalPluginCount, TotalParameterCount: m.TotalParameterCount,
	}
	for _, p := range m.Plugins {
		plugin := dataset.Plugin{
			Name: p.Name, Manufacturer: p.Manufacturer, URI: p.Uri, Class: p.Class,
			Parameters: make([]dataset.Parameter, 0, len(p.Parameters)),
		}
		for _, q := range p.Parameters {
			plugin.Parameters = append(plugin.Parameters, dataset.Parameter{
				Address: q.Address, DisplayName: q.DisplayName, Identifier: q.Identifier, Unit: q.Unit,
				MinValue: q.MinValue, MaxValue: q.MaxValue, DefaultValue: q.DefaultValue,
				CurrentValue: q.CurrentValue, RawFlags: q.RawFlags, IsWritable: q.IsWritable, CanRamp: q.CanRamp,
			})
		}
		r.Plugins = append(r.Plugins, plugin)
	}
	return r
}
