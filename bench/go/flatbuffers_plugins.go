package bench

import (
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/serial-data-protocol/sdp/bench/go/dataset"
	fb "github.com/serial-data-protocol/sdp/bench/go/peers/fb/plugins"
)

func flatbuffersPlugins(load func() (*dataset.Registry, error)) Subject {
	return flatbuffersCodec(flatbuffersForm[dataset.Registry]{
		load: load, build: buildRegistry, sum: sumRegistry, plain: registryFromFlatbuffers,
	})
}

func buildRegistry(b *flatbuffers.Builder, r *dataset.Registry) {
	plugins := make([]flatbuffers.UOffsetT, len(r.Plugins))
	for i := range r.Plugins {
		plugins[i] = buildPlugin(b, &r.Plugins[i])
	}
	vector := flatbuffersVector(b, plugins)
	fb.PluginRegistryStart(b)
	fb.PluginRegistryAddPlugins(b, vector)
	fb.PluginRegistryAddTotalPluginCount(b, r.TotalPluginCount)
	fb.PluginRegistryAddTotalParameterCount(b, r.TotalParameterCount)
	b.Finish(fb.PluginRegistryEnd(b))
}

func buildPlugin(b *flatbuffers.Builder, p *dataset.Plugin) flatbuffers.UOffsetT {
	parameters := make([]flatbuffers.UOffsetT, len(p.Parameters))
	for i := range p.Parameters {
		parameters[i] = buildParameter(b, &p.Parameters[i])
	}
	vector := flatbuffersVector(b, parameters)
	name, manufacturer := b.CreateString(p.Name), b.CreateString(p.Manufacturer)
	uri, class := b.CreateString(p.URI), b.CreateString(p.Class)
	fb.PluginStart(b)
	fb.PluginAddName(b, name)
	fb.PluginAddManufacturer(b, manufacturer)
	fb.PluginAddUri(b, uri)
	fb.PluginAddClass(b, class)
	fb.PluginAddParameters(b, vector)
	return fb.PluginEnd(b)
}

func buildParameter(b *flatbuffers.Builder, p *dataset.Parameter) flatbuffers.UOffsetT {
	displayName, identifier, unit := b.CreateString(p.DisplayName), b.CreateString(p.Identifier), b.CreateString(p.Unit)
	fb.ParameterStart(b)
	fb.ParameterAddAddress(b, p.Address)
	fb.ParameterAddDisplayName(b, displayName)
	fb.ParameterAddIdentifier(b, identifier)
	fb.ParameterAddUnit(b, unit)
	fb.ParameterAddMinValue(b, p.MinValue)
	fb.ParameterAddMaxValue(b, p.MaxValue)
	fb.ParameterAddDefaultValue(b, p.DefaultValue)
	fb.ParameterAddCurrentValue(b, p.CurrentValue)
	fb.ParameterAddRawFlags(b, p.RawFlags)
	fb.ParameterAddIsWritable(b, p.IsWritable)
	fb.ParameterAddCanRamp(b, p.CanRamp)
	return fb.ParameterEnd(b)
}

func sumRegistry(data []byte) uint64 {
	var c dataset.Sum
	var plugin fb.Plugin
	var parameter fb.Parameter
	r := fb.GetRootAsPluginRegistry(data, 0)
	for i := range r.PluginsLength() {
		r.Plugins(&plugin, i)
		c.Bytes(plugin.Name())
		c.Bytes(plugin.Manufacturer())
		c.Bytes(plugin.Uri())
		c.Bytes(plugin.Class())
		for j := range plugin.ParametersLength() {
			plugin.Parameters(&parameter, j)
			c.Uint(parameter.Address())
			c.Bytes(parameter.DisplayName())
			c.Bytes(parameter.Identifier())
			c.Bytes(parameter.Unit())
			c.Float32(parameter.MinValue())
			c.Float32(parameter.MaxValue())
			c.Float32(parameter.DefaultValue())
			c.Float32(parameter.CurrentValue())
			c.Uint(uint64(parameter.RawFlags()))
			c.Bool(parameter.IsWritable())
			c.Bool(parameter.CanRamp())
		}
	}
	c.Uint(uint64(r.TotalPluginCount()))
	c.Uint(uint64(r.TotalParameterCount()))
	return uint64(c)
}

func registryFromFlatbuffers(data []byte) *dataset.Registry {
	root := fb.GetRootAsPluginRegistry(data, 0)
	r := &dataset.Registry{
		Plugins:          make([]dataset.Plugin, root.PluginsLength()),
		TotalPluginCount: root.TotalPluginCount(), TotalParameterCount: root.TotalParameterCount(),
	}
	for i := range r.Plugins {
		var p fb.Plugin
		root.Plugins(&p, i)
		r.Plugins[i] = dataset.Plugin{
			Name: string(p.Name()), Manufacturer: string(p.Manufacturer()), URI: string(p.Uri()),
			Class: string(p.Class()), Parameters: make([]dataset.Parameter, p.ParametersLength()),
		}
		for j := range r.Plugins[i].Parameters {
			var q fb.Parameter
			p.Parameters(&q, j)
			r.Plugins[i].Parameters[j] = dataset.Parameter{
				Address: q.Address(), DisplayName: string(q.DisplayName()), Identifier: string(q.Identifier()),
				Unit: string(q.Unit()), MinValue: q.MinValue(), MaxValue: q.MaxValue(),
				DefaultValue: q.DefaultValue(), CurrentValue: q.CurrentValue(), RawFlags: q.RawFlags(),
				IsWritable: q.IsWritable(), CanRamp: q.CanRamp(),
			}
		}
	}
	return r
}
