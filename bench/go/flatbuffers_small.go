package bench

import (
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/serial-data-protocol/sdp/bench/go/dataset"
	fbabsent "github.com/serial-data-protocol/sdp/bench/go/peers/fb/absent"
	fbarrays "github.com/serial-data-protocol/sdp/bench/go/peers/fb/arrays"
)

func flatbuffersArrays(load func() (*dataset.Frame, error)) Subject {
	return flatbuffersCodec(flatbuffersForm[dataset.Frame]{
		load: load,
		build: func(b *flatbuffers.Builder, f *dataset.Frame) {
			fbarrays.FrameStartSamplesVector(b, len(f.Samples))
			for _, v := range slices.Backward(f.Samples) {
				b.PrependFloat32(v)
			}
			samples := b.EndVector(len(f.Samples))
			fbarrays.FrameStartIndicesVector(b, len(f.Indices))
			for _, v := range slices.Backward(f.Indices) {
				b.PrependUint32(v)
			}
			indices := b.EndVector(len(f.Indices))
			fbarrays.FrameStart(b)
			fbarrays.FrameAddSamples(b, samples)
			fbarrays.FrameAddIndices(b, indices)
			b.Finish(fbarrays.FrameEnd(b))
		},
		sum: func(data []byte) uint64 {
			var c dataset.Sum
			f := fbarrays.GetRootAsFrame(data, 0)
			for i := range f.SamplesLength() {
				c.Float32(f.Samples(i))
			}
			for i := range f.IndicesLength() {
				c.Uint(uint64(f.Indices(i)))
			}
			return uint64(c)
		},
		plain: func(data []byte) *dataset.Frame {
			m := fbarrays.GetRootAsFrame(data, 0)
			f := &dataset.Frame{Samples: make([]float32, m.SamplesLength()), Indices: make([]uint32, m.IndicesLength())}
			for i := range f.Samples {
				f.Samples[i] = m.Samples(i)
			}
			for i := range f.Indices {
				f.Indices[i] = m.Indices(i)
			}
			return f
		},
	})
}

func flatbuffersAbsent(load func() (*dataset.Speaker, error)) Subject {
	return flatbuffersCodec(flatbuffersForm[dataset.Speaker]{
		load: load,
		build: func(b *flatbuffers.Builder, s *dataset.Speaker) {
			fbabsent.SpeakerStart(b)
			if p := s.Position; p != nil {
				fbabsent.SpeakerAddPosition(b, fbabsent.CreatePosition(b, p.X, p.Y, p.Z))
			}
			b.Finish(fbabsent.SpeakerEnd(b))
		},
		sum: func(data []byte) uint64 {
			var c dataset.Sum
			var p fbabsent.Position
			if fbabsent.GetRootAsSpeaker(data, 0).Position(&p) != nil {
				c.Bool(true)
				c.Float64(p.X())
				c.Float64(p.Y())
				c.Float64(p.Z())
			}
			return uint64(c)
		},
		plain: func(data []byte) *dataset.Speaker {
			p := fbabsent.GetRootAsSpeaker(data, 0).Position(nil)
			if p == nil {
				return &dataset.Speaker{}
			}
			return &dataset.Speaker{Position: &dataset.Position{X: p.X(), Y: p.Y(), Z: p.Z()}}
		},
	})
}
