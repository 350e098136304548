package bench

import (
	"github.com/deneonet/benc"
	bstd "github.com/deneonet/benc/std"
	"github.com/serial-data-protocol/sdp/bench/go/dataset"
)

// The benc codec of the plugin registry, on benc's primitives and in benc's bytes. Encoding walks slices itself:
// bstd.MarshalSlice would copy every element on its way into the closure, and be slower for it.

func bencSizeParameter(p *dataset.Parameter) int {
	return bstd.SizeUint64() + bstd.SizeString(p.DisplayName) + bstd.SizeString(p.Identifier) +
		bstd.SizeString(p.Unit) + 4*bstd.SizeFloat32() + bstd.SizeUint32() + 2*bstd.SizeBool()
}

func bencMarshalParameter(n int, b []byte, p *dataset.Parameter) int {
	n = bstd.MarshalUint64(n, b, p.Address)
	n = bstd.MarshalString(n, b, p.DisplayName)
	n = bstd.MarshalString(n, b, p.Identifier)
	n = bstd.MarshalString(n, b, p.Unit)
	n = bstd.MarshalFloat32(n, b, p.MinValue)
	n = bstd.MarshalFloat32(n, b, p.MaxValue)
	n = bstd.MarshalFloat32(n, b, p.DefaultValue)
	n = bstd.MarshalFloat32(n, b, p.CurrentValue)
	n = bstd.MarshalUint32(n, b, p.RawFlags)
	n = bstd.MarshalBool(n, b, p.IsWritable)
	return bstd.MarshalBool(n, b, p.CanRamp)
}

func bencUnmarshalParameter(n int, b []byte, p *dataset.Parameter) (_ int, err error) {
	if n, p.Address, err = bstd.UnmarshalUint64(n, b); err != nil {
		return 0, err
	}
	if n, p.DisplayName, err = bstd.UnmarshalString(n, b); err != nil {
		return 0, err
	}
	if n, p.Identifier, err = bstd.UnmarshalString(n, b); err != nil {
		return 0, err
	}
	if n, p.Unit, err = bstd.UnmarshalString(n, b); err != nil {
		return 0, err
	}
	if n, p.MinValue, err = bstd.UnmarshalFloat32(n, b); err != nil {
		return 0, err
	}
	if n, p.MaxValue, err = bstd.UnmarshalFloat32(n, b); err != nil {
		return 0, err
	}
	if n, p.DefaultValue, err = bstd.UnmarshalFloat32(n, b); err != nil {
		return 0, err
	}
	if n, p.CurrentValue, err = bstd.UnmarshalFloat32(n, b); err != nil {
		return 0, err
	}
	if n, p.RawFlags, err = bstd.UnmarshalUint32(n, b); err != nil {
		return 0, err
	}
	if n, p.IsWritable, err = bstd.UnmarshalBool(n, b); err != nil {
		return 0, err
	}
	n, p.CanRamp, err = bstd.UnmarshalBool(n, b)
	return n, err
}

func bencSizePlugin(p *dataset.Plugin) int {
	n := bstd.SizeString(p.Name) + bstd.SizeString(p.Manufacturer) + bstd.SizeString(p.URI) +
		bstd.SizeString(p.Class) + bencSizeSliceFrame(len(p.Parameters))
	for i := range p.Parameters {
		n += bencSizeParameter(&p.Parameters[i])
	}
	return n
}

func bencMarshalPlugin(n int, b []byte, p *dataset.Plugin) int {
	n = bstd.MarshalString(n, b, p.Name)
	n = bstd.MarshalString(n, b, p.Manufacturer)
	n = bstd.MarshalString(n, b, p.URI)
	n = bstd.MarshalString(n, b, p.Class)
	n = bstd.MarshalUint(n, b, uint(len(p.Parameters)))
	for i := range p.Parameters {
		n = bencMarshalParameter(n, b, &p.Parameters[i])
	}
	return bstd.MarshalUint32(n, b, bencSliceEnd)
}

func bencUnmarshalPlugin(n int, b []byte, p *dataset.Plugin) (_ int, err error) {
	if n, p.Name, err = bstd.UnmarshalString(n, b); err != nil {
		return 0, err
	}
	if n, p.Manufacturer, err = bstd.UnmarshalString(n, b); err != nil {
		return 0, err
	}
	if n, p.URI, err = bstd.UnmarshalString(n, b); err != nil {
		return 0, err
	}
	if n, p.Class, err = bstd.UnmarshalString(n, b); err != nil {
		return 0, err
	}
	n, p.Parameters, err = bstd.UnmarshalSlice[dataset.Parameter](n, b, bencUnmarshalParameter)
	return n, err
}

func bencSizeRegistry(r *dataset.Registry) int {
	n := bencSizeSliceFrame(len(r.Plugins)) + 2*bstd.SizeUint32()
	for i := range r.Plugins {
		n += bencSizePlugin(&r.Plugins[i])
	}
	return n
}

func bencMarshalRegistry(b []byte, r *dataset.Registry) error {
	n := bstd.MarshalUint(0, b, uint(len(r.Plugins)))
	for i := range r.Plugins {
		n = bencMarshalPlugin(n, b, &r.Plugins[i])
	}
	n = bstd.MarshalUint32(n, b, bencSliceEnd)
	n = bstd.MarshalUint32(n, b, r.TotalPluginCount)
	n = bstd.MarshalUint32(n, b, r.TotalParameterCount)
	return benc.VerifyMarshal(n, b)
}

func bencUnmarshalRegistry(b []byte, r *dataset.Registry) error {
	n, plugins, err := bstd.UnmarshalSlice[dataset.Plugin](0, b, bencUnmarshalPlugin)
	if err != nil {
		return err
	}
	r.Plugins = plugins
	if n, r.TotalPluginCount, err = bstd.UnmarshalUint32(n, b); err != nil {
		return err
	}
	if n, r.TotalParameterCount, err = bstd.UnmarshalUint32(n, b); err != nil {
		return err
	}
	return benc.VerifyUnmarshal(n, b)
}
