package main

import (
	"fmt"
	"os"

	"github.com/serial-data-protocol/sdp/examples/registry/plugins"
	"github.com/serial-data-protocol/sdp/examples/web/rack"
)

// The properties of ports in the registry's flags.
const (
	isToggled     = 1
	isInteger     = 2
	isEnumeration = 4
	isLogarithmic = 8
)

// readPlugins reads a registry, which is that of examples/registry.
func readPlugins(path string) (*rack.Plugins, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var registry plugins.PluginRegistry
	if err := registry.UnmarshalJSON(text); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	listed := &rack.Plugins{}
	for _, p := range registry.Plugins {
		one := rack.Plugin{Name: p.Name, Maker: p.Manufacturer, Class: p.Class, URI: p.URI}
		for _, q := range p.Parameters {
			one.Parameters = append(one.Parameters, rack.Parameter{
				Name: q.DisplayName, Unit: q.Unit, Scale: scaleOf(&q), IsOutput: !q.IsWritable,
				Low: q.MinValue, High: q.MaxValue, Initial: min(max(q.CurrentValue, q.MinValue), q.MaxValue),
			})
		}
		listed.Plugins = append(listed.Plugins, one)
	}
	return listed, nil
}

func scaleOf(p *plugins.Parameter) rack.Scale {
	switch {
	case p.RawFlags&isToggled != 0:
		return rack.ScaleSwitch
	case p.RawFlags&(isInteger|isEnumeration) != 0:
		return rack.ScaleWhole
	case p.RawFlags&isLogarithmic != 0 && p.MinValue > 0:
		return rack.ScaleLogarithmic
	}
	return rack.ScaleLinear
}
