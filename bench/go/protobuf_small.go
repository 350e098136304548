package bench

import (
	"github.com/serial-data-protocol/sdp/bench/go/dataset"
	pbabsent "github.com/serial-data-protocol/sdp/bench/go/peers/pb/absent"
	pbarrays "github.com/serial-data-protocol/sdp/bench/go/peers/pb/arrays"
	poolabsent "github.com/serial-data-protocol/sdp/bench/go/peers/pbpool/absent"
	poolarrays "github.com/serial-data-protocol/sdp/bench/go/peers/pbpool/arrays"
)

func protobufArrays(load func() (*dataset.Frame, error)) []Subject {
	form := protobufForm[dataset.Frame, pbarrays.Frame]{
		load: load,
		native: func(f *dataset.Frame) *pbarrays.Frame {
			return &pbarrays.Frame{Samples: f.Samples, Indices: f.Indices}
		},
		plain: func(m *pbarrays.Frame) *dataset.Frame {
			return &dataset.Frame{Samples: m.Samples, Indices: m.Indices}
		},
	}
	return []Subject{
		protobufCodec(form),
		vtprotobufCodec(form),
		vtprotobufPoolCodec[dataset.Frame, *dataset.Frame, pbarrays.Frame, poolarrays.Frame](form),
	}
}

func protobufAbsent(load func() (*dataset.Speaker, error)) []Subject {
	form := protobufForm[dataset.Speaker, pbabsent.Speaker]{
		load: load,
		native: func(s *dataset.Speaker) *pbabsent.Speaker {
			if s.Position == nil {
				return &pbabsent.Speaker{}
			}
			p := s.Position
			return &pbabsent.Speaker{Position: &pbabsent.Position{X: p.X, Y: p.Y, Z: p.Z}}
		},
		plain: func(m *pbabsent.Speaker) *dataset.Speaker {
			if m.Position == nil {
				return &dataset.Speaker{}
			}
			p := m.Position
			return &dataset.Speaker{Position: &dataset.Position{X: p.X, Y: p.Y, Z: p.Z}}
		},
	}
	return []Subject{
		protobufCodec(form),
		vtprotobufCodec(form),
		vtprotobufPoolCodec[dataset.Speaker, *dataset.Speaker, pbabsent.Speaker, poolabsent.Speaker](form),
	}
}
