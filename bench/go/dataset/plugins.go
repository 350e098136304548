package dataset

// Parameter is one control port of a plugin.
type Parameter struct {
	Address      uint64  `json:"address"`
	DisplayName  string  `json:"display_name"`
	Identifier   string  `json:"identifier"`
	Unit         string  `json:"unit"`
	MinValue     float32 `json:"min_value"`
	MaxValue     float32 `json:"max_value"`
	DefaultValue float32 `json:"default_value"`
	CurrentValue float32 `json:"current_value"`
	RawFlags     uint32  `json:"raw_flags"`
	IsWritable   bool    `json:"is_writable"`
	CanRamp      bool    `json:"can_ramp"`
}

// Plugin is one plugin with all of its parameters.
type Plugin struct {
	Name         string      `json:"name"`
	Manufacturer string      `json:"manufacturer"`
	URI          string      `json:"uri"`
	Class        string      `json:"class"`
	Parameters   []Parameter `json:"parameters"`
}

// Registry is what schemas/plugins.sdp calls PluginRegistry.
type Registry struct {
	Plugins             []Plugin `json:"plugins"`
	TotalPluginCount    uint32   `json:"total_plugin_count"`
	TotalParameterCount uint32   `json:"total_parameter_count"`
}

// Checksum adds up every field. A codec that reads fields in place must come to the same sum, so that no
// reader can leave a field out.
func (r *Registry) Checksum() uint64 {
	var c Sum
	for i := range r.Plugins {
		p := &r.Plugins[i]
		c.Text(p.Name)
		c.Text(p.Manufacturer)
		c.Text(p.URI)
		c.Text(p.Class)
		for j := range p.Parameters {
			q := &p.Parameters[j]
			c.Uint(q.Address)
			c.Text(q.DisplayName)
			c.Text(q.Identifier)
			c.Text(q.Unit)
			c.Float32(q.MinValue)
			c.Float32(q.MaxValue)
			c.Float32(q.DefaultValue)
			c.Float32(q.CurrentValue)
			c.Uint(uint64(q.RawFlags))
			c.Bool(q.IsWritable)
			c.Bool(q.CanRamp)
		}
	}
	c.Uint(uint64(r.TotalPluginCount))
	c.Uint(uint64(r.TotalParameterCount))
	return uint64(c)
}
