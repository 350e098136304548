package sdp

import "time"

// The types of this file read and write JSON as generated code does. Their
// schema:
//
//	enum Kind: u8 { Effect = 0, Instrument = 1 }
//	struct Plugin { name: str, @name(json = "g") gain: f32, on: bool, note: ?str, kind: Kind }
//	@keep_unknown message Registry { plugins: []Plugin, when: ?timestamp, @since(2) total: u64 = 7 }
//	union Event { Loaded(Plugin) = 1, Changed { grid: [2][]i16, m: map<i8, bool> } = 2, Stopped = 3, In(Event) = 4 }
type (
	samplePlugin struct {
		name string
		gain float32
		on   bool
		note Optional[string]
		kind int64
	}
	sampleRegistry struct {
		plugins []samplePlugin
		when    Optional[time.Time]
		total   uint64
		unknown []byte
	}
	sampleEvent struct {
		alternative string
		loaded      samplePlugin
		grid        [2][]int16
		m           map[int8]bool
		in          *sampleEvent
		tag         uint8
		payload     []byte
	}
)

var (
	sampleKindJSON   = JSONEnum{Bits: 8, Members: []JSONMember{{"Effect", 0}, {"Instrument", 1}}}
	samplePluginJSON = JSONObject{Fields: []JSONField{
		{"name", "name", true}, {"g", "gain", true}, {"on", "on", true}, {"note", "note", false}, {"kind", "kind", true},
	}}
	sampleRegistryJSON = JSONObject{Kind: JSONMessage, Fields: []JSONField{
		{"plugins", "plugins", true}, {"when", "when", false}, {"total", "total", false}, {Key: "$unknown"},
	}}
	sampleEventJSON = JSONObject{Kind: JSONUnion, Tags: []uint8{1, 2, 3, 4}, Fields: []JSONField{
		{Key: "Loaded", Name: "Loaded"}, {Key: "Changed", Name: "Changed"}, {Key: "Stopped", Name: "Stopped"},
		{Key: "In", Name: "In"}, {Key: "$unknown"},
	}}
	sampleChangedJSON = JSONObject{Fields: []JSONField{{"grid", "grid", true}, {"m", "m", true}}}
)

func (v *samplePlugin) SDPReadJSON(r *JSONReader) {
	*v = samplePlugin{}
	for r.Object(&samplePluginJSON); r.Next(); {
		switch r.Key() {
		case "name":
			v.name = r.String()
		case "g":
			v.gain = r.Float32()
		case "on":
			v.on = r.Bool()
		case "note":
			if !r.Absent() {
				v.note = Some(r.String())
			}
		case "kind":
			v.kind = r.Enum(&sampleKindJSON)
		}
	}
}

func (v *sampleRegistry) SDPReadJSON(r *JSONReader) {
	*v = sampleRegistry{total: 7}
	for r.Object(&sampleRegistryJSON); r.Next(); {
		switch r.Key() {
		case "plugins":
			for r.Array(); r.Next(); {
				v.plugins = append(v.plugins, samplePlugin{})
				v.plugins[r.Index()].SDPReadJSON(r)
			}
		case "when":
			if !r.Absent() {
				v.when = Some(r.Timestamp())
			}
		case "total":
			v.total = r.Uint(64)
		case "$unknown":
			v.unknown = r.Bytes()
		}
	}
}

func (v *sampleEvent) SDPReadJSON(r *JSONReader) {
	*v = sampleEvent{}
	for r.Object(&sampleEventJSON); r.Next(); {
		v.alternative = r.Key()
		switch v.alternative {
		case "Loaded":
			v.loaded.SDPReadJSON(r)
		case "Changed":
			v.readChanged(r)
		case "Stopped":
			r.Null()
		case "In":
			v.in = new(sampleEvent)
			v.in.SDPReadJSON(r)
		case "$unknown":
			v.tag, v.payload = r.Unknown()
		}
	}
}

func (v *sampleEvent) readChanged(r *JSONReader) {
	for r.Object(&sampleChangedJSON); r.Next(); {
		switch r.Key() {
		case "grid":
			for r.FixedArray(2); r.Next(); {
				row := &v.grid[r.Index()]
				for r.Array(); r.Next(); {
					*row = append(*row, int16(r.Int(16)))
				}
			}
		case "m":
			v.m = map[int8]bool{}
			for r.Map(); r.Next(); {
				if k := int8(r.KeyInt(8)); NewJSONKey(r, v.m, k) {
					v.m[k] = r.Bool()
				}
			}
		}
	}
}

func (v *samplePlugin) SDPAppendJSON(b []byte) []byte {
	b = append(b, `{"name":`...)
	b = AppendJSONString(b, v.name)
	b = append(b, `,"g":`...)
	b = AppendJSONFloat32(b, v.gain)
	b = append(b, `,"on":`...)
	b = AppendJSONBool(b, v.on)
	b = append(b, `,"note":`...)
	if v.note.Present {
		b = AppendJSONString(b, v.note.Value)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"kind":`...)
	b = AppendJSONEnum(b, v.kind, &sampleKindJSON)
	return append(b, '}')
}

func (v *sampleEvent) SDPAppendJSON(b []byte) []byte {
	switch v.alternative {
	case "Loaded":
		b = append(b, `{"Loaded":`...)
		b = v.loaded.SDPAppendJSON(b)
	case "Changed":
		b = append(b, `{"Changed":{"grid":[`...)
		for i := range v.grid {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, '[')
			for j, x := range v.grid[i] {
				if j > 0 {
					b = append(b, ',')
				}
				b = AppendJSONInt(b, int32(x))
			}
			b = append(b, ']')
		}
		b = append(b, `],"m":{`...)
		for i, k := range SortedKeys(nil, v.m) {
			if i > 0 {
				b = append(b, ',')
			}
			b = AppendJSONInt64(b, int64(k))
			b = append(b, ':')
			b = AppendJSONBool(b, v.m[k])
		}
		b = append(b, "}}"...)
	case "Stopped":
		b = append(b, `{"Stopped":null`...)
	case "In":
		b = append(b, `{"In":`...)
		b = v.in.SDPAppendJSON(b)
	default:
		return AppendJSONUnknown(b, v.tag, v.payload)
	}
	return append(b, '}')
}
