package sdp

import "time"

// The types of this file are as generated code has them. Their schema:
//
//	enum Kind: u8 { Effect = 0, Instrument = 1 }
//	struct Plugin { name: str, @name(json = "g") gain: f32, on: bool, note: ?str, kind: Kind }
//	@keep_unknown message Registry { plugins: []Plugin, when: ?timestamp, @since(2) total: u64 = 7 }
//	union Event { Loaded(Plugin) = 1, Changed { grid: [2][]i16, m: map<i8, bool> } = 2, Stopped = 3, In(Event) = 4 }
type (
	sampleKind   uint8
	samplePlugin struct {
		Name string           `sdp:"name str4"`
		Gain float32          `sdp:"gain f32" key:"g"`
		On   bool             `sdp:"on bool"`
		Note Optional[string] `sdp:"note opt str4"`
		Kind sampleKind       `sdp:"kind #0"`
	}
	sampleRegistry struct {
		Plugins []samplePlugin      `sdp:"plugins list4 #0"`
		When    Optional[time.Time] `sdp:"when opt timestamp"`
		Total   uint64              `sdp:"total u64" late:"true"`
		unknown []byte
	}
	sampleEvent  struct{ Value any }
	sampleLoaded struct {
		Value samplePlugin `sdp:"Loaded #0"`
	}
	sampleChanged struct {
		Grid [2][]int16    `sdp:"grid array 2 list4 i16"`
		M    map[int8]bool `sdp:"m map4 i8 bool"`
	}
	sampleStopped struct{}
	sampleIn      struct {
		Value sampleEvent `sdp:"In #0"`
	}
	sampleUnknown struct {
		Number  uint8
		Payload []byte
	}
)

var sampleKinds = EnumTable{Bits: 8, Members: []EnumMember{{Name: "Effect"}, {Name: "Instrument", Number: 1}}}

func (sampleKind) SDPEnum() *EnumTable { return &sampleKinds }

func (v *sampleRegistry) SDPDefaults(int)           { v.Total = 7 }
func (v *sampleRegistry) SDPSize(*Encoder, int) int { return 0 }
func (v *sampleRegistry) UnknownFields() []byte     { return v.unknown }
func (v *sampleRegistry) SetUnknownFields(b []byte) { v.unknown = b }

func (*sampleEvent) SDPUnion() *UnionTable {
	return &UnionTable{Unknown: (*sampleUnknown)(nil), Alternatives: []Alternative{
		{Name: "Loaded", Tag: 1, Type: (*sampleLoaded)(nil)},
		{Name: "Changed", Tag: 2, Type: (*sampleChanged)(nil), Inline: true},
		{Name: "Stopped", Tag: 3, Type: (*sampleStopped)(nil)},
		{Name: "In", Tag: 4, Type: (*sampleIn)(nil)},
	}}
}
