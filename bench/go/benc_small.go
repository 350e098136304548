package bench

import (
	"errors"

	"github.com/deneonet/benc"
	bstd "github.com/deneonet/benc/std"

	"github.com/serial-data-protocol/sdp/bench/go/dataset"
)

func bencArrays(load func() (*dataset.Frame, error)) Subject {
	size := func(f *dataset.Frame) int {
		return bstd.SizeFixedSlice(f.Samples, bstd.SizeFloat32()) + bstd.SizeFixedSlice(f.Indices, bstd.SizeUint32())
	}
	marshal := func(b []byte, f *dataset.Frame) error {
		n := bstd.MarshalSlice(0, b, f.Samples, bstd.MarshalFloat32)
		n = bstd.MarshalSlice(n, b, f.Indices, bstd.MarshalUint32)
		return benc.VerifyMarshal(n, b)
	}
	unmarshal := func(b []byte, f *dataset.Frame) error {
		n, samples, err := bstd.UnmarshalSlice[float32](0, b, bstd.UnmarshalFloat32)
		if err != nil {
			return err
		}
		f.Samples = samples
		if n, f.Indices, err = bstd.UnmarshalSlice[uint32](n, b, bstd.UnmarshalUint32); err != nil {
			return err
		}
		return benc.VerifyUnmarshal(n, b)
	}
	return bencCodec(load, size, marshal, unmarshal)
}

func bencAbsent(load func() (*dataset.Speaker, error)) Subject {
	size := func(s *dataset.Speaker) int {
		if s.Position == nil {
			return bstd.SizeBool()
		}
		return bstd.SizeBool() + 3*bstd.SizeFloat64()
	}
	marshal := func(b []byte, s *dataset.Speaker) error {
		n := bstd.MarshalBool(0, b, s.Position != nil)
		if s.Position != nil {
			n = bstd.MarshalFloat64(n, b, s.Position.X)
			n = bstd.MarshalFloat64(n, b, s.Position.Y)
			n = bstd.MarshalFloat64(n, b, s.Position.Z)
		}
		return benc.VerifyMarshal(n, b)
	}
	unmarshal := func(b []byte, s *dataset.Speaker) error {
		n, is, err := bstd.UnmarshalBool(0, b)
		if err != nil || !is {
			return errors.Join(err, benc.VerifyUnmarshal(n, b))
		}
		p := new(dataset.Position)
		for _, v := range []*float64{&p.X, &p.Y, &p.Z} {
			if n, *v, err = bstd.UnmarshalFloat64(n, b); err != nil {
				return err
			}
		}
		s.Position = p
		return benc.VerifyUnmarshal(n, b)
	}
	return bencCodec(load, size, marshal, unmarshal)
}
