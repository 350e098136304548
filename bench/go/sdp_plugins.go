//go:build sdp

package bench

import (
	"github.com/serial-data-protocol/sdp/bench/go/dataset"
	"github.com/serial-data-protocol/sdp/bench/go/gen/plugins"
)

func sdpPlugins(load func() (*dataset.Registry, error)) Subject {
	return sdpCodec[dataset.Registry, *dataset.Registry](sdpForm[dataset.Registry, plugins.PluginRegistry, plugins.PluginRegistryView]{
		load: load, native: sdpFromRegistry, plain: registryFromSDP,
		view: plugins.ViewPluginRegistry, sum: sumRegistryView,
	})
}

func sdpFromRegistry(r *dataset.Registry) *plugins.PluginRegistry {
	v := &plugins.PluginRegistry{TotalPluginCount: r.TotalPluginCount, TotalParameterCount: r.TotalParameterCount}
	for _, p := range r.Plugins {
		plugin := plugins.Plugin{Name: p.Name, Manufacturer: p.Manufacturer, URI: p.URI, Class: p.Class}
		for _, q := range p.Parameters {
			plugin.Parameters = append(plugin.Parameters, plugins.Parameter(q))
		}
		v.Plugins = append(v.Plugins, plugin)
	}
	return v
}

func registryFromSDP(v *plugins.PluginRegistry) *dataset.Registry {
	r := &dataset.Registry{
		Plugins:          make([]dataset.Plugin, 0, len(v.Plugins)),
		TotalPluginCount: v.TotalPluginCount, TotalParameterCount: v.TotalParameterCount,
	}
	for _, p := range v.Plugins {
		plugin := dataset.Plugin{
			Name: p.Name, Manufacturer: p.Manufacturer, URI: p.URI, Class: p.Class,
			Parameters: make([]dataset.Parameter, 0, len(p.Parameters)),
		}
		for _, q := range p.Parameters {
			plugin.Parameters = append(plugin.Parameters, dataset.Parameter(q))
		}
		r.Plugins = append(r.Plugins, plugin)
	}
	return r
}

func sumRegistryView(r plugins.PluginRegistryView) uint64 {
	var c dataset.Sum
	for p := range r.Plugins() {
		c.Text(p.Name())
		c.Text(p.Manufacturer())
		c.Text(p.URI())
		c.Text(p.Class())
		for q := range p.Parameters() {
			c.Uint(q.Address())
			c.Text(q.DisplayName())
			c.Text(q.Identifier())
			c.Text(q.Unit())
			c.Float32(q.MinValue())
			c.Float32(q.MaxValue())
			c.Float32(q.DefaultValue())
			c.Float32(q.CurrentValue())
			c.Uint(uint64(q.RawFlags()))
			c.Bool(q.IsWritable())
			c.Bool(q.CanRamp())
		}
	}
	c.Uint(uint64(r.TotalPluginCount()))
	c.Uint(uint64(r.TotalParameterCount()))
	return uint64(c)
}
