package bench

import flatbuffers "github.com/google/flatbuffers/go"

// flatbuffersForm says how a data set is built and read as a flatbuffer.
type flatbuffersForm[T any] struct {
	load  func() (*T, error)
	build func(*flatbuffers.Builder, *T)
	// sum reads every field in place and adds them up as dataset.Sum does.
	sum   func([]byte) uint64
	plain func([]byte) *T
}

// flatbuffersCodec is flatbuffers as its users call it. Its Go runtime has no verifier: reading trusts the
// bytes, and panics or reads nonsense if they are damaged.
func flatbuffersCodec[T any, P model[T]](f flatbuffersForm[T]) Subject {
	encode := func(b *flatbuffers.Builder, v *T) []byte {
		f.build(b, v)
		return b.FinishedBytes()
	}
	fresh := func(v *T) ([]byte, error) { return encode(flatbuffers.NewBuilder(1024), v), nil }
	return &codec[T, P, T]{
		name: "flatbuffers", module: "github.com/google/flatbuffers",
		load: f.load, native: func(v *T) *T { return v }, encode: fresh,
		decode: func(b []byte) (*T, error) { return f.plain(b), nil },
		loops: map[Case]func(*T, []byte) Loop{
			EncodeFresh: func(v *T, _ []byte) Loop { return encodeLoop(func() ([]byte, error) { return fresh(v) }) },
			EncodeReused: func(v *T, _ []byte) Loop {
				b := flatbuffers.NewBuilder(1024)
				return encodeLoop(func() ([]byte, error) {
					b.Reset()
					return encode(b, v), nil
				})
			},
			Read: func(_ *T, data []byte) Loop { return readLoop(func() (uint64, error) { return f.sum(data), nil }) },
		},
	}
}

// flatbuffersVector builds a vector of offsets, which flatbuffers wants back to front.
func flatbuffersVector(b *flatbuffers.Builder, offsets []flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartVector(flatbuffers.SizeUOffsetT, len(offsets), flatbuffers.SizeUOffsetT)
	for i := len(offsets) - 1; i >= 0; i-- {
		b.PrependUOffsetT(offsets[i])
	}
	return b.EndVector(len(offsets))
}
