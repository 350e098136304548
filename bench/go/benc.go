package bench

import (
	bstd "github.com/deneonet/benc/std"

	"github.com/serial-data-protocol/sdp/bench/go/dataset"
)

// bencSliceEnd is the mark behind a slice or a map in benc's bytes.
const bencSliceEnd = 0x01010101

// bencSizeSliceFrame is the size of what benc writes around n elements.
func bencSizeSliceFrame(n int) int { return bstd.SizeUint(uint(n)) + bstd.SizeUint32() }

// bencCodec puts hand-written benc functions behind the codec interface. benc has no decoder that reuses
// the slices of a value, and no views.
func bencCodec[T any, P model[T]](load func() (*T, error), size func(*T) int,
	marshal func([]byte, *T) error, unmarshal func([]byte, *T) error) *codec[T, P, T] {
	encode := func(v *T) ([]byte, error) {
		b := make([]byte, size(v))
		return b, marshal(b, v)
	}
	decode := func(b []byte) (*T, error) {
		v := new(T)
		return v, unmarshal(b, v)
	}
	return &codec[T, P, T]{
		name: "benc", module: "github.com/deneonet/benc",
		load: load, native: func(v *T) *T { return v }, encode: encode, decode: decode,
		loops: map[Case]func(*T, []byte) Loop{
			EncodeFresh: func(v *T, _ []byte) Loop { return encodeLoop(func() ([]byte, error) { return encode(v) }) },
			EncodeReused: func(v *T, _ []byte) Loop {
				var buf []byte
				return encodeLoop(func() ([]byte, error) {
					n := size(v)
					if cap(buf) < n {
						buf = make([]byte, n)
					}
					buf = buf[:n]
					return buf, marshal(buf, v)
				})
			},
			DecodeFresh: func(_ *T, data []byte) Loop {
				return decodeLoop(func() (*T, error) { return decode(data) }, func(v *T) *T { return v })
			},
		},
	}
}

func bencPlugins(load func() (*dataset.Registry, error)) Subject {
	return bencCodec(load, bencSizeRegistry, bencMarshalRegistry, bencUnmarshalRegistry)
}
